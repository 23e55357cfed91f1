//! A program with its arguments and environment, in the form that the kernel takes.

use std::collections::BTreeMap;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{io, ptr};

use rustix::fs::{Access, access};

use super::{RunError, RunErrorKind};

/// What `execve` needs. It owns the strings and does not move them once made.
pub(super) struct ExecImage {
    pub(super) path: CString,
    pub(super) cwd: Option<CString>,
    args: StringTable,
    env: StringTable,
}

/// NUL-terminated strings in one piece of memory, with the pointer list that C programs expect.
struct StringTable {
    bytes: Vec<u8>,
    pointers: Vec<*const c_char>,
}

/// The parts of a request that say what to execute.
pub(super) struct Program<'a> {
    pub(super) name: &'a OsStr,
    pub(super) args: &'a [OsString],
    pub(super) cwd: Option<&'a Path>,
    pub(super) env: &'a BTreeMap<OsString, OsString>,
}

impl ExecImage {
    pub(super) fn new(program: &Program<'_>) -> Result<Self, RunErrorKind> {
        refuse_nul(program.name, || "the program's name".to_owned())?;
        let path = locate(program)?;
        let mut args = StringTable::with_capacity(program.args.len() + 1);
        args.push(&[program.name.as_bytes()]);
        for (index, arg) in program.args.iter().enumerate() {
            refuse_nul(arg, || format!("argument {}", index + 1))?;
            args.push(&[arg.as_bytes()]);
        }
        let mut env = StringTable::with_capacity(program.env.len());
        for (name, value) in program.env {
            refuse_nul(name, || "the name of a variable".to_owned())?;
            refuse_nul(value, || format!("variable `{}`", name.display()))?;
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(RunErrorKind::VariableName { name: name.display().to_string() });
            }
            env.push(&[name.as_bytes(), b"=", value.as_bytes()]);
        }
        let cwd = program.cwd.map(|cwd| c_string(cwd.as_os_str(), "the working directory")).transpose()?;
        let path = c_string(path.as_os_str(), "the program's path")?;
        Ok(Self { path, cwd, args: args.finished(), env: env.finished() })
    }

    pub(super) fn argv(&self) -> *const *const c_char {
        self.args.pointers.as_ptr()
    }

    pub(super) fn envp(&self) -> *const *const c_char {
        self.env.pointers.as_ptr()
    }

    /// What the kernel's refusal to execute means.
    pub(super) fn explain(&self, source: io::Error) -> RunErrorKind {
        let path = PathBuf::from(OsStr::from_bytes(self.path.as_bytes()));
        match source.raw_os_error() {
            Some(libc::ENOENT) if path.exists() => RunErrorKind::InterpreterMissing { path },
            Some(libc::ENOENT | libc::ENOTDIR) => RunErrorKind::ProgramNotFound { searched: vec![path] },
            Some(libc::E2BIG) => {
                RunErrorKind::TooLarge { bytes: self.args.bytes.len() + self.env.bytes.len() }
            }
            _ => RunErrorKind::NotExecutable { path, source },
        }
    }
}

impl StringTable {
    fn with_capacity(count: usize) -> Self {
        Self { bytes: Vec::with_capacity(count * 48), pointers: Vec::with_capacity(count + 1) }
    }

    fn push(&mut self, parts: &[&[u8]]) {
        // The bytes may still move, so each entry is an offset until the table is finished.
        self.pointers.push(ptr::without_provenance(self.bytes.len()));
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        self.bytes.push(0);
    }

    fn finished(mut self) -> Self {
        let start = self.bytes.as_ptr();
        for pointer in &mut self.pointers {
            *pointer = start.wrapping_add(pointer.addr()).cast();
        }
        self.pointers.push(ptr::null());
        self
    }
}

/// Finds the file that would be executed for a name, as [`RunRequest::program`](super::RunRequest::program) says.
///
/// # Errors
/// If there is none.
pub fn find_program(
    name: &OsStr,
    cwd: Option<&Path>,
    env: &BTreeMap<OsString, OsString>,
) -> Result<PathBuf, RunError> {
    locate(&Program { name, args: &[], cwd, env })
        .map_err(|kind| RunError { program: name.display().to_string(), kind })
}

/// Finds the file to execute. Relative entries of `PATH` are passed over: what they mean depends on where a
/// process happens to stand.
fn locate(program: &Program<'_>) -> Result<PathBuf, RunErrorKind> {
    let name = Path::new(program.name);
    if program.name.as_bytes().contains(&b'/') {
        return Ok(program.cwd.map_or_else(|| name.to_owned(), |cwd| cwd.join(name)));
    }
    let search_path = program.env.get(OsStr::new("PATH")).ok_or(RunErrorKind::NoSearchPath)?;
    let mut searched = Vec::new();
    let mut refused = None;
    for folder in std::env::split_paths(search_path).filter(|folder| folder.is_absolute()) {
        let candidate = folder.join(name);
        if candidate.is_file() {
            match access(&candidate, Access::EXEC_OK) {
                Ok(()) => return Ok(candidate),
                Err(errno) => {
                    refused
                        .get_or_insert(RunErrorKind::NotExecutable { path: candidate, source: errno.into() });
                }
            }
        } else {
            searched.push(candidate);
        }
    }
    Err(refused.unwrap_or(RunErrorKind::ProgramNotFound { searched }))
}

fn refuse_nul(text: &OsStr, what: impl FnOnce() -> String) -> Result<(), RunErrorKind> {
    if text.as_bytes().contains(&0) { Err(RunErrorKind::Nul { what: what() }) } else { Ok(()) }
}

fn c_string(text: &OsStr, what: &str) -> Result<CString, RunErrorKind> {
    CString::new(text.as_bytes()).map_err(|_| RunErrorKind::Nul { what: what.to_owned() })
}
