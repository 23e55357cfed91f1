//! The coverage-guided fuzzer, started by `cargo xtask fuzz`.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    reason = "libFuzzer owns the command line, so the target is told in a variable"
)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use rye_fuzz::{Target, on_small_stack};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("RYE_FUZZ_TARGET").expect("RYE_FUZZ_TARGET names a target");
    Target::named(&name).expect("there is such a target")
});

/// Holds the input that is being read. libFuzzer saves what it sees crash; an overflow of the stack it does not see.
static IN_FLIGHT: LazyLock<Option<File>> =
    LazyLock::new(|| File::create(std::env::var_os("RYE_FUZZ_IN_FLIGHT")?).ok());

fuzz_target!(|bytes: &[u8]| {
    if let Some(file) = IN_FLIGHT.as_ref() {
        let _ = file.set_len(bytes.len() as u64);
        let _ = file.write_all_at(bytes, 0);
    }
    // A panic aborts the process, so that there is no result to look at.
    let _ = on_small_stack(TARGET.name, || TARGET.check(bytes));
});
