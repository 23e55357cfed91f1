//! The programs that agents live in, and whether they know this server.

use rye_engine::EngineSettings;

use super::Check;
use crate::mcp::{ClientState, client_states};

const AREA: &str = "mcp";

pub(super) fn check(settings: &EngineSettings, checks: &mut Vec<Check>) {
    let before = checks.len();
    for (name, path, state) in client_states(settings) {
        let path = path.display();
        let write = format!("run `rye mcp install {name} --write`");
        match state {
            ClientState::Absent => {}
            ClientState::Told => checks.push(Check::good(AREA, format!("{path} names this server"))),
            ClientState::NotTold => {
                checks.push(Check::warning(AREA, format!("{path} does not name this server"), write));
            }
            ClientState::ToldOtherwise => {
                let message =
                    format!("{path} names a `rye` that is not this one, or is called in another way");
                let hint = format!("run `rye mcp install {name}` to see what it should be");
                checks.push(Check::warning(AREA, message, hint));
            }
            ClientState::Unreadable(reason) => {
                let hint = format!("run `rye mcp install {name}` to see what it should have");
                checks.push(Check::warning(AREA, format!("{path} cannot be read: {reason}"), hint));
            }
        }
    }
    if checks.len() == before {
        let hint = "run `rye mcp install` to see how to tell one";
        checks.push(Check::warning(AREA, "no client of this project or user is configured", hint));
    }
}
