//! What holds for every mode.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lillux::keys::SigningKey;
use rustix::process::{Pid, Signal, kill_process};
use rye_engine::{Engine, ExecuteRequest, Executed, SignRequest};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use rye_run::runner::{Failure, Outcome, Start};
use rye_run::workers::ColdReason;
use serde_json::{Value, json};

use crate::tree::Tree;

/// Tools in one language.
#[derive(Clone, Copy)]
pub(super) struct Language {
    pub(super) extension: &'static str,
    pub(super) header: &'static str,
    /// Answers with `WORD` and the parameter `name`.
    pub(super) greets: &'static str,
    /// Exits with 7.
    pub(super) fails: &'static str,
    /// Starts a sleep of `name` that leaves its session, and does not end.
    pub(super) hangs: &'static str,
}

/// A warm engine and a cold one for the same project.
pub(super) struct Warm {
    language: Language,
    tree: Tree,
    key: SigningKey,
    cold: Engine,
    engine: Engine,
}

impl Warm {
    pub(super) fn new(language: Language) -> Self {
        let tree = Tree::new();
        let (cold, key) = tree.trusted();
        let engine = tree.warm_engine();
        let new = Self { language, tree, key, cold, engine };
        new.write("greets", &language.greets.replace("WORD", "hello"));
        new.write("fails", language.fails);
        new.write("hangs", language.hangs);
        new
    }

    /// Writes and signs a tool.
    pub(super) fn write(&self, name: &str, code: &str) {
        let Language { extension, header, .. } = self.language;
        self.tree.write(&format!("project/.ai/tools/{name}.{extension}"), format!("{header}{code}"));
        let request = SignRequest { pattern: name.to_owned(), kind: None, space: None };
        let report = self.cold.sign(&request, &self.key, &|_| {}).unwrap();
        assert!(report.items.iter().all(|item| item.result.is_ok()), "{report:?}");
    }

    /// Gives the project an environment of its own for Python, which runs a line of code at every start. Returns the folder
    /// of its packages.
    #[expect(clippy::disallowed_methods, reason = "the world around the tested program")]
    pub(super) fn make_python_environment(&self, line: &str) -> PathBuf {
        let folder = self.tree.path("project/.venv");
        let code = "import sys, sysconfig, venv; venv.create(sys.argv[1]); \
                    print(sysconfig.get_path('purelib', 'venv', {'base': sys.argv[1]}))";
        let mut command = std::process::Command::new("/usr/bin/python3");
        let output = command.args(["-c", code]).arg(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let packages = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim_end());
        fs::write(packages.join("made.pth"), format!("{line}\n")).unwrap();
        self.cold.trust_project().unwrap();
        packages
    }

    pub(super) fn execute(&self, id: &str, parameters: &Value, timeout: Option<Duration>) -> Outcome {
        run(&self.engine, id, parameters, timeout)
    }

    /// Calls until something is ready.
    pub(super) fn warm_up(&self) {
        self.until_warm("greets", &json!({ "name": "x" }));
    }

    pub(super) fn until_warm(&self, id: &str, parameters: &Value) -> Outcome {
        self.until(id, parameters, |start| *start == Start::Warm)
    }

    /// Calls until the helper declines, and returns why it did.
    pub(super) fn declined(&self, id: &str, parameters: &Value) -> (Outcome, String) {
        let declined = |start: &Start| matches!(start, Start::ColdInstead(ColdReason::Declined { .. }));
        let outcome = self.until(id, parameters, declined);
        let Start::ColdInstead(reason) = &outcome.start else { unreachable!() };
        let why = reason.to_string();
        (outcome, why)
    }

    fn until(&self, id: &str, parameters: &Value, wanted: impl Fn(&Start) -> bool) -> Outcome {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let outcome = self.execute(id, parameters, None);
            if wanted(&outcome.start) {
                return outcome;
            }
            assert_ne!(outcome.start, Start::Cold, "the runtime has no worker");
            assert!(Instant::now() < until, "{outcome:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn equals_cold(&self) {
        let parameters = json!({ "name": "wörld" });
        let cold = run(&self.cold, "greets", &parameters, None);
        assert_eq!(cold.start, Start::Cold);
        assert!(String::from_utf8_lossy(&cold.output.bytes).contains("hello wörld"), "{cold:?}");
        let warm = self.until_warm("greets", &parameters);
        assert_eq!((&warm.output, &warm.errors), (&cold.output, &cold.errors));
        assert_eq!((warm.failure, warm.exit_code), (None, Some(0)));
        assert_eq!(warm.containment, cold.containment);
        let warm = self.until_warm("fails", &json!({}));
        assert_eq!((warm.failure, warm.exit_code), (Some(Failure::Exit { code: 7 }), Some(7)));
        // An engine that keeps nothing ready says the same about the chain.
        let request = request("greets", &parameters, None);
        let (report, _) = self.cold.execute(&request, None, &mut |_| {}).unwrap();
        assert_eq!(report.helper, self.engine.execute(&request, None, &mut |_| {}).unwrap().0.helper);
        assert!(report.helper.is_some());
    }

    pub(super) fn sees_changes(&self) {
        for word in ["hello", "good day", "so long"] {
            self.write("greets", &self.language.greets.replace("WORD", word));
            let warm = self.until_warm("greets", &json!({ "name": "you" }));
            assert!(String::from_utf8_lossy(&warm.output.bytes).contains(&format!("{word} you")), "{warm:?}");
        }
    }

    pub(super) fn recovers(&self) {
        self.warm_up();
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            for pid in self.helpers() {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
            let outcome = self.execute("greets", &json!({ "name": "you" }), None);
            assert!(outcome.failure.is_none(), "{outcome:?}");
            if matches!(outcome.start, Start::ColdInstead(_)) {
                break;
            }
            // Another one was made meanwhile, or was not seen yet.
            assert!(Instant::now() < until, "{outcome:?}");
        }
        self.warm_up();
    }

    pub(super) fn ends_in_time(&self) {
        let name = format!("40{}.25", std::process::id());
        self.warm_up();
        let limit = Duration::from_secs(1);
        loop {
            let outcome = self.execute("hangs", &json!({ "name": name }), Some(limit));
            assert_eq!(outcome.failure, Some(Failure::TimedOut { limit }), "{outcome:?}");
            assert_eq!(processes_with(&name), Vec::<i32>::new());
            if outcome.start == Start::Warm {
                break;
            }
        }
    }

    pub(super) fn serves_many(&self) {
        self.warm_up();
        std::thread::scope(|scope| {
            let call = |number: usize| {
                move || self.execute("greets", &json!({ "name": format!("<{number}>") }), None)
            };
            let threads: Vec<_> = (0..32).map(|number| scope.spawn(call(number))).collect();
            for (number, thread) in threads.into_iter().enumerate() {
                let outcome = thread.join().unwrap();
                let text = String::from_utf8_lossy(&outcome.output.bytes).into_owned();
                assert!(
                    outcome.failure.is_none() && text.contains(&format!("hello <{number}>")),
                    "{outcome:?}"
                );
            }
        });
    }

    pub(super) fn leaks_nothing(self) {
        self.warm_up();
        let calls = |count: usize| {
            for number in 0..count {
                let outcome = self.execute("greets", &json!({ "name": number.to_string() }), None);
                assert!(outcome.failure.is_none(), "{outcome:?}");
            }
        };
        calls(20);
        let before = own_sockets();
        calls(300);
        // Other tests of this process have some open too, but none of them has hundreds.
        assert!(own_sockets() < before + 150, "{before} before, {} after", own_sockets());
        let cache = self.tree.path("cache");
        drop(self.engine);
        assert_eq!(processes_with(cache.to_str().unwrap()), Vec::<i32>::new());
    }

    /// The processes that run a helper: its copy is in the cache of this tree.
    fn helpers(&self) -> Vec<i32> {
        processes_with(self.tree.path("cache/bundle").to_str().unwrap())
    }
}

fn request(id: &str, parameters: &Value, timeout: Option<Duration>) -> ExecuteRequest {
    let item = ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap());
    let parameters = Parameters::parse(parameters.to_string()).unwrap();
    ExecuteRequest { parameters, timeout, ..ExecuteRequest::new(item) }
}

fn run(engine: &Engine, id: &str, parameters: &Value, timeout: Option<Duration>) -> Outcome {
    let (report, _) = engine.execute(&request(id, parameters, timeout), None, &mut |_| {}).unwrap();
    match report.result {
        Executed::Run { outcome, .. } => *outcome,
        Executed::Text(text) => panic!("{text}"),
    }
}

/// How many sockets and pipes this process has open.
fn own_sockets() -> usize {
    let links =
        fs::read_dir("/proc/self/fd").unwrap().flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter(|link| !link.starts_with("/")).count()
}

/// Live processes with this in their command line.
fn processes_with(marker: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(marker) {
            found.extend(entry.file_name().to_string_lossy().parse::<i32>());
        }
    }
    found
}
