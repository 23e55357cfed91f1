//! Handles of processes.

use lillux::process::ProcessHandle;

pub(crate) fn process_handle(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(handle) = text.parse::<ProcessHandle>() {
        assert_eq!(handle.to_string(), text, "a handle has one text");
        assert_eq!(handle.to_string().parse(), Ok(handle.clone()));
        assert!(handle.pid > 0 && !handle.boot_id.contains(['/', '.']));
    }
}
