//! A place where shell commands run, warm or cold.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lillux::{CancelToken, Digest};
use rye_env::{EnvRequest, Places, ProcessEnvironment, ResolveCommands};
use rye_item::Space;
use rye_metadata::metadata::{Secret, WorkerMode};
use rye_plan::{
    Action, Parameters, Plan, PlanElement, Primitive, ProcessPlan, ToolCopy, VariableNames, WorkerPlan,
    WorkerStart,
};
use rye_run::mask::Mask;
use rye_run::runner::{HttpSender, Outcome, RunContext, RunnerError, Start, WarmSource, run};
use rye_run::secrets::SecretValues;
use rye_run::workers::{BorrowLimits, Borrower, Lender, PoolLimits, WorkerPool};
use rye_template::Names;
use rye_trust::Signer;
use tempfile::TempDir;

pub(crate) struct Bench {
    folder: TempDir,
    mode: WorkerMode,
    pub(crate) pool: Arc<WorkerPool>,
    /// Whether runs borrow what the pool has, as another process would.
    pub(crate) borrows: bool,
    pub(crate) spares: usize,
    pub(crate) idle: Duration,
    pub(crate) timeout: Duration,
    /// Secrets with their values, for variables of the same names.
    pub(crate) secrets: Vec<(&'static str, &'static str)>,
}

fn secret(name: &str) -> Secret {
    serde_json::from_value(serde_json::json!({"name": name, "env": name, "required": true})).unwrap()
}

impl Bench {
    pub(crate) fn both() -> [Self; 2] {
        [Self::new(WorkerMode::Oneshot), Self::new(WorkerMode::Fork)]
    }

    pub(crate) fn new(mode: WorkerMode) -> Self {
        Self::with_limits(mode, PoolLimits { patience: Duration::from_secs(30), ..PoolLimits::default() })
    }

    pub(crate) fn with_limits(mode: WorkerMode, limits: PoolLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.py"), include_str!("program.py")).unwrap();
        fs::write(folder.path().join("server.py"), include_str!("server.py")).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        std::os::unix::fs::symlink("/usr/bin/python3", folder.path().join("bin/python")).unwrap();
        Self {
            folder,
            mode,
            pool: Arc::new(WorkerPool::new(limits)),
            borrows: false,
            spares: 2,
            idle: Duration::from_mins(1),
            timeout: Duration::from_secs(30),
            secrets: Vec::new(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The file that the helper is, whose content decides about what is ready.
    pub(crate) fn helper(&self) -> PathBuf {
        self.path(match self.mode {
            WorkerMode::Fork => "server.py",
            WorkerMode::Oneshot | WorkerMode::Session => "program.py",
        })
    }

    /// Runs a shell command.
    pub(crate) fn run(&self, script: &str, env: &[(&str, &str)]) -> Outcome {
        self.run_with(script, env, b"", None)
    }

    pub(crate) fn run_with(
        &self,
        script: &str,
        env: &[(&str, &str)],
        stdin: &[u8],
        cancel: Option<&CancelToken>,
    ) -> Outcome {
        let borrower = self.borrower();
        let source = match &borrower {
            _ if !self.borrows => Some(WarmSource::Own(&self.pool, None)),
            borrower => borrower.as_ref().map(WarmSource::Others),
        };
        self.carry_out(self.plan(script, env, stdin), source, cancel).unwrap()
    }

    /// Runs a shell command that borrows from whom it is told to.
    pub(crate) fn run_from(&self, borrower: &Borrower, script: &str) -> Outcome {
        self.carry_out(self.plan(script, &[], b""), Some(WarmSource::Others(borrower)), None).unwrap()
    }

    /// Runs a shell command in a borrowed process, for which there may be no outcome.
    pub(crate) fn try_run(&self, script: &str) -> Result<Outcome, RunnerError> {
        let borrower = self.borrower().unwrap();
        self.carry_out(self.plan(script, &[], b""), Some(WarmSource::Others(&borrower)), None)
    }

    /// Runs a shell command whose plan was made when the helper had this content.
    pub(crate) fn run_with_helper(&self, script: &str, content: &[u8]) -> Outcome {
        let mut plan = self.plan(script, &[], b"");
        let helper = plan.worker.as_mut().and_then(|worker| worker.helper.as_mut());
        std::sync::Arc::make_mut(helper.unwrap()).digest = Digest::of(content);
        let borrower = self.borrower().unwrap();
        self.carry_out(plan, Some(WarmSource::Others(&borrower)), None).unwrap()
    }

    fn carry_out(
        &self,
        mut plan: Plan,
        workers: Option<WarmSource<'_>>,
        cancel: Option<&CancelToken>,
    ) -> Result<Outcome, RunnerError> {
        let mut secrets = SecretValues::default();
        for (name, value) in &self.secrets {
            secrets.insert(*name, (*value).to_owned().into()).unwrap();
        }
        let context = RunContext {
            secrets: &secrets,
            mask: &Mask::default(),
            cancel,
            output_folder: self.path("output"),
            memory: 1 << 20,
            http: &HttpSender::default(),
            workers,
            sessions: None,
            standby: None,
        };
        let mut outcome = run(&mut plan, &context, &mut |_| {})?;
        if outcome.start == Start::Warm {
            outcome.remains.take().into_iter().for_each(|remains| self.pool.bury(remains));
        }
        Ok(outcome)
    }

    /// Runs a command that has to start warm sooner or later.
    pub(crate) fn run_warm(&self, script: &str, env: &[(&str, &str)]) -> Outcome {
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let outcome = self.run(script, env);
            if matches!(outcome.start, Start::Warm | Start::Borrowed { .. }) {
                return outcome;
            }
            assert!(Instant::now() < until, "{outcome:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Lends what the pool has, and lets runs borrow it.
    pub(crate) fn lend(&mut self) -> Lender {
        self.borrows = true;
        Lender::open(&self.path("workers"), Arc::clone(&self.pool)).unwrap()
    }

    fn borrower(&self) -> Option<Borrower> {
        let limits = BorrowLimits { lender: Duration::from_secs(30), process: Duration::from_secs(30) };
        Borrower::find(&self.path("workers"), limits)
    }

    /// Waits until so many processes are ready.
    pub(crate) fn await_ready(&self, count: usize) {
        // By itself the pool looks again after a minute. Whoever waits here wants it to have been told.
        let until = Instant::now() + Duration::from_secs(30);
        while self.pool.ready() != count {
            assert!(Instant::now() < until, "{} are ready", self.pool.ready());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn plan(&self, script: &str, env: &[(&str, &str)], stdin: &[u8]) -> Plan {
        let helper = self.helper();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        let worker = WorkerPlan {
            mode: self.mode,
            helper: Some(element(&helper).into()),
            keyed_by: VariableNames::new(&names(&["KEY*", "TOKEN"]), &names(&["KEY_FREE"])).into(),
            spares: self.spares,
            idle: self.idle,
            start: Some(start(self.path("bin/python").to_str().unwrap(), &helper)),
        };
        let process = ProcessPlan {
            program: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned(), "zero".to_owned(), "one".to_owned()],
            cwd: self.folder.path().to_owned(),
            stdin: stdin.to_vec(),
        };
        let secrets = self.secrets.iter().map(|(name, _)| secret(name)).collect();
        Plan { timeout: self.timeout, secrets, ..plan(process, env, Some(worker)) }
    }
}

/// A plan that runs a program, which could start warm.
pub(crate) fn plan(process: ProcessPlan, env: &[(&str, &str)], worker: Option<WorkerPlan>) -> Plan {
    let variables: ProcessEnvironment = [("PATH", "/usr/bin:/bin")].iter().chain(env).copied().collect();
    let environment = rye_env::resolve(&EnvRequest {
        process: &variables,
        configs: &[],
        tool_env: &[],
        places: Places { project: None, home: None, user_space: None, names: &Names::new() },
        commands: ResolveCommands::Run,
    });
    Plan {
        chain: [element(Path::new("/dev/null"))].into(),
        extractors: [].into(),
        primitive: Primitive::Execute,
        parameters: Parameters::default(),
        action: Action::Process(process),
        environment: environment.unwrap().into(),
        timeout: Duration::from_mins(2),
        secrets: Vec::new(),
        copy: None,
        worker,
        server: None,
        server_copy: None,
        is_direct: false,
        is_destructive: false,
        is_graph: false,
    }
}

/// A file as it stands in a plan.
pub(crate) fn element(file: &Path) -> PlanElement {
    PlanElement {
        item: crate::tool("test/helper"),
        space: Space::System,
        version: None,
        path: file.to_owned(),
        digest: Digest::of(&fs::read(file).unwrap()),
        signer: Signer::Program,
        shadows: Vec::new(),
    }
}

/// How a helper is started.
pub(crate) fn start(program: &str, helper: &Path) -> WorkerStart {
    let copy = ToolCopy {
        root: helper.parent().unwrap().to_owned(),
        tool: helper.to_owned(),
        has_others: false,
        left_out: Vec::new(),
        snapshot: None,
        content: None,
        is_compared: true,
    };
    WorkerStart { program: program.to_owned(), args: vec![helper.to_str().unwrap().to_owned()], copy }
}
