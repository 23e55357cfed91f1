//! Extractor files.

use rye_metadata::{Extractor, ExtractorErrorKind, ParserKind};

use super::extraction;

pub(crate) fn extractor(bytes: &[u8]) {
    match Extractor::parse(bytes) {
        Ok(extractor) => check_extractor(&extractor),
        Err(error) => {
            assert!(!error.kind.to_string().is_empty());
            assert_eq!(Extractor::parse(bytes).err(), Some(error.clone()));
            if let ExtractorErrorKind::Invalid { problems } = error.kind {
                assert!(!problems.is_empty(), "it is refused without a reason");
            }
        }
    }
}

fn check_extractor(extractor: &Extractor) {
    assert!(!extractor.extensions().is_empty());
    for extension in extractor.extensions() {
        assert!(extractor.handles(extension) && !extension.contains(['.', '/', '\0']), "{extension:?}");
    }
    if let Some(signature) = extractor.signature() {
        assert!(!signature.prefix.is_empty());
        assert!(
            (signature.prefix.clone() + &signature.suffix).bytes().all(|byte| byte.is_ascii_punctuation())
        );
    }
    assert!(extractor.search_weights().iter().all(|(_, weight)| weight.is_finite() && *weight >= 0.0));
    let path = format!("some/folder/tool.{}", extractor.extensions()[0]);
    for text in [b"".as_slice(), sample(extractor.parser())] {
        let _ = extraction::check(extractor, &path, text);
    }
}

fn sample(parser: ParserKind) -> &'static [u8] {
    match parser {
        ParserKind::Python => b"\"\"\"Doc.\n\nMore.\"\"\"\n__version__ = '1.0'\nCONFIG = {'a': [1, None]}\n",
        ParserKind::JavaScript | ParserKind::TypeScript => {
            b"/** Doc.\n * @version 1.0\n */\nexport const version = '1.0', CONFIG = {a: [1, null]}\n"
        }
        ParserKind::Yaml => b"version: 1.0.0\nexecutor_id: null\nconfig: {a: [1, null]}\nother: 1\n",
        ParserKind::Json => {
            br#"{"version": "1.0.0", "executor_id": null, "config": {"a": [1, null]}, "other": 1}"#
        }
        ParserKind::Toml => b"version = '1.0.0'\nother = 1\n[config]\na = [1]\n",
        ParserKind::Markdown => b"---\nversion: 1.0.0\nconfig: {a: [1]}\nother: 1\n---\n# Title\n\nText.\n",
        ParserKind::Text => b"# version: 1.0.0\n# tags: a, b\n# config: {a: [1]}\n",
    }
}
