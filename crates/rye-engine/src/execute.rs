//! Executing an item, and explaining what that would do.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::SystemClock;
use lillux::process::Mechanism;
use rye_env::{ProcessEnvironment, Project, ResolveCommands};
use rye_item::{ItemKind, ItemRef, Space};
use rye_plan::{
    Action, Chain, ChainDraft, Parameters, Plan, PlanElement, PlanRequest, Surroundings, Workers,
};
use rye_run::journal::RunId;
use rye_run::mask::Mask;
use rye_run::runner::{self, Outcome, RunContext, RunEvent, RunnerError, Start};
use rye_run::secrets::{SecretName, SecretStore, SecretValues};
use rye_run::workers::ColdReason;
use rye_trust::{LeftOut, Signer};

use crate::copies::{Comparing, EngineCopies};
use crate::engine::Call;
use crate::graph::may_destroy;
use crate::items::Items;
use crate::known_chains::EngineSurveys;
use crate::pending_record::PendingRecord;
use crate::text_item;
use crate::trust::Trust;
use crate::{AbsentFile, Engine, EngineError, LockError, absent_file};

/// What to execute.
#[derive(Debug, Clone)]
pub struct ExecuteRequest {
    /// The item.
    pub item: ItemRef,
    /// Its parameters.
    pub parameters: Parameters,
    /// How long it may take, at most as long as the item allows.
    pub timeout: Option<Duration>,
    /// Whether there has to be a lock file.
    pub locked: bool,
    /// Whether an item that says that it may destroy something is refused, because nobody has agreed to that.
    pub only_harmless: bool,
    /// The id of the run, if it has one already.
    pub run_id: Option<RunId>,
    /// Whether somebody has written down that the run begins.
    pub is_begun: bool,
    /// Variables that the run has beside those of our own process.
    pub variables: BTreeMap<String, String>,
}

/// What came of an execution.
#[derive(Debug)]
pub struct ExecuteReport {
    /// The id of the run.
    pub run_id: RunId,
    /// The items of the chain, the one that was asked for first.
    pub chain: Arc<[PlanElement]>,
    /// The extractors that say what those files mean.
    pub extractors: Arc<[PlanElement]>,
    /// What processes run that are kept ready for the chain.
    pub helper: Option<Arc<PlanElement>>,
    /// What describes the server that has the tool.
    pub server: Option<Arc<PlanElement>>,
    /// Files beside the tool that were not there for it.
    pub left_out: Vec<LeftOut>,
    /// Files beside the tool that it may have missed when it failed.
    pub absent: Vec<AbsentFile>,
    /// The lock file that was held against the chain.
    pub lock: Option<PathBuf>,
    /// Everything that was decided, if something ran.
    pub plan: Option<Box<Plan>>,
    /// What came of it.
    pub result: Executed,
}

/// What came of an execution.
#[derive(Debug)]
pub enum Executed {
    /// Something ran.
    Run {
        /// What came of it.
        outcome: Box<Outcome>,
        /// Whether the caller addressed the primitive itself, and gets its raw answer.
        is_direct: bool,
    },
    /// The item is a text.
    Text(String),
}

/// What an execution would do.
#[derive(Debug)]
pub struct Explanation {
    /// The chain as far as it could be followed, and everything that is wrong with it.
    pub chain: ChainDraft,
    /// The plan, or why there is none.
    pub plan: Option<Result<Plan, EngineError>>,
    /// The lock file that the chain fits.
    pub lock: Option<PathBuf>,
}

/// How an execution is tried.
enum Attempt {
    /// By a connection that is kept, if there is one for it.
    First,
    /// Without, since that did nothing, for this reason.
    Declined(ColdReason),
}

impl Attempt {
    fn comparing(&self) -> Comparing {
        match self {
            Self::First => Comparing::Once,
            Self::Declined(_) => Comparing::Always,
        }
    }
}

/// How many bytes of each stream are kept in memory.
const MEMORY: usize = 16 * 1024 * 1024;

impl ExecuteRequest {
    /// Executes an item without parameters.
    #[must_use]
    pub fn new(item: ItemRef) -> Self {
        let parameters = Parameters::default();
        let variables = BTreeMap::new();
        Self {
            item,
            parameters,
            timeout: None,
            locked: false,
            only_harmless: false,
            run_id: None,
            is_begun: false,
            variables,
        }
    }
}

impl Engine {
    /// Executes an item: finds its chain, verifies and validates it, plans, and runs the plan.
    ///
    /// The record of the run is written when the caller says so, after the answer.
    ///
    /// # Errors
    /// If it could not be run. A tool that fails has an outcome.
    pub fn execute(
        &self,
        request: &ExecuteRequest,
        cancel: Option<&CancelToken>,
        events: &mut dyn FnMut(RunEvent<'_>),
    ) -> Result<(ExecuteReport, PendingRecord), EngineError> {
        match self.execute_once(request, cancel, events, Attempt::First) {
            Err(EngineError::Run(RunnerError::NotCompared { reason })) => {
                self.execute_once(request, cancel, events, Attempt::Declined(reason))
            }
            executed => executed,
        }
    }

    fn execute_once(
        &self,
        request: &ExecuteRequest,
        cancel: Option<&CancelToken>,
        events: &mut dyn FnMut(RunEvent<'_>),
        attempt: Attempt,
    ) -> Result<(ExecuteReport, PendingRecord), EngineError> {
        let comparing = attempt.comparing();
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let run_id = request.run_id.unwrap_or_else(|| RunId::generate(&SystemClock));
        let record = PendingRecord::new(self, &call, run_id);
        let record = if request.is_begun { record.begun() } else { record };
        if request.item.kind != ItemKind::Tool {
            return self.execute_text(&call, &trust, request, record);
        }
        let mut plan = match self.plan_to_run(&call, &trust, request, &run_id, comparing) {
            Ok(plan) => plan,
            Err(error) => return Err(record.failed(error)),
        };
        let lock = self.hold_lock(&call, &trust, &plan, request.locked)?;
        let secrets = self.secrets(&plan)?;
        let mask = Mask::new(&secrets)?;
        let cancel = match cancel {
            Some(cancel) => cancel.clone(),
            None => CancelToken::new().map_err(EngineError::NoDescriptor)?,
        };
        let mut record = record.of(&plan, &mask);
        let present = self.memory.witness.at(call.moment);
        let context = RunContext {
            secrets: &secrets,
            mask: &mask,
            cancel: Some(&cancel),
            output_folder: record.output_folder(),
            memory: MEMORY,
            http: &self.http,
            workers: plan.worker.as_ref().and_then(|_| self.warm_source(&present)),
            standby: self.standby.as_deref(),
            sessions: self.settings.sessions.as_deref().filter(|_| comparing == Comparing::Once),
        };
        let mut tell = |event: RunEvent<'_>| {
            match event {
                RunEvent::Started { .. } => record.prepare(),
                RunEvent::GoesOn { since } => record.goes_on(self, &cancel, since),
                _ => {}
            }
            events(event);
        };
        let mut outcome = match runner::run(&mut plan, &context, &mut tell) {
            Ok(outcome) => outcome,
            Err(error @ RunnerError::NotCompared { .. }) => return Err(error.into()),
            Err(error) => return Err(record.failed(error.into())),
        };
        if let (Attempt::Declined(reason), Start::Cold) = (attempt, &outcome.start) {
            outcome.start = Start::ColdInstead(reason);
        }
        let record = record.ended(&mut outcome);
        let report = ExecuteReport {
            run_id,
            chain: Arc::clone(&plan.chain),
            extractors: Arc::clone(&plan.extractors),
            helper: plan.worker.as_ref().and_then(|worker| worker.helper.clone()),
            server: plan.server.clone(),
            left_out: plan.copy.as_ref().map(|copy| copy.left_out.clone()).unwrap_or_default(),
            absent: absent_file::find(&plan, &outcome),
            lock,
            result: Executed::Run { outcome: Box::new(outcome), is_direct: plan.is_direct },
            plan: Some(Box::new(plan)),
        };
        Ok((report, record))
    }

    /// Decides everything about an execution, and does nothing.
    ///
    /// # Errors
    /// If it could not be run.
    pub fn dry_run(&self, request: &ExecuteRequest) -> Result<Plan, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let run_id = RunId::generate(&SystemClock);
        let plan = self.plan(&call, &trust, request, &run_id, Comparing::Always)?;
        self.hold_lock(&call, &trust, &plan, request.locked)?;
        Ok(plan)
    }

    /// Tells what an execution would do, whatever the parameters, and what would stop it.
    ///
    /// # Errors
    /// If there is no such item.
    pub fn explain(&self, request: &ExecuteRequest) -> Result<Explanation, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        let chain = ChainDraft::explore(&request.item, &items)?;
        if !chain.issues.is_empty() || chain.primitive.is_none() {
            return Ok(Explanation { chain, plan: None, lock: None });
        }
        let plan = self.plan_without_parameters(&call, &trust, request);
        let (plan, lock) = match plan {
            Err(error) => (Err(error), None),
            Ok(plan) => match self.hold_lock(&call, &trust, &plan, request.locked) {
                Ok(lock) => (Ok(plan), lock),
                Err(error) => (Err(error), None),
            },
        };
        Ok(Explanation { chain, plan: Some(plan), lock })
    }

    /// The plan of an item whose parameters are not known yet.
    pub(crate) fn plan_without_parameters(
        &self,
        call: &Call,
        trust: &Trust,
        request: &ExecuteRequest,
    ) -> Result<Plan, EngineError> {
        let run_id = RunId::generate(&SystemClock).to_string();
        let parameters = (!request.parameters.is_empty()).then(|| request.parameters.clone());
        let plan_request = PlanRequest { parameters, timeout: request.timeout, run_id: &run_id };
        self.plan_as(call, trust, request, plan_request, Comparing::Always)
    }

    /// The plan of something that is going to run, if it may.
    pub(crate) fn plan_to_run(
        &self,
        call: &Call,
        trust: &Trust,
        request: &ExecuteRequest,
        run_id: &RunId,
        comparing: Comparing,
    ) -> Result<Plan, EngineError> {
        let plan = self.plan(call, trust, request, run_id, comparing)?;
        let names_harm = || {
            let items = Items { call, verifier: trust.verifier(self) };
            may_destroy(&request.item, call, &items)
        };
        if request.only_harmless && (plan.is_destructive || plan.is_graph && names_harm()) {
            return Err(EngineError::NotAgreed { item: request.item.clone() });
        }
        Ok(plan)
    }

    pub(crate) fn plan(
        &self,
        call: &Call,
        trust: &Trust,
        request: &ExecuteRequest,
        run_id: &RunId,
        comparing: Comparing,
    ) -> Result<Plan, EngineError> {
        let run_id = run_id.to_string();
        let parameters = Some(request.parameters.clone());
        let plan_request = PlanRequest { parameters, timeout: request.timeout, run_id: &run_id };
        self.plan_as(call, trust, request, plan_request, comparing)
    }

    fn plan_as(
        &self,
        call: &Call,
        trust: &Trust,
        request: &ExecuteRequest,
        plan_request: PlanRequest<'_>,
        comparing: Comparing,
    ) -> Result<Plan, EngineError> {
        let chain = self.chain(call, trust, &request.item)?;
        let environment = self.environment_with(&request.variables);
        // Only what is done over a connection need not be compared each time.
        let is_connected = self.settings.sessions.is_some() && chain.is_for_session();
        let comparing = if is_connected { comparing } else { Comparing::Always };
        let copies = EngineCopies::new(self, call, trust, comparing);
        self.plan_chain(&copies, &chain, plan_request, (&environment, ResolveCommands::Run))
    }

    /// The plan of a chain whose parameters are not known yet.
    pub(crate) fn plan_of_draft(
        &self,
        call: &Call,
        trust: &Trust,
        draft: ChainDraft,
        commands: ResolveCommands,
    ) -> Result<Plan, EngineError> {
        let run_id = RunId::generate(&SystemClock).to_string();
        let request = PlanRequest { parameters: None, timeout: None, run_id: &run_id };
        let copies = EngineCopies::new(self, call, trust, Comparing::Always);
        self.plan_chain(&copies, &draft.check()?, request, (&self.settings.environment, commands))
    }

    fn environment_with(&self, variables: &BTreeMap<String, String>) -> Cow<'_, ProcessEnvironment> {
        if variables.is_empty() {
            return Cow::Borrowed(&self.settings.environment);
        }
        let own = self.settings.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Cow::Owned(own.chain(variables.iter().map(|(name, value)| (name.into(), value.into()))).collect())
    }

    fn plan_chain(
        &self,
        copies: &EngineCopies<'_>,
        chain: &Chain,
        request: PlanRequest<'_>,
        (process, commands): (&ProcessEnvironment, ResolveCommands),
    ) -> Result<Plan, EngineError> {
        let (call, trust) = (copies.call, copies.trust);
        let user_space = self.user_path();
        let folder = call.spaces.project().path();
        let project = call.project_folder().map(|root| Project { root, trust: trust.as_decided() });
        let surveys = EngineSurveys { engine: self, call, trust };
        // What is looked for in another environment, or not to the end, is another question.
        let is_usual =
            std::ptr::eq(process, &raw const self.settings.environment) && commands == ResolveCommands::Run;
        let is_warm = chain.worker().is_some() && self.starts_warm();
        let surroundings = Surroundings {
            surveys: is_usual.then_some(&surveys),
            process,
            folder,
            project,
            home: self.settings.spaces.home.as_deref(),
            user_space: user_space.as_deref(),
            program: &self.settings.program,
            spaces: &call.spaces,
            commands,
            workers: if is_warm { Workers::Prepared } else { Workers::Shown },
        };
        Ok(Plan::new(chain, request, &surroundings, copies)?)
    }

    /// What takes the secrets that a plan names out of whatever is shown of it. Those that cannot be had cannot show either.
    #[must_use]
    pub fn mask(&self, plan: &Plan) -> Mask {
        let secrets = self.secrets(plan).unwrap_or_default();
        Mask::new(&secrets).unwrap_or_default()
    }

    /// The secrets that a plan names.
    pub(crate) fn secrets(&self, plan: &Plan) -> Result<SecretValues, EngineError> {
        let of_request = match &plan.action {
            Action::Http(request) => request.auth.iter().flat_map(rye_plan::HttpAuth::secrets).collect(),
            Action::Process(_) => Vec::new(),
        };
        let declared = plan.secrets.iter().map(|secret| (secret.name.as_str(), secret.required));
        let names = declared.chain(of_request.into_iter().map(|name| (name, true)));
        let mut required = Vec::new();
        let mut optional = Vec::new();
        for (name, is_required) in names {
            let name = SecretName::new(name)?;
            if is_required { required.push(name) } else { optional.push(name) }
        }
        if required.is_empty() && optional.is_empty() {
            return Ok(SecretValues::default());
        }
        let store =
            SecretStore::open(&self.user_path().ok_or(EngineError::NoUserSpace)?, &self.settings.environment);
        if !optional.is_empty() {
            let known = store.names()?;
            required.extend(optional.into_iter().filter(|name| known.contains(name)));
        }
        Ok(store.get(&required, &plan.chain[0].item)?)
    }

    fn execute_text(
        &self,
        call: &Call,
        trust: &Trust,
        request: &ExecuteRequest,
        record: PendingRecord,
    ) -> Result<(ExecuteReport, PendingRecord), EngineError> {
        if request.locked {
            // A text has no chain, so there is nothing that could be locked.
            return Err(LockError::Missing { item: request.item.clone() }.into());
        }
        let items = Items { call, verifier: trust.verifier(self) };
        let element = items.look_at(call.locate(&request.item, Space::Project)?)?;
        let verified = element.trust.clone().map_err(EngineError::Refused)?;
        let extractor = element.extractor.clone().map_err(EngineError::Refused)?;
        let text = text_item::render(&element, &request.parameters)?;
        let planned = |verified: &rye_trust::Verified| PlanElement {
            item: verified.item().item().clone(),
            space: verified.item().space(),
            version: element.metadata.version.clone(),
            path: verified.item().path().to_owned(),
            digest: verified.content(),
            signer: verified.signer().clone(),
            shadows: element.shadows.clone(),
        };
        let report = ExecuteReport {
            run_id: record.run_id(),
            chain: Arc::new([planned(&verified)]),
            extractors: Arc::new([planned(&extractor)]),
            helper: None,
            server: None,
            left_out: Vec::new(),
            absent: Vec::new(),
            lock: None,
            plan: None,
            result: Executed::Text(text),
        };
        Ok((report, record))
    }
}

impl ExecuteReport {
    /// Items of the chain that run although nobody answers for them.
    pub fn waived(&self) -> impl Iterator<Item = &PlanElement> {
        self.chain
            .iter()
            .chain(self.extractors.iter())
            .chain(self.helper.as_deref())
            .chain(self.server.as_deref())
            .filter(|element| matches!(element.signer, Signer::Waived { .. }))
    }

    /// What to do about files that the tool may have missed when it failed.
    #[must_use]
    pub fn hint_for_absent(&self) -> Option<String> {
        self.plan.as_ref().and_then(|plan| absent_file::hint(plan, &self.absent))
    }

    /// What kept the processes together, if there were any.
    #[must_use]
    pub fn containment(&self) -> Option<Mechanism> {
        match &self.result {
            Executed::Run { outcome, .. } => outcome.containment,
            Executed::Text(_) => None,
        }
    }
}
