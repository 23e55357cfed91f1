//! The token that whoever calls over HTTP has to know.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use base64ct::{Base64UrlUnpadded, Encoding as _};

/// The shortest token that somebody may have put into the file.
const SHORTEST: usize = 32;

/// A token.
#[derive(Clone)]
pub(super) struct Token(String);

impl Token {
    /// The token of a file, which is made if it is not there. Nobody else can read it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        match File::open(path) {
            Ok(mut file) => {
                let mut text = String::new();
                file.read_to_string(&mut text)?;
                let text = text.trim();
                if text.len() < SHORTEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                    let message = format!("`{}` holds no token: remove it", path.display());
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                file.set_permissions(Permissions::from_mode(0o600))?;
                Ok(Self(text.to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(path),
            Err(error) => Err(error),
        }
    }

    fn make(path: &Path) -> io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let text = Base64UrlUnpadded::encode_string(&bytes);
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        writeln!(file, "{text}")?;
        Ok(Self(text))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a header names this token. How long that takes tells nothing about it.
    pub(super) fn is_in(&self, authorization: &[u8]) -> bool {
        let Some((scheme, token)) = authorization.split_at_checked(7) else { return false };
        let (token, known) = (token.trim_ascii(), self.0.as_bytes());
        let difference = token.iter().zip(known).fold(0, |sum, (one, other)| sum | (one ^ other));
        scheme.eq_ignore_ascii_case(b"bearer ") && token.len() == known.len() && difference == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_stays_and_is_nobody_elses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp/token");
        let token = Token::open(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Token::open(&path).unwrap().as_str(), token.as_str());
        assert!(token.is_in(format!("Bearer {}", token.as_str()).as_bytes()));
        assert!(token.is_in(format!("bearer  {}", token.as_str()).as_bytes()));
        for wrong in ["", "Bearer ", "Bearer x", token.as_str(), &format!("Basic  {}", token.as_str())] {
            assert!(!token.is_in(wrong.as_bytes()), "{wrong}");
        }
        std::fs::write(&path, "short").unwrap();
        assert_eq!(Token::open(&path).err().unwrap().kind(), io::ErrorKind::InvalidData);
    }
}
