//! No secret shows, however the output is cut.

use proptest::prelude::*;
use rye_run::mask::Mask;
use rye_run::secrets::SecretValues;

fn mask(secrets: &[&str]) -> Mask {
    let mut values = SecretValues::default();
    for (number, secret) in secrets.iter().enumerate() {
        values.insert(format!("SECRET_{number}"), (*secret).to_owned().into()).unwrap();
    }
    Mask::new(&values).unwrap()
}

/// What is shown of `pieces`, and the most that was held back.
fn stream(mask: &Mask, pieces: &[&[u8]]) -> (Vec<u8>, usize) {
    let mut shown = Vec::new();
    let mut stream = mask.stream();
    let mut lag = 0;
    let mut given = Vec::new();
    for piece in pieces {
        stream.push(piece, &mut shown);
        given.extend_from_slice(piece);
        lag = lag.max(given.len().saturating_sub(shown.len()));
    }
    stream.finish(&mut shown);
    (shown, lag)
}

fn text(mask: &Mask, text: &str) -> String {
    mask.mask_text(text).into_owned()
}

#[test]
fn secrets_are_replaced() {
    let mask = mask(&["hunter2hunter2", "short", "pass\"word\n1"]);
    assert_eq!(text(&mask, "a hunter2hunter2 b"), "a *** b");
    assert_eq!(text(&mask, "hunter2hunter2hunter2hunter2!"), "***!");
    assert_eq!(text(&mask, "a short one"), "a short one");
    assert_eq!(
        text(&mask, "raw pass\"word\n1 and {\"x\":\"pass\\\"word\\n1\"}"),
        "raw *** and {\"x\":\"***\"}"
    );
    assert_eq!(mask.mask_bytes(b"\xff\xfehunter2hunter2\xff"), &b"\xff\xfe***\xff"[..]);
    assert!(matches!(mask.mask_text("hunter2hunter"), std::borrow::Cow::Borrowed("hunter2hunter")));
}

#[test]
fn base64_and_urls_are_known() {
    let mask = mask(&["a/secret+value"]);
    // printf 'user:a/secret+value' | base64
    assert_eq!(
        text(&mask, "Authorization: Basic dXNlcjphL3NlY3JldCt2YWx1ZQ=="),
        "Authorization: Basic dXNlcjp***Q=="
    );
    // printf 'a/secret+value' | base64
    assert_eq!(text(&mask, "YS9zZWNyZXQrdmFsdWU="), "***U=");
    assert_eq!(text(&mask, "https://x/?t=a%2Fsecret%2Bvalue&y"), "https://x/?t=***&y");
}

#[test]
fn where_secrets_overlap_all_is_replaced() {
    let mask = mask(&["aaaabbbb", "bbbbcccc", "xaaaabbbbccccx"]);
    assert_eq!(text(&mask, "-aaaabbbbcccc-"), "-***-");
    assert_eq!(text(&mask, "-xaaaabbbbccccx-"), "-***-");
    assert_eq!(text(&mask, "-aaaabbbb bbbbcccc-"), "-*** ***-");
    let whole = b"-aaaabbbbcccc-bbbbcccc-xaaaabbbbcccc";
    for cut in 0..whole.len() {
        let (head, tail) = whole.split_at(cut);
        assert_eq!(stream(&mask, &[head, tail]).0, b"-***-***-x***", "cut at {cut}");
    }
}

#[test]
fn what_is_no_secret_is_shown_at_once() {
    let mask = mask(&["hunter2hunter2"]);
    let mut shown = Vec::new();
    let mut stream = mask.stream();
    stream.push(b"progress: 10%\n", &mut shown);
    assert_eq!(shown, b"progress: 10%\n");
    stream.push(b"hun", &mut shown);
    assert_eq!(shown, b"progress: 10%\n");
    stream.push(b"gry\n", &mut shown);
    assert_eq!(shown, b"progress: 10%\nhungry\n");
}

#[test]
fn endless_repetition_takes_no_memory() {
    let mask = mask(&["aaaaaaaa"]);
    let mut stream = mask.stream();
    let mut shown = Vec::new();
    for _ in 0..1000 {
        stream.push(&[b'a'; 1000], &mut shown);
    }
    stream.push(b"-", &mut shown);
    stream.finish(&mut shown);
    assert_eq!(shown, b"***-");
}

#[test]
fn nothing_is_masked_without_secrets() {
    for mask in [mask(&[]), mask(&["seven77"])] {
        assert_eq!(text(&mask, "seven77"), "seven77");
        assert_eq!(stream(&mask, &[b"seven", b"77"]), (b"seven77".to_vec(), 0));
    }
}

#[test]
fn a_mask_does_not_show_secrets() {
    let mask = mask(&["hunter2hunter2"]);
    let mut stream = mask.stream();
    stream.push(b"hunter2hunter", &mut Vec::new());
    let debug = format!("{mask:?} {stream:?}");
    assert!(!debug.contains("hunter") && !debug.contains("104"), "{debug}");
}

/// Secrets of few characters, so that they overlap, contain and continue one another.
fn secrets() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop_oneof!["[ab*]{8,12}", "[a\"\\\\\n]{8,10}", "[ü😀a#]{3,9}"], 1..4)
}

/// Output that is made of pieces of the secrets and other things.
fn output(secrets: &[String]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let secrets = secrets.to_vec();
    let part = (0..secrets.len(), any::<(prop::sample::Index, prop::sample::Index)>(), 0..8_u8).prop_map(
        move |(which, (from, to), kind)| {
            let secret = secrets[which].as_bytes();
            match kind {
                0 => serde_json::to_vec(&secrets[which]).unwrap(),
                1 => b"*".to_vec(),
                2 => vec![0xF0],
                3 => secret[from.index(secret.len())..].to_vec(),
                4 => secret[..to.index(secret.len())].to_vec(),
                _ => secret.to_vec(),
            }
        },
    );
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn contains(output: &[u8], secret: &[u8]) -> bool {
    output.windows(secret.len()).any(|window| window == secret)
}

proptest! {
    #[test]
    fn no_secret_is_left_however_the_output_is_cut(
        (secrets, output, cuts) in secrets().prop_flat_map(|secrets| {
            let output = output(&secrets);
            (Just(secrets), output, prop::collection::vec(any::<prop::sample::Index>(), 0..20))
        })
    ) {
        let mask = mask(&secrets.iter().map(String::as_str).collect::<Vec<_>>());
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(output.len() + 1)).collect();
        cuts.extend([0, output.len()]);
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|pair| &output[pair[0]..pair[1]]).collect();
        let (shown, _) = stream(&mask, &pieces);
        let whole = mask.mask_bytes(&output).into_owned();
        prop_assert_eq!(&shown, &whole);
        for secret in secrets.iter().filter(|secret| secret.len() >= Mask::SHORTEST) {
            prop_assert!(!contains(&whole, secret.as_bytes()));
            let json = serde_json::to_string(secret).unwrap();
            prop_assert!(!contains(&whole, json.trim_matches('"').as_bytes()));
        }
    }

    #[test]
    fn text_stays_text(secret in "[^\\x00]{2,12}", before in any::<String>(), after in any::<String>()) {
        let mask = mask(&[&secret]);
        let whole = format!("{before}{secret}{after}");
        let masked = mask.mask_text(&whole).into_owned();
        prop_assert_eq!(masked.as_bytes(), &*mask.mask_bytes(whole.as_bytes()));
        prop_assert_eq!(masked.contains(&secret), secret.len() < Mask::SHORTEST);
    }

    #[test]
    fn less_than_a_secret_is_held_back(pieces in prop::collection::vec("[abc]{0,5}", 0..40)) {
        let mask = mask(&["abcabcab\n"]);
        let pieces: Vec<_> = pieces.iter().map(String::as_bytes).collect();
        // Its longest form is the one for URLs.
        prop_assert!(stream(&mask, &pieces).1 < "abcabcab%0A".len());
    }
}
