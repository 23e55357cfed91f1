//! The known name that someone probably meant.

/// The candidate most like `name`, if one is like it at all.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A hostile name must not make the comparison expensive.
    if name.len() > 100 {
        return None;
    }
    let plain = name.trim_matches('_').to_ascii_lowercase().replace('-', "_");
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&plain, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// The end of a sentence about an unknown name: the nearest one, or all of them.
#[must_use]
pub fn suggestion(name: &str, candidates: &[&str]) -> String {
    match nearest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_name() {
        let names = ["executor_id", "config_schema", "version", "config"];
        let check = |name: &str, expect: Option<&str>| assert_eq!(nearest(name, names), expect, "{name}");
        check("executer_id", Some("executor_id"));
        check("executor-id", Some("executor_id"));
        check("__version__", Some("version"));
        check("configSchema", Some("config_schema"));
        check("zzz", None);
        check(&"x".repeat(1_000_000), None);
    }
}
