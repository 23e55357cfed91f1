//! Graphs as a person, a script or an agent meets them.

mod answers;
mod bad_input;
mod damaged;
mod examples;
mod kills;
mod removal;
mod shows;
mod steps;
mod subgraphs;
mod yard;
