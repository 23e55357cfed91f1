//! What a server says when it wants to know who somebody is.

/// What stands in `WWW-Authenticate` behind `Bearer`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// Where the server describes itself.
    pub(super) resource_metadata: Option<String>,
    /// What a token has to allow.
    pub(super) scope: Option<String>,
    /// What is wrong with the token that was sent.
    pub(super) error: Option<String>,
}

impl Challenge {
    /// Reads a header. Challenges of another kind are passed over, and so is what cannot be read.
    pub(super) fn parse(header: &str) -> Self {
        let mut found = Self::default();
        let mut is_bearer = false;
        for Part { scheme, name, value } in parts(header) {
            if let Some(scheme) = scheme {
                is_bearer = scheme.eq_ignore_ascii_case("bearer");
            }
            if !is_bearer {
                continue;
            }
            let place = match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => &mut found.resource_metadata,
                "scope" => &mut found.scope,
                "error" => &mut found.error,
                _ => continue,
            };
            place.get_or_insert(value);
        }
        found
    }
}

/// `name=value`, and the scheme if one stands before it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part<'h> {
    scheme: Option<&'h str>,
    name: &'h str,
    value: String,
}

/// Splits a header at the commas that are not in quotation marks.
fn parts(header: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in header.char_indices().chain([(header.len(), ',')]) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted || at == header.len() => {
                found.push(part(header[start..at].trim()));
                start = (at + 1).min(header.len());
            }
            _ => {}
        }
    }
    found
}

fn part(text: &str) -> Part<'_> {
    let Some((before, value)) = text.split_once('=') else {
        return Part { scheme: text.split_ascii_whitespace().next(), ..Part::default() };
    };
    let before = before.trim_end();
    let (scheme, name) = match before.rsplit_once(char::is_whitespace) {
        Some((scheme, name)) => (Some(scheme.trim()), name),
        None => (None, before),
    };
    Part { scheme, name, value: unquoted(value.trim()) }
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut is_escaped = false;
    let mut text = String::new();
    for c in inner.chars() {
        is_escaped = c == '\\' && !is_escaped;
        if !is_escaped {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, metadata: Option<&str>, scope: Option<&str>, error: Option<&str>) {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let expect = Challenge { resource_metadata: text(metadata), scope: text(scope), error: text(error) };
        assert_eq!(Challenge::parse(header), expect, "{header}");
    }

    #[test]
    fn challenges_of_bearer_are_read() {
        check("", None, None, None);
        check("Bearer", None, None, None);
        check(
            r#"Bearer scope="a b", resource_metadata="https://a/b""#,
            Some("https://a/b"),
            Some("a b"),
            None,
        );
        check(r#"bearer error=invalid_token, scope="x,y""#, None, Some("x,y"), Some("invalid_token"));
        check(r#"Basic realm="a", scope="no", Bearer scope="yes""#, None, Some("yes"), None);
        check(r#"Bearer scope="yes", Basic scope="no""#, None, Some("yes"), None);
        check(r#"Bearer realm="a \" , scope=\"x", error="e""#, None, None, Some("e"));
        check(r#"Bearer scope="open"#, None, Some("\"open"), None);
        check("Bearer, ,=,  = ,scope", None, None, None);
    }
}
