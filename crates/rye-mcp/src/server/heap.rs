//! How the heap of a server is laid out.
#![expect(unsafe_code, reason = "the allocator is set up through the C library")]

/// Lets threads share the parts of the heap. Left alone, the C library makes up to eight of them for each processor, and what
/// a thread has freed in one is of no use to those that have another: a server would grow for as long as it is called.
pub(super) fn share_parts() {
    #[cfg(target_env = "gnu")]
    {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let most = std::ffi::c_int::try_from(processors).unwrap_or(std::ffi::c_int::MAX);
        // SAFETY: the call changes a setting of the allocator, and nothing else.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, most) };
    }
}
