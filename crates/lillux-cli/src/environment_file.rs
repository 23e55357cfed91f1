//! An environment in a JSON file. Errors do not repeat its values, which are secret.

use lillux::envelope::SecretEnvironment;

use crate::code::Code;
use crate::failure::Failure;
use crate::input::InputSource;

/// A file that holds something else.
#[derive(Debug, thiserror::Error)]
#[error("{input} is not an environment")]
struct NotAnEnvironment {
    input: InputSource,
    #[source]
    source: serde_json::Error,
}

/// Reads a JSON object whose values are strings.
pub(crate) fn read(input: &InputSource) -> Result<SecretEnvironment, Failure> {
    SecretEnvironment::from_json(&input.read()?).map_err(|source| {
        let error = NotAnEnvironment { input: input.clone(), source };
        Failure::new(Code::NotAnEnvironment, &error)
    })
}
