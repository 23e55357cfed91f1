//! The `rye` program as a person or a script meets it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod async_runs;
mod cache;
mod command_line;
mod desktop;
mod doctor;
mod error_codes;
mod execute;
mod execute_runs;
mod extractors;
mod first_steps;
mod graph;
mod help;
mod keys;
mod keys_passphrase;
mod keys_refused;
mod library;
mod load;
mod load_copy;
mod load_refused;
mod load_system;
mod lock;
mod mcp;
mod mcp_client;
mod on_demand;
mod runs;
mod runtimes;
mod search_detail;
mod search_filter;
mod search_nothing;
mod search_query;
mod secrets;
mod secrets_keyring;
mod shadowing;
mod shell_texts;
mod sign;
mod sign_forms;
mod space;
mod spaces;
mod starter;
mod terminal;
mod test_examples;
mod trust;
mod verify;
mod workshop;
