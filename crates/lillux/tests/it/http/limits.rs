//! Bodies that are longer than they may be.

use std::fs::File;
use std::io::{BufWriter, Write};

use lillux::http::{HttpEnding, HttpErrorKind};
use lillux::{Digest, Overflow, StreamLimit};

use super::server::Server;
use super::{get, send};

const MIB: usize = 1024 * 1024;

#[test]
fn a_hundred_megabytes_go_to_a_file() {
    let server = Server::start();
    let path = server.folder().join("big");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    for number in 0..12_500_000_u64 {
        file.write_all(&number.to_le_bytes()).unwrap();
    }
    file.into_inner().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let limit = StreamLimit { memory: MIB, overflow: Overflow::Spool(folder.path().to_owned()) };
    let outcome = send(&get(&server.url("/big")).response_limit(limit)).unwrap();
    let spool = outcome.body.spool.as_ref().unwrap();
    let expect = Digest::of_reader(File::open(&path).unwrap()).unwrap();
    assert_eq!((spool.digest, outcome.body.total), (expect, 100_000_000));
    assert_eq!(Digest::of_reader(File::open(&spool.path).unwrap()).unwrap(), expect);
    assert_eq!((outcome.body.bytes.len(), outcome.ending), (MIB, HttpEnding::Complete));
}

#[test]
fn an_endless_body_is_stopped() {
    let server = Server::start();
    let limit = StreamLimit { memory: 1000, overflow: Overflow::Stop };
    let outcome = send(&get(&server.url("/endless")).response_limit(limit)).unwrap();
    assert_eq!((outcome.status, outcome.ending), (200, HttpEnding::LimitExceeded));
    assert_eq!(outcome.body.bytes, [b'x'; 1000]);
    assert!(outcome.body.is_truncated());
}

#[test]
fn a_truncated_body_is_counted_to_its_end() {
    let server = Server::start();
    std::fs::write(server.folder().join("file"), vec![b'y'; MIB]).unwrap();
    let outcome = send(&get(&server.url("/file")).response_limit(StreamLimit::truncate(10))).unwrap();
    assert_eq!((outcome.body.bytes.as_slice(), outcome.body.total), (&[b'y'; 10][..], MIB as u64));
    assert_eq!(outcome.ending, HttpEnding::Complete);
}

#[test]
fn a_body_that_breaks_off_leaves_no_file() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let limit = StreamLimit { memory: 10, overflow: Overflow::Spool(folder.path().to_owned()) };
    let error = send(&get(&server.url("/cut?sends=5000")).response_limit(limit)).unwrap_err();
    assert!(matches!(error.kind(), HttpErrorKind::BodyRead { received: 5000, .. }), "{error:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_spool_that_cannot_be_written_is_an_error() {
    let server = Server::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    let limit = StreamLimit { memory: 1, overflow: Overflow::Spool(file.path().to_owned()) };
    let error = send(&get(&server.url("/echo")).response_limit(limit)).unwrap_err();
    assert!(matches!(error.kind(), HttpErrorKind::Spool { .. }), "{error:?}");
}
