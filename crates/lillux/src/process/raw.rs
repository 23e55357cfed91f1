//! System calls that touch nothing but their arguments.
//!
//! The guard shares our memory, and with it the calling thread's `errno`. A library call that fails in the guard
//! would overwrite an error that the thread is about to read, so the guard makes its calls here.
#![expect(unsafe_code, reason = "system calls without the C library's errno are only to be had as assembly")]

use std::arch::asm;

/// Makes a system call with up to six arguments, and returns what the kernel does: a result, or a negated errno.
///
/// # Safety
/// As for the system call in question.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: this is the kernel's calling convention: it clobbers rcx and r11 only. The rest is the caller's.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Makes a system call with up to six arguments, and returns what the kernel does: a result, or a negated errno.
///
/// # Safety
/// As for the system call in question.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: [usize; 6]) -> isize {
    let result;
    // SAFETY: this is the kernel's calling convention. The rest is the caller's.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") args[0] as isize => result,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            in("x5") args[5],
            options(nostack),
        );
    }
    result
}

/// A system call's argument as the machine word that the kernel takes.
pub(super) trait Word {
    fn word(self) -> usize;
}

impl<T> Word for *const T {
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

impl<T> Word for *mut T {
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

macro_rules! integer_words {
    ($($integer:ty),*) => {
        $(impl Word for $integer {
            #[expect(clippy::allow_attributes, reason = "which casts are lossy depends on the type")]
            #[allow(clippy::cast_sign_loss, clippy::cast_possible_truncation, clippy::cast_lossless, trivial_numeric_casts, reason = "the kernel takes the low bits back")]
            fn word(self) -> usize {
                self as usize
            }
        })*
    };
}
integer_words!(i32, u32, isize, usize);

/// Makes a system call, with each argument turned into a [`Word`].
macro_rules! sys {
    ($number:expr $(, $arg:expr)* $(,)?) => {{
        let mut words = [$($crate::process::raw::Word::word($arg),)* 0, 0, 0, 0, 0, 0].into_iter();
        let words = std::array::from_fn(|_| words.next().unwrap_or(0));
        $crate::process::raw::syscall($number, words)
    }};
}
pub(super) use sys;
