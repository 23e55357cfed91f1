//! Which boot of the machine this is.

use std::sync::OnceLock;

/// The name of this boot.
///
/// What was written before the machine went down may not have reached the disk although its name did. Writing it out
/// at once would cost more than the copy itself, so a snapshot of an earlier boot is read once before it is used.
pub(super) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        name.trim().to_owned()
    })
}
