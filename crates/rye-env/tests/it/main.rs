//! Environments from real folders: where interpreters are found, what counts in which order, and what never does.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod attacks;
mod dotenv_files;
mod order;
mod resolvers;
mod test_space;
