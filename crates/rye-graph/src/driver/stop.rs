//! Why a driver has stopped.

use crate::{Finish, Question};

/// Why a driver has stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// The run is over.
    Finished(Finish),
    /// Nothing can be done until these questions are answered.
    Waiting(Vec<Question>),
    /// The run is paused, and nothing is under way.
    Paused,
    /// The driver was told to stop. What was under way was ended, and the run can go on at another time.
    Interrupted,
}

/// What a driver does when nothing is left to do but to wait for a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patience {
    /// It stops. The run goes on when somebody has answered and drives it again.
    #[default]
    Stop,
    /// It waits.
    Wait,
}
