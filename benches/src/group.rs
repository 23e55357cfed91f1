//! What is measured and reported together.

use crate::report::Findings;
use crate::{
    Effort, Result, containment, endurance, execute, graph_kills, graphs, growth, machine, mcp, peers,
    process, runtimes, search, trust,
};

/// Something that is measured and reported together.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) measure: fn(Effort) -> Result<Findings>,
    /// Whether the kernel treats root and others differently here.
    pub(crate) depends_on_user: bool,
}

impl Group {
    const fn new(name: &'static str, measure: fn(Effort) -> Result<Findings>) -> Self {
        Self { name, measure, depends_on_user: false }
    }

    const fn for_each_user(name: &'static str, measure: fn(Effort) -> Result<Findings>) -> Self {
        Self { name, measure, depends_on_user: true }
    }
}

pub(crate) const GROUPS: &[Group] = &[
    Group::new("machine", machine::measure),
    Group::for_each_user("process", process::measure),
    Group::for_each_user("containment", containment::measure),
    Group::new("execute", execute::measure),
    Group::for_each_user("runtimes", runtimes::measure),
    // Before the groups that remove many files: some file systems are slow to make others for minutes after that.
    Group::new("peers", peers::measure),
    Group::new("endurance", endurance::measure),
    Group::new("graphs", graphs::measure),
    Group::new("graph-kills", graph_kills::measure),
    Group::new("search", search::measure),
    Group::new("mcp", mcp::measure),
    Group::new("trust", trust::measure),
    Group::new("growth-calls", growth::calls),
    Group::new("growth-files", growth::files),
    Group::new("growth-graphs", growth::graphs),
    Group::new("uptime", growth::uptime),
];
