//! The system space, inside the program.
//!
//! The files below `bundle/.ai` become part of the program when it is built, each with its digest. What is here
//! cannot be changed by anybody who cannot change the program itself, which is why it needs no signature.
//!
//! ```
//! let bundle = rye_bundle::bundle();
//! assert!(bundle.get("tools/rye/core/extractors/yaml.yaml").is_some());
//! ```

use rye_item::{Bundle, BundleFile};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The bundle of this program.
#[must_use]
pub fn bundle() -> Bundle {
    Bundle::new(FILES)
}

#[cfg(test)]
mod tests {
    use rye_item::Digest;

    #[test]
    fn the_list_is_sorted_and_its_digests_are_right() {
        let files = super::bundle().files();
        assert!(files.is_sorted_by(|one, other| one.path < other.path));
        for file in files {
            assert_eq!(Digest::of(file.bytes), Digest::from(file.digest), "{}", file.path);
        }
    }
}
