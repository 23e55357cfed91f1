//! Light English stemming: plurals, `-ing` and `-ed`, and nothing else.
//!
//! A stem need not be a word. It only has to be the same for the forms of one word, and different for different
//! words: where both cannot be had, the word is left alone.

use std::borrow::Cow;

/// A final `e` is taken off only if this much is left, so that `state` and `stat`, `mode` and `mod` stay apart.
const MIN_WITHOUT_E: usize = 5;

/// The stem of a folded word.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    let singular = singular(word);
    match without_ending(&singular) {
        Some(base) => Cow::Owned(base),
        None => match singular.strip_suffix('e') {
            Some(base) if base.len() >= MIN_WITHOUT_E => Cow::Owned(base.to_owned()),
            _ => singular,
        },
    }
}

fn singular(word: &str) -> Cow<'_, str> {
    let Some(base) = word.strip_suffix('s') else {
        return Cow::Borrowed(word);
    };
    if base.ends_with(['s', 'u', 'i']) {
        return Cow::Borrowed(word);
    }
    if let Some(base) = base.strip_suffix("ie") {
        return if base.len() > 2 {
            Cow::Owned(format!("{base}y"))
        } else {
            Cow::Borrowed(&word[..word.len() - 1])
        };
    }
    for ending in ["ss", "x", "ch", "sh", "zz"] {
        if let Some(base) = base.strip_suffix('e')
            && base.ends_with(ending)
            && !(ending == "ch" && base.ends_with("ach") && base.len() == 4)
        {
            return Cow::Borrowed(base);
        }
    }
    Cow::Borrowed(base)
}

/// The word without `-ing` or `-ed`, as its plain form would be stemmed.
fn without_ending(word: &str) -> Option<String> {
    let (base, is_past) = match word.strip_suffix("ing") {
        Some(base) => (base, false),
        None => (word.strip_suffix("ed").filter(|base| !base.ends_with('e'))?, true),
    };
    if base.len() < 3 || !base.bytes().any(is_vowel) {
        return None;
    }
    if is_past && let Some(base) = base.strip_suffix('i') {
        return Some(format!("{base}y"));
    }
    let ends_double = base.as_bytes()[base.len() - 1] == base.as_bytes()[base.len() - 2];
    if ends_double {
        let keep = base.ends_with(['l', 's', 'z', 'e', 'o']) || base.len() == 3;
        return Some(if keep { base } else { &base[..base.len() - 1] }.to_owned());
    }
    if base.len() < MIN_WITHOUT_E && wants_e(base.as_bytes()) {
        return Some(format!("{base}e"));
    }
    if is_past && base.len() == 3 {
        return None;
    }
    // A base of this length would have lost its `e` in the plain form, too.
    Some(base.to_owned())
}

/// Whether a short base is that of a word with a final `e`: `writ`, `stor`, `cach`, `merg`, but not `read` or `edit`.
fn wants_e(base: &[u8]) -> bool {
    let [.., before, middle, last] = *base else {
        return false;
    };
    let pairs: [&[u8]; 6] = [b"rs", b"rg", b"rv", b"lv", b"dg", b"bl"];
    if pairs.iter().any(|pair| base.ends_with(pair)) {
        return true;
    }
    if base.ends_with(b"ch") {
        return is_vowel(before) && base.len() == 4;
    }
    let one_syllable =
        base.iter().zip(&base[1..]).filter(|&(&a, &b)| is_vowel(a) && !is_vowel(b)).count() == 1;
    one_syllable
        && !is_vowel(before)
        && is_vowel(middle)
        && !is_vowel(last)
        && !matches!(last, b'w' | b'x' | b'y')
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for forms in [
            &["file", "files", "filing"][..],
            &["read", "reads", "reading"],
            &["write", "writes", "writing"],
            &["commit", "commits", "committed", "committing"],
            &["cache", "caches", "cached", "caching"],
            &["create", "creates", "created", "creating"],
            &["update", "updates", "updated", "updating"],
            &["parse", "parses", "parsed", "parsing"],
            &["merge", "merges", "merged", "merging"],
            &["query", "queries", "queried", "querying"],
            &["run", "runs", "running"],
            &["log", "logs", "logged", "logging"],
            &["box", "boxes"],
            &["branch", "branches", "branched", "branching"],
            &["process", "processes", "processed", "processing"],
            &["image", "images"],
            &["schedule", "schedules", "scheduled", "scheduling"],
            &["install", "installs", "installed", "installing"],
            &["list", "lists", "listed", "listing"],
            &["save", "saves", "saved", "saving"],
            &["compress", "compresses", "compressed", "compressing"],
            &["database", "databases"],
            &["sync", "syncs", "syncing"],
            &["edit", "edits", "edited", "editing"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (one, other) in [
            ("state", "stat"),
            ("string", "str"),
            ("news", "new"),
            ("plane", "plan"),
            ("mode", "mod"),
            ("bus", "bu"),
            ("need", "ne"),
            ("status", "statu"),
            ("sqlite", "sql"),
            ("note", "not"),
            ("user", "use"),
        ] {
            // `news` loses its `s` as any plural would: the one price of being light.
            assert_eq!(stem(one) == stem(other), one == "news", "{one} {other}");
        }
        for same in ["access", "bus", "analysis", "redis", "naïve", "s3", "sed", "ping", "speed"] {
            assert_eq!(stem(same), same);
        }
    }
}
