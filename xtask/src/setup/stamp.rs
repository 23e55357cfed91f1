//! Knowing that an installed folder is what its inputs ask for.

use std::fs;
use std::path::Path;

use super::{clear_folder, make_folder};
use crate::error::TaskError;

const NAME: &str = ".installed-from";

/// Fills a folder unless it was filled from the same inputs.
///
/// The stamp is written last, into the folder itself, and holds the inputs word for word: a folder that was left
/// half filled, or removed, has none, and no two inputs look alike.
pub(super) fn fill(
    folder: &Path,
    inputs: &[&str],
    fill: impl FnOnce() -> Result<(), TaskError>,
) -> Result<(), TaskError> {
    let stamp = folder.join(NAME);
    let wanted = inputs.join("\n--\n");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(());
    }
    clear_folder(folder)?;
    make_folder(folder)?;
    fill()?;
    fs::write(&stamp, wanted).map_err(|source| TaskError::File { action: "write", path: stamp, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_filled_once_for_the_same_inputs() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("filled");
        let mut times = 0;
        for inputs in [["lock", "3.11"], ["lock", "3.11"], ["lock", "3.12"]] {
            fill(&folder, &inputs, || {
                times += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(times, 2);
    }

    #[test]
    fn a_failure_leaves_no_stamp_and_old_files_do_not_stay() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("filled");
        fill(&folder, &["a"], || Ok(())).unwrap();
        fs::write(folder.join("old"), "").unwrap();
        let no = || Err(TaskError::Unusable { program: "x", why: "y" });
        assert!(fill(&folder, &["b"], no).is_err());
        assert!(!folder.join("old").exists());
        assert!(fill(&folder, &["b"], no).is_err());
    }
}
