//! Programs of all kinds, warm and cold, with the helpers of the bundle: what comes of them is the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lillux::process::RunRequest;
use regex::Regex;
use rye_metadata::metadata::WorkerMode;
use rye_metadata::read_data_file;
use rye_plan::{ProcessPlan, VariableNames, WorkerPlan, WorkerStart};
use rye_run::mask::Mask;
use rye_run::runner::{HttpSender, Outcome, RunContext, Start, WarmSource, run};
use rye_run::secrets::SecretValues;
use rye_run::workers::{BorrowLimits, Borrower, ColdReason, Lender, PoolLimits, WorkerPool};
use serde_json::Value;
use tempfile::TempDir;

use super::bench::{element, plan, start};

/// A language, with what is kept ready for its programs.
struct Language {
    program: String,
    /// Its runtime in the bundle, without the extension.
    runtime: &'static str,
    env: Vec<(&'static str, String)>,
    /// Where its programs run; each in a folder of its own, if nothing is said.
    cwd: Option<PathBuf>,
    pool: Arc<WorkerPool>,
    /// What lends that to others, of which we are one.
    lent: Option<(Lender, Borrower, TempDir)>,
}

/// What came of a program, as far as it can be compared.
#[derive(Debug, PartialEq, Eq)]
struct Result {
    failure: String,
    output: String,
    errors: String,
}

fn bundle(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundle/.ai/tools/rye/core/runtimes").join(below)
}

fn corpus(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/warm_corpus").join(below).canonicalize().unwrap()
}

/// The programs of a folder, in order.
fn programs(folder: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(corpus(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|own| extensions.iter().any(|one| own == *one)));
    found.sort();
    assert!(found.len() > 15, "{found:?}");
    found
}

/// What an interpreter says where it is. What is on the path may be a shim, which starts another one.
fn interpreter(name: &str, code: &[&str]) -> String {
    let request = RunRequest::new(name).args(code.iter().copied()).envs(std::env::vars_os());
    let outcome = lillux::process::run(&request).unwrap();
    String::from_utf8(outcome.stdout.bytes).unwrap().trim().to_owned()
}

impl Language {
    fn new(program: &str, runtime: &'static str, env: Vec<(&'static str, String)>) -> Self {
        let limits = PoolLimits { patience: Duration::from_mins(1), ..PoolLimits::default() };
        Self {
            program: program.to_owned(),
            runtime,
            env,
            cwd: None,
            pool: Arc::new(WorkerPool::new(limits)),
            lent: None,
        }
    }

    /// The same with processes that are borrowed.
    fn borrowed(mut self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lender = Lender::open(&folder.path().join("workers"), Arc::clone(&self.pool)).unwrap();
        let limits = BorrowLimits { lender: Duration::from_mins(1), process: Duration::from_mins(1) };
        let borrower = Borrower::find(&folder.path().join("workers"), limits).unwrap();
        self.lent = Some((lender, borrower, folder));
        self
    }

    fn source(&self) -> WarmSource<'_> {
        match &self.lent {
            None => WarmSource::Own(&self.pool, None),
            Some((_, borrower, _)) => WarmSource::Others(borrower),
        }
    }

    fn runtime(&self) -> Value {
        let name = format!("{}.yaml", self.runtime);
        read_data_file(&name, &fs::read(bundle(&name)).unwrap()).unwrap().unwrap()
    }

    fn worker(&self) -> WorkerPlan {
        let worker = self.runtime()["worker"].clone();
        let names = |key: &str| -> Vec<String> { serde_json::from_value(worker[key].clone()).unwrap() };
        let mode = match worker["mode"].as_str().unwrap() {
            "fork" => WorkerMode::Fork,
            _ => WorkerMode::Oneshot,
        };
        let helper = worker["helper"].as_str().unwrap().strip_prefix("rye/core/runtimes/").unwrap();
        let extension = if mode == WorkerMode::Fork { "py" } else { "cjs" };
        let helper = bundle(&format!("{helper}.{extension}")).canonicalize().unwrap();
        let args =
            names("args").into_iter().map(|arg| arg.replace("{helper_path}", helper.to_str().unwrap()));
        let args = args.collect();
        WorkerPlan {
            mode,
            helper: Some(element(&helper).into()),
            keyed_by: VariableNames::new(&names("keyed_by"), &names("except")).into(),
            spares: 2,
            idle: Duration::from_mins(5),
            start: Some(WorkerStart { args, ..start(&self.program, &helper) }),
        }
    }

    fn execute(&self, args: &[String], is_warm: bool) -> Outcome {
        // What one run leaves behind must not be there for the other.
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().join("here");
        fs::create_dir(&here).unwrap();
        let cwd = self.cwd.clone().unwrap_or(here);
        let stdin = br#"{"a": 1, "text": "some words"}"#.to_vec();
        let process = ProcessPlan { program: self.program.clone(), args: args.to_vec(), cwd, stdin };
        let env: Vec<_> = self.env.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut plan = plan(process, &env, Some(self.worker()));
        let context = RunContext {
            secrets: &SecretValues::default(),
            mask: &Mask::default(),
            cancel: None,
            output_folder: folder.path().join("output"),
            memory: 32 << 20,
            http: &HttpSender::default(),
            workers: is_warm.then(|| self.source()),
            sessions: None,
            standby: None,
        };
        let mut outcome = run(&mut plan, &context, &mut |_| {}).unwrap();
        if outcome.start == Start::Warm {
            outcome.remains.take().into_iter().for_each(|remains| self.pool.bury(remains));
        }
        // The folder of each run has a name of its own.
        let own = folder.path().to_str().unwrap().to_owned();
        for stream in [&mut outcome.output, &mut outcome.errors] {
            stream.bytes = String::from_utf8_lossy(&stream.bytes).replace(&own, "FOLDER").into_bytes();
        }
        outcome
    }

    /// Runs a program until it has started warm, or was declined.
    fn warm(&self, args: &[String]) -> Outcome {
        let until = Instant::now() + Duration::from_mins(2);
        loop {
            let outcome = self.execute(args, true);
            match &outcome.start {
                Start::Warm | Start::Borrowed { .. } | Start::ColdInstead(ColdReason::Declined { .. }) => {
                    return outcome;
                }
                other => assert!(Instant::now() < until, "{args:?}: {other:?}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Has processes wait for the same program once more, for so long that they have done for it what they can.
    fn expect(&self, args: &[String]) {
        let until = Instant::now() + Duration::from_mins(1);
        // Those that are ready have seen other programs as examples.
        for _ in 0..2 {
            self.warm(args);
            while self.pool.ready() < 2 {
                assert!(Instant::now() < until);
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        std::thread::sleep(Duration::from_millis(200));
    }

    /// Holds the warm run of each program against the cold one. Gives those that were declined.
    fn compare(&self, programs: &[PathBuf], args: impl Fn(&str) -> Vec<String>) -> Vec<String> {
        let mut declined = Vec::new();
        for program in programs {
            let args = args(program.to_str().unwrap());
            let (cold, warm) = (self.execute(&args, false), self.warm(&args));
            if matches!(warm.start, Start::ColdInstead(_)) {
                declined.push(format!("{}: {:?}", program.file_stem().unwrap().display(), warm.start));
            }
            assert_eq!(Result::of(&warm), Result::of(&cold), "{}", program.display());
        }
        declined
    }
}

impl Result {
    fn of(outcome: &Outcome) -> Self {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            // Addresses, and the numbers of processes, threads and tasks.
            let patterns = [
                (r"0x[0-9a-f]{6,}", "ADDRESS"),
                (r"\(node:\d+\)", "(node:N)"),
                (r"started( daemon)? \d+", "started N"),
                (r"Task-\d+", "Task-N"),
                (r"Thread-\d+", "Thread-N"),
            ];
            patterns.iter().fold(text.into_owned(), |text, (pattern, word)| {
                Regex::new(pattern).unwrap().replace_all(&text, *word).into_owned()
            })
        };
        Self {
            failure: format!("{:?} {:?}", outcome.failure, outcome.exit_code),
            output: text(&outcome.output.bytes),
            errors: text(&outcome.errors.bytes),
        }
    }
}

fn python() -> Language {
    let path = corpus("python/beside").to_str().unwrap().to_owned();
    let env = vec![
        ("PYTHONPATH", path),
        ("PYTHONUNBUFFERED", "1".to_owned()),
        ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        ("PYTHONSAFEPATH", "1".to_owned()),
        ("HOME", "/".to_owned()),
    ];
    Language::new(
        &interpreter("python3", &["-c", "import sys; print(sys.executable)"]),
        "python/function",
        env,
    )
}

fn node() -> Language {
    let path = corpus("node").to_str().unwrap().to_owned();
    Language::new(&interpreter("node", &["-p", "process.execPath"]), "node/node", vec![("NODE_PATH", path)])
}

fn compare_python_programs(language: &Language) {
    let programs = programs("python/script", &["py"]);
    let declined = language
        .compare(&programs, |file| [file, "--project-path", "/some/project"].map(str::to_owned).to_vec());
    for name in &declined {
        assert!(name.contains("syntax") || name.contains("indentation"), "{declined:?}");
    }
}

fn compare_python_functions(language: &Language) {
    let loader = language.runtime()["config"]["args"][1].as_str().unwrap().to_owned();
    let programs = programs("python/function", &["py"]);
    let declined = language.compare(&programs, |file| {
        ["-c", &loader, file, "/original/tool.py", "/some/project"].map(str::to_owned).to_vec()
    });
    assert!(declined.is_empty(), "{declined:?}");
}

fn compare_node_programs(language: &Language) {
    let programs = programs("node", &["js", "cjs", "mjs"]);
    let declined = language
        .compare(&programs, |file| [file, "--project-path", "/some/project"].map(str::to_owned).to_vec());
    assert!(declined.is_empty(), "{declined:?}");
}

#[test]
fn python_programs() {
    compare_python_programs(&python());
}

#[test]
fn python_functions() {
    compare_python_functions(&python());
}

#[test]
fn node_programs() {
    compare_node_programs(&node());
}

#[test]
fn python_programs_in_borrowed_processes() {
    compare_python_programs(&python().borrowed());
}

#[test]
fn python_functions_in_borrowed_processes() {
    compare_python_functions(&python().borrowed());
}

#[test]
fn node_programs_in_borrowed_processes() {
    compare_node_programs(&node().borrowed());
}

#[test]
fn a_way_round_to_an_interpreter_leads_to_the_same() {
    let mut language = python();
    let (folder, name) = language.program.rsplit_once('/').unwrap();
    let last = folder.rsplit('/').next().unwrap();
    language.program = format!("{folder}/../{last}/{name}");
    let code = "import sys; print(sys.executable, sys.orig_argv, sys.prefix, sys.path)";
    let declined = language.compare(&["-".into()], |_| ["-c", code].map(str::to_owned).to_vec());
    assert!(declined.is_empty(), "{declined:?}");
}

/// Makes a run another one than was expected.
type Change<'a> = &'a dyn Fn(&mut Language);

/// Prints what a program can know about how it was started.
const TELLS: &str = "import sys
print(sys.argv, sys.orig_argv, sys.path, list(sys.path_importer_cache), list(sys.modules), sep='\\n')
import json, os, posix, site, subprocess
print(os.getcwd(), os.environ, posix.environ, site.USER_SITE, json.__file__, sorted(globals()), sep='\\n')
print(subprocess.run(['/usr/bin/env'], stdout=-1).stdout.decode())";

#[test]
fn what_was_expected_runs_as_itself_and_anything_else_has_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    // What is in a folder that has just changed is not taken for granted.
    for path in [&one, &other] {
        fs::create_dir(path).unwrap();
        let long_ago = std::time::SystemTime::now() - Duration::from_hours(1);
        fs::File::open(path).unwrap().set_modified(long_ago).unwrap();
    }
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let args = |last: &str| ["-c", TELLS, last].map(str::to_owned).to_vec();
    let mut language = python();
    language.env[0].1 = text(&one);
    let changes: [(&str, Change<'_>); 7] = [
        ("expected", &|_| {}),
        ("expected", &|language| language.cwd = Some(other.clone())),
        ("expected", &|language| language.env[0].1 = text(&other)),
        ("expected", &|language| drop(language.env.remove(0))),
        ("expected", &|language| language.env[4].1 = text(&other)),
        ("expected", &|language| language.env.push(("ANOTHER", "value".to_owned()))),
        ("other", &|_| {}),
    ];
    for (last, change) in changes {
        let usual = language.env.clone();
        language.cwd = Some(one.clone());
        language.expect(&args("expected"));
        change(&mut language);
        let warm = language.execute(&args(last), true);
        assert_eq!(warm.start, Start::Warm);
        assert_eq!(Result::of(&warm), Result::of(&language.execute(&args(last), false)));
        language.env = usual;
    }
    language.cwd = Some(one.clone());
    language.expect(&args("expected"));
    fs::write(one.join("sitecustomize.py"), "print('customised')").unwrap();
    let outcome = language.execute(&args("expected"), true);
    assert!(outcome.output.bytes.starts_with(b"customised"), "{outcome:?}");
}

/// The first line of a program may have run before the rest of it is wanted.
/// A folder with files that were there long ago, so that what is in it counts as known.
fn old_folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let long_ago = std::time::SystemTime::now() - Duration::from_hours(1);
    fs::File::open(folder.path()).unwrap().set_modified(long_ago).unwrap();
    folder
}

/// Python with a folder on its search path.
fn python_that_searches(folder: &Path) -> Language {
    let mut language = python();
    folder.to_str().unwrap().clone_into(&mut language.env[0].1);
    language.cwd = Some(folder.to_owned());
    language
}

/// Runs what is expected, in an environment that is not the expected one.
fn expect_the_same(language: &mut Language, args: &[String]) {
    let usual = language.env.clone();
    language.expect(args);
    language.env.push(("ANOTHER", "value".to_owned()));
    let warm = language.execute(args, true);
    assert_eq!(warm.start, Start::Warm, "{args:?}");
    assert_eq!(Result::of(&warm), Result::of(&language.execute(args, false)), "{args:?}");
    language.env = usual;
}

const OTHER_CSV: (&str, &str) = ("csv.py", "import os\nFOUND = os.environ.get('ANOTHER')\n");

#[test]
fn imports_ahead_change_nothing() {
    let folder = old_folder(&[OTHER_CSV]);
    let mut language = python_that_searches(folder.path());
    for code in [
        "import json, re, sys\nprint(list(sys.modules), __doc__, sorted(globals()))",
        "import sys\nimport json\n'a text'\nprint(__doc__, list(sys.modules))",
        "import urllib.request, sys\nfrom json import loads\nraise ValueError(sorted(globals()))",
        // Not the module of the library: it runs in its own time.
        "import sys, csv\nprint(csv.FOUND, list(sys.modules))",
    ] {
        expect_the_same(&mut language, &["-c", code].map(str::to_owned));
    }
}

/// What a runtime does that calls a tool which is a module, and may have been compiled ahead.
const CALLS_A_TOOL: &str = r#"
import sys
path, source = sys.argv[1:3]
folder, _, name = path.rpartition("/")
with open(path, "rb") as file:
    text = file.read()
sys.path.insert(0, folder)
code = globals().pop("__compiled__", {}).get((text, source)) or compile(text, source, "exec")
name = name[:-3]
module = sys.modules[name] = type(sys)(name)
exec(code, vars(module))
print(list(sys.modules), [key for key, value in sys.modules.items() if value is None])
"#;

#[test]
fn imports_of_a_tool_ahead_change_nothing() {
    let tools = [
        ("plain.py", "import re, pathlib\nimport sys"),
        (
            "said.py",
            "'A tool'\n__version__ = '1'\nNAMES = {'a': [1, (2,)]}\nfrom re import match\nimport shlex",
        ),
        ("parts.py", "from concurrent import futures\nimport shlex"),
        ("parent.py", "from collections import Counter\nfrom os import path\nimport urllib.request, shlex"),
        ("other.py", "import shlex, csv, glob\nprint(csv.FOUND)"),
        (
            "absent.py",
            "import shlex\ntry:\n    import nowhere\nexcept ImportError:\n    import glob\nimport csv",
        ),
        (
            "acts.py",
            "import sys\nsys.modules['shlex'] = None\ntry:\n    import shlex\nexcept ImportError:\n    import glob",
        ),
        ("itself.py", "import shlex\nimport itself\nassert itself.shlex is shlex"),
        ("json.py", "import shlex"),
        ("async_io.py", "import shlex, asyncio"),
    ];
    let folder = old_folder(&[tools.as_slice(), &[OTHER_CSV]].concat());
    let elsewhere = old_folder(&[]);
    for searched in [folder.path(), elsewhere.path()] {
        let mut language = python_that_searches(searched);
        for (name, _) in tools {
            let path = folder.path().join(name).to_str().unwrap().to_owned();
            let args = ["-c".to_owned(), CALLS_A_TOOL.to_owned(), path, name.to_owned()];
            expect_the_same(&mut language, &args);
        }
    }
}
