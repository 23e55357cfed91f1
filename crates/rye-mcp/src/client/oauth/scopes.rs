//! What is asked for at a login.

/// What a login is asked to allow, in the order in which it was named.
///
/// What the operator has said goes first, then what the server asks for, then what it says that it knows. What an earlier
/// login allowed is asked for again, so that nothing is lost that worked.
pub(super) fn wanted(
    earlier: &[String],
    operator: &[String],
    challenge: Option<&str>,
    supported: Option<&[String]>,
) -> Vec<String> {
    let mut scopes = earlier.to_vec();
    if !operator.is_empty() {
        add(&mut scopes, operator.iter().map(String::as_str));
    } else if challenge.is_none() && earlier.is_empty() {
        add(&mut scopes, supported.into_iter().flatten().map(String::as_str));
    }
    if operator.is_empty() || !earlier.is_empty() {
        add(&mut scopes, words(challenge));
    }
    scopes
}

/// Asks for a refresh token, where that is a scope. Without any other, it would take the place of what is given by default.
pub(super) fn with_offline_access(mut scopes: Vec<String>, supported: Option<&[String]>) -> Vec<String> {
    const OFFLINE: &str = "offline_access";
    let knows = supported.into_iter().flatten().any(|scope| scope == OFFLINE);
    if knows && !scopes.is_empty() {
        add(&mut scopes, [OFFLINE].into_iter());
    }
    scopes
}

/// The words of a list of scopes.
pub(super) fn words(scopes: Option<&str>) -> impl Iterator<Item = &str> {
    scopes.unwrap_or_default().split_ascii_whitespace()
}

fn add<'a>(scopes: &mut Vec<String>, more: impl Iterator<Item = &'a str>) {
    for scope in more {
        if !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        words(Some(text)).map(str::to_owned).collect()
    }

    #[test]
    fn the_operator_goes_before_the_server_and_nothing_is_lost() {
        let check = |earlier: &str,
                     operator: &str,
                     challenge: Option<&str>,
                     supported: Option<&str>,
                     expect: &str| {
            let supported = supported.map(list);
            let found = wanted(&list(earlier), &list(operator), challenge, supported.as_deref());
            assert_eq!(found.join(" "), expect);
        };
        check("", "", None, None, "");
        check("", "", None, Some("a b"), "a b");
        check("", "", Some("c"), Some("a b"), "c");
        check("", "x", Some("c"), Some("a b"), "x");
        check("a", "", Some("c a"), Some("b"), "a c");
        check("x", "x", Some("c"), None, "x c");
    }

    #[test]
    fn a_refresh_token_is_asked_for_where_it_is_known() {
        let known = list("a offline_access");
        assert_eq!(with_offline_access(list("a"), Some(&known)), known);
        assert_eq!(with_offline_access(list("a"), Some(&list("a"))), list("a"));
        assert_eq!(with_offline_access(Vec::new(), Some(&known)), list(""));
    }
}
