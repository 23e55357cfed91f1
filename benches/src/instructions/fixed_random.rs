//! The same random bytes each time, while instructions are counted: hash tables are laid out by them.
#![expect(unsafe_code, reason = "it takes the place of a function of the C library")]

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

static IS_FIXED: AtomicBool = AtomicBool::new(false);
static NEXT: AtomicU8 = AtomicU8::new(1);

/// From now on nothing is random in this process.
pub(super) fn fix() {
    IS_FIXED.store(true, Ordering::Relaxed);
}

/// What the standard library and others ask for random bytes.
///
/// # Safety
/// As for the function of the C library: there is room for `length` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(
    bytes: *mut libc::c_void,
    length: libc::size_t,
    flags: libc::c_uint,
) -> libc::ssize_t {
    if !IS_FIXED.load(Ordering::Relaxed) {
        // SAFETY: the caller's bytes go to the kernel as they are.
        let got = unsafe { libc::syscall(libc::SYS_getrandom, bytes, length, flags) };
        return libc::ssize_t::try_from(got).unwrap_or(-1);
    }
    for index in 0..length {
        // They differ from each other, or those who look for a free name would never find one.
        let byte = NEXT.fetch_add(37, Ordering::Relaxed);
        // SAFETY: the caller has room for `length` bytes.
        unsafe { bytes.cast::<u8>().add(index).write(byte) };
    }
    libc::ssize_t::try_from(length).unwrap_or(-1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_being_asked_it_is_random() {
        let mut found = [[0_u8; 16]; 2];
        for bytes in &mut found {
            // SAFETY: there is room for sixteen bytes.
            let got = unsafe { getrandom(bytes.as_mut_ptr().cast(), 16, 0) };
            assert_eq!(got, 16);
        }
        assert_ne!(found[0], found[1]);
    }
}
