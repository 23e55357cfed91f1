//! Which `.env` files are read, and how.

use std::ffi::OsStr;

use insta::assert_snapshot;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_env::MAX_DOTENV_BYTES;

use crate::test_space::{TestSpace, problems};

#[test]
fn an_untrusted_project_has_none() {
    let space = TestSpace::untrusted();
    space.write("home/.ai/.env", "USER_VALUE=1");
    space.write("project/.ai/.env", "A=1");
    space.write("project/.env", "not even a line");
    let environment = space.resolve_all(&[], &[]).unwrap();
    assert_eq!(environment.dotenv_files(), [space.path("home/.ai/.env")]);
    assert_eq!((environment.get("A"), environment.get("USER_VALUE")), (None, Some(OsStr::new("1"))));
}

#[test]
fn bad_lines_are_told_with_file_and_line() {
    let space = TestSpace::new();
    space.write("home/.ai/.env", "A=1\nB='open");
    space.write("project/.env", "\n\nnonsense");
    space.write("project/.env.local", b"A=\xff");
    let error = space.resolve_all(&[], &[]).unwrap_err();
    assert_snapshot!(space.filtered(&problems(&error)), @"
    cannot use `/home/.ai/.env`: line 2: the quote that opens here is not closed
    cannot use `/project/.env`: line 3: there is no `=` after the name
    cannot use `/project/.env.local`: line 1: it is not UTF-8 text
    ");
}

#[test]
fn a_pipe_is_refused_without_waiting() {
    let space = TestSpace::new();
    let path = space.path("project/.env");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    std::fs::create_dir(space.path("project/.env.local")).unwrap();
    let error = space.resolve_all(&[], &[]).unwrap_err();
    assert_snapshot!(space.filtered(&problems(&error)), @"
    cannot use `/project/.env`: it is not a regular file
    cannot use `/project/.env.local`: it is not a regular file
    ");
}

#[test]
fn a_large_file_is_refused() {
    let space = TestSpace::new();
    let line = format!("A={}\n", "x".repeat(1021));
    let most = usize::try_from(MAX_DOTENV_BYTES).unwrap() / line.len();
    space.write("home/.ai/.env", line.repeat(most));
    assert!(space.resolve_all(&[], &[]).is_ok());
    space.write("project/.env", line.repeat(2 * most));
    let error = space.resolve_all(&[], &[]).unwrap_err();
    assert_snapshot!(space.filtered(&problems(&error)), @"cannot use `/project/.env`: it has more than 1048576 bytes");
}

#[test]
fn links_of_a_project_stay_inside() {
    let space = TestSpace::new();
    space.write("secret", "A=1");
    space.write("project/config/env", "B=2");
    space.link("project/.env", "config/env");
    let environment = space.resolve_all(&[], &[]).unwrap();
    assert_eq!(environment.get("B"), Some(OsStr::new("2")));

    space.link("project/.env.local", "../secret");
    space.link("project/.ai/.env", space.path("secret"));
    let error = space.resolve_all(&[], &[]).unwrap_err();
    assert_snapshot!(space.filtered(&problems(&error)), @"
    cannot use `/project/.ai/.env`: it is a link that leads out of the project
    cannot use `/project/.env.local`: it is a link that leads out of the project
    ");
}

#[test]
fn the_users_file_may_be_a_link() {
    let space = TestSpace::new();
    space.write("dotfiles/env", "A=1");
    space.link("home/.ai/.env", space.path("dotfiles/env"));
    assert_eq!(space.resolve_all(&[], &[]).unwrap().get("A"), Some(OsStr::new("1")));
}
