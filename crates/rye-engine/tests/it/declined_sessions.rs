//! Calls that a connection was to do, and does not: what runs in its place is what was verified.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lillux::process::{Channel, Ending};
use rye_engine::{Engine, EngineSettings, ExecuteRequest, Executed, Lifetime, SignRequest, Warm};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_run::runner::Start;
use rye_run::sessions::{SessionEvent, SessionJob, SessionOutcome, Sessions};
use rye_run::workers::ColdReason;

use crate::tree::Tree;

const RUNTIME: &str = "version: 1.0.0\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\n\
    description: Shows a file\nconfig: {command: /bin/cat, args: [\"{tool_path}\"]}\nworker: {mode: session}\n";
const TOOL: &str = "version: 1.0.0\ntool_type: tool\nexecutor_id: my/runtime\ndescription: the file itself\n";

/// A connection that does so many jobs, and then no more.
#[derive(Debug)]
struct Weary {
    left: AtomicUsize,
}

impl Sessions for Weary {
    fn run(
        &self,
        job: &SessionJob<'_>,
        events: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<SessionOutcome, ColdReason> {
        assert_eq!(job.copies.len(), 1);
        let is_left = |left: usize| left.checked_sub(1);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_left).is_err() {
            return Err(ColdReason::Declined { why: "it is weary".to_owned() });
        }
        events(SessionEvent::Output { channel: Channel::Stdout, bytes: b"over a connection" });
        Ok(SessionOutcome { ending: Ending::Exited { code: 0 }, containment: None, opened: None })
    }
}

#[test]
fn a_copy_that_was_only_named_is_compared_before_it_runs() {
    const JOBS: usize = 6;
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    tree.write("project/.ai/tools/my/runtime.yaml", RUNTIME);
    tree.write("project/.ai/tools/my/tool.yaml", TOOL);
    for pattern in ["my/runtime", "my/tool"] {
        let request = SignRequest { pattern: pattern.to_owned(), kind: None, space: None };
        let report = engine.sign(&request, &key, &|_| {}).unwrap();
        assert!(report.items.iter().all(|item| item.result.is_ok()), "{report:?}");
    }
    let engine = Engine::new(EngineSettings {
        warm: Warm::Pool(Arc::default()),
        sessions: Some(Arc::new(Weary { left: AtomicUsize::new(JOBS) })),
        ..tree.engine_with_cache(Lifetime::Long).settings().clone()
    });
    let request = ExecuteRequest::new(ItemRef::new(ItemKind::Tool, ItemId::new("my/tool").unwrap()));
    let run = || {
        let (report, record) = engine.execute(&request, None, &mut |_| {}).unwrap();
        record.write().unwrap();
        let copy = report.plan.unwrap().copy.unwrap();
        let Executed::Run { outcome, .. } = report.result else { panic!("it is no run") };
        (String::from_utf8(outcome.output.bytes.clone()).unwrap(), outcome.start, copy)
    };
    let mut compared = 0;
    let mut path = None;
    for _ in 0..JOBS {
        let (output, start, copy) = run();
        assert_eq!((output.as_str(), start), ("over a connection", Start::Warm));
        compared += usize::from(copy.is_compared);
        path = Some(copy.tool);
    }
    assert!(compared < JOBS, "it was compared each time");
    // Somebody else writes to the copy, which nobody has looked at since.
    let path = path.unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    fs::write(&path, "something else").unwrap();
    let (output, start, copy) = run();
    assert!(copy.is_compared);
    assert!(matches!(start, Start::ColdInstead(ColdReason::Declined { .. })), "{start:?}");
    assert!(output.ends_with(TOOL), "{output}");
    // There is one record for each call.
    let runs = engine.runs(&rye_run::journal::RunFilter::default()).unwrap();
    assert_eq!(runs.len(), JOBS + 1);
}
