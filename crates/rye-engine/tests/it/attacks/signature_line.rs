//! Characters of every kind in a signature line.

use std::collections::BTreeMap;

use rye_engine::VerifyRequest;
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_metadata::SignatureComment;
use rye_trust::{FileTrust as _, KeyFolder, OwnSignatures};

use super::ground::{Ground, node, python, shell};
use super::keys::hash_mark;

/// Some characters of every general category, and those that make trouble: what looks like nothing, like another
/// character or like the end of a line, and what turns the line around.
fn characters() -> Vec<char> {
    let named = [
        // Controls.
        "\0\u{1}\u{7}\u{8}\t\u{b}\u{c}\r\u{1b}\u{1f}\u{7f}\u{80}\u{85}\u{9f}",
        // Separators: spaces, lines, paragraphs.
        " \u{a0}\u{1680}\u{2000}\u{2003}\u{2009}\u{200a}\u{202f}\u{205f}\u{3000}\u{2028}\u{2029}",
        // Formats: soft hyphen, joiners, direction marks, embeddings, isolates, tags, byte order mark.
        "\u{ad}\u{600}\u{61c}\u{6dd}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}",
        "\u{2060}\u{2061}\u{2064}\u{2066}\u{2067}\u{2068}\u{2069}\u{206a}\u{206f}\u{feff}\u{fff9}\u{fffb}\u{e0001}\u{e0041}\u{e007f}",
        // Marks: combining, spacing, enclosing, variation selectors.
        "\u{300}\u{301}\u{338}\u{34f}\u{903}\u{93e}\u{20dd}\u{20e3}\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}",
        // Letters: Latin, look-alikes of others, modifiers, titles, wide ones, ideographs, right to left.
        "aAzZéßĂаеорсαοǅʰªℂｒｙｅ中あ가אبא𝐫𝕣𐀀",
        // Numbers: other digits, letters as numbers, fractions.
        "0９٣०Ⅷ½²𝟘𝟟",
        // Punctuation and symbols.
        "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~«»‐–—‘’“”…‹›：；／＃∶꞉ː។±€¬°©↔∞▲☃🦀🏳",
        // Neither assigned nor meant to be: private use, no characters at all, replacement.
        "\u{e000}\u{f8ff}\u{f0000}\u{10fffd}\u{378}\u{ffff}\u{fdd0}\u{10ffff}\u{fffd}\u{fffc}",
    ];
    named.concat().chars().collect()
}

fn is_accepted(engine: &rye_engine::Engine, id: &str) -> bool {
    let item = ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap());
    engine.verify(&VerifyRequest::Item(item)).is_ok_and(|report| report.is_good())
}

#[test]
fn no_character_can_be_added_to_the_line() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/line/sh.sh", shell("echo fine"));
    ground.write("project/.ai/tools/line/py.py", python("print('fine')"));
    ground.write("project/.ai/tools/line/js.js", node("console.log('fine');"));
    ground.sign("line/**");
    let engine = ground.engine();
    let characters = characters();
    let keyring = KeyFolder::at(&ground.path("home/.ai")).keyring().unwrap();
    for (id, extension) in [("sh", "sh"), ("py", "py"), ("js", "js")] {
        let below = format!("project/.ai/tools/line/{id}.{extension}");
        let signed = String::from_utf8(ground.read(&below)).unwrap();
        let id = format!("line/{id}");
        assert!(is_accepted(&engine, &id));
        let mark = signed.find("rye:signed").unwrap();
        let start = signed[..mark].rfind('\n').map_or(0, |end| end + 1);
        let end = mark + signed[mark..].find('\n').unwrap();
        let with =
            |character: char, place: usize| format!("{}{character}{}", &signed[..place], &signed[place..]);
        // The edges of the line and of each field in it, and a place inside of each.
        let fields = signed[start..end].match_indices([':', ' ']).map(|(at, _)| start + at);
        let edges = [start, start + 1, end, end - 1, mark, mark + 1, mark + 4];
        let places: Vec<usize> = fields.flat_map(|at| [at, at + 1, (at + 7).min(end)]).chain(edges).collect();
        for (number, &character) in characters.iter().enumerate() {
            let place = places[number % places.len()];
            ground.write(&below, with(character, place));
            assert!(!is_accepted(&engine, &id), "{character:?} at {place} of {id}");
        }
        // The whole of Unicode, by the function that decides about files beside a tool.
        let comment = SignatureComment { prefix: signed[start..mark].trim_end().to_owned(), ..hash_mark() };
        let own = OwnSignatures::new(&keyring, BTreeMap::from([(extension.to_owned(), comment)]));
        let item = format!("{id}.{extension}");
        assert!(own.is_signed(ItemKind::Tool, &item, signed.as_bytes()));
        let all =
            (0..0x11_0000u32).filter(|point| *point < 0x3000 || point % 16 == 5).filter_map(char::from_u32);
        for (number, character) in all.enumerate() {
            let place = places[number % places.len()];
            let changed = with(character, place);
            assert!(
                !own.is_signed(ItemKind::Tool, &item, changed.as_bytes()),
                "{character:?} at {place} of {id}"
            );
        }
        ground.write(&below, &signed);
        assert!(is_accepted(&engine, &id));
    }
}
