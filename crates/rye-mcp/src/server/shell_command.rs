//! Commands for the operator, as they are typed.

/// Words as a command line. Whatever a caller has sent, it stays one word of it.
pub(super) fn shell_command(words: &[&str]) -> String {
    let quoted = words.iter().map(|word| {
        // No command line has this character in it.
        let word = word.replace('\0', "\u{fffd}");
        shlex::try_quote(&word).map_or_else(|_| String::new(), std::borrow::Cow::into_owned)
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one() {
        let check = |words: &[&str], expect: &str| assert_eq!(shell_command(words), expect);
        check(&["rye", "sign", "my/tool"], "rye sign my/tool");
        check(&["rye", "sign", "x'; touch /tmp/y; echo '"], r#"rye sign "x'; touch /tmp/y; echo '""#);
        check(&["rye", "sign", "my/*", "--project", "/a/it's"], r#"rye sign 'my/*' --project "/a/it's""#);
        check(&["rye", "sign", "a\0b", ""], "rye sign 'a\u{fffd}b' ''");
    }
}
