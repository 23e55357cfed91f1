//! Runs of graphs: beginning one, going on with one, and what others have to say to it.

use lillux::CancelToken;
use lillux::clock::{Clock as _, SystemClock, Timestamp};
use rye_graph::driver::{
    Ancestor, Begin, Driver, Failpoint, GraphJournalErrorKind, GraphRetention, GraphRuns, ListedRun, Loaded,
    Message, Patience, PrunedRuns, Removal, RunHeader, RunJournal, RunStatus, RunSummary, Stop, Told,
};
use rye_graph::{Answer, Finish, Question, QuestionKind};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use rye_run::journal::{Retention, RunId};
use serde_json::{Map, Value};

use super::VerifiedGraph;
use super::steps::EngineSteps;
use crate::{Engine, EngineError, ExecuteRequest};

/// So many graphs may be steps of each other.
pub(super) const DEEPEST: usize = 8;

/// So many runs are kept without being asked for; runs that are not over do not count as old.
const KEPT: usize = 1_000;

/// How a run of a graph begins.
#[derive(Debug, Default)]
pub struct GraphStart {
    /// Its id, if it has one already.
    pub run_id: Option<RunId>,
    /// The only node to walk, and the state that it finds.
    pub node: Option<(String, Map<String, Value>)>,
    /// By what the call is known again, if the graph is a step.
    pub key: Option<String>,
    /// The graphs that it is a step of, the outermost first.
    pub ancestors: Vec<Ancestor>,
    /// Where the process is to end, in tests.
    pub failpoint: Option<Failpoint>,
}

/// How a run of a graph is driven.
#[derive(Debug)]
pub struct DriveRequest {
    /// What stops it for now.
    pub cancel: CancelToken,
    /// What happens when a person has to answer.
    pub patience: Patience,
}

impl Engine {
    /// Begins a run of a graph, or goes on with the one of the same key. A run that came to its end gives that again.
    ///
    /// # Errors
    /// If graphs are steps of each other without end, or there is no place for the journal.
    pub fn begin_graph(&self, graph: &VerifiedGraph, start: GraphStart) -> Result<Loaded, EngineError> {
        let GraphStart { run_id, node, key, ancestors, failpoint } = start;
        let item = graph.item.to_string();
        let is_known = ancestors.iter().any(|ancestor| ancestor.item == item);
        if is_known || ancestors.len() >= DEEPEST {
            let path = ancestors.into_iter().map(|ancestor| ancestor.item).chain([item]).collect();
            return Err(EngineError::GraphCycle { path });
        }
        // A program that is a step may execute graphs of its own, which are other calls than the step itself.
        let key = key.filter(|_| ancestors.last().is_some_and(|last| last.calls.as_ref() == Some(&item)));
        let folders = self.graph_runs()?;
        if let Some(key) = &key
            && let Some(loaded) = go_on(&folders, key, graph)?
        {
            return Ok(loaded);
        }
        let id = run_id.unwrap_or_else(|| RunId::generate(&SystemClock));
        let (node, state) = node.map_or((None, Map::new()), |(node, state)| (Some(node), state));
        if let Some(node) = node.as_ref().filter(|node| graph.graph.node(node).is_none()) {
            return Err(EngineError::NoSuchNode { item: graph.item.clone(), node: node.clone() });
        }
        let header = RunHeader {
            id: id.to_string(),
            item,
            graph: graph.graph.digest(),
            started: SystemClock.now().unix_micros(),
            node,
            key,
            ancestors,
        };
        let begin = Begin { header, inputs: graph.inputs.clone(), state };
        let mut failpoint = failpoint;
        let mut failure = None;
        for folder in folders {
            match folder.begin(&graph.graph, &begin, failpoint.take()) {
                Err(error) if matches!(error.kind(), GraphJournalErrorKind::NotWritable(_)) => {
                    failure = Some(error);
                }
                outcome => {
                    let loaded = outcome?;
                    // Runs that are over do not fill the disk. If they cannot be removed, this one goes on none the less.
                    let _ = folder.prune(&GraphRetention { newest: KEPT, since: None });
                    return Ok(loaded);
                }
            }
        }
        Err(failure.map_or(EngineError::NoUserSpace, EngineError::from))
    }

    /// Takes up a run where it is. Its graph is found and verified again, and has to be the same.
    ///
    /// # Errors
    /// If there is no such run, it is over, another process drives it, or the graph may not run or has changed.
    pub fn resume_graph(&self, id: &str) -> Result<(VerifiedGraph, Loaded), EngineError> {
        let (folder, summary) = self.find_graph_run(id)?;
        if summary.status.is_over() {
            return Err(EngineError::GraphRunOver { id: summary.header.id, status: summary.status });
        }
        let journal = folder.open_to_drive(&summary.header.id)?;
        let graph = self.graph_of_run(&journal)?;
        let loaded = journal.load(&graph.graph)?;
        Ok((graph, loaded))
    }

    /// A run as its journal has it, to be looked at.
    ///
    /// # Errors
    /// If there is no such run, or its graph may not run or has changed.
    pub fn look_at_graph_run(&self, id: &str) -> Result<(VerifiedGraph, Loaded), EngineError> {
        let (folder, summary) = self.find_graph_run(id)?;
        let journal = folder.open(&summary.header.id)?;
        let graph = self.graph_of_run(&journal)?;
        let loaded = journal.load(&graph.graph)?;
        Ok((graph, loaded))
    }

    /// Drives a run until it is over, or there is nothing to be done for now.
    ///
    /// # Errors
    /// If the journal cannot be written.
    pub fn drive_graph(
        &self,
        run: Loaded,
        request: &DriveRequest,
        tell: &mut dyn FnMut(&Told),
    ) -> Result<Stop, EngineError> {
        let header = run.journal.header();
        let permissions = run.walker.graph().permissions().patterns().iter().map(ToString::to_string);
        let own = Ancestor { item: header.item.clone(), permissions: permissions.collect(), calls: None };
        let ancestors: Vec<_> = header.ancestors.iter().cloned().chain([own]).collect();
        let steps = EngineSteps::new(self, &ancestors);
        let driver = Driver { runner: &steps, cancel: request.cancel.clone(), patience: request.patience };
        Ok(driver.drive(run, tell)?)
    }

    /// The runs of graphs, the newest first, but not more than `limit`. One that cannot be read is there with the reason.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn list_graph_runs(&self, limit: usize) -> Result<Vec<ListedRun>, EngineError> {
        let mut found = Vec::new();
        for folder in self.graph_runs()? {
            found.extend(folder.ids()?.into_iter().map(|id| (id, folder.clone())));
        }
        found.sort_by(|(one, _), (other, _)| other.cmp(one));
        found.truncate(limit);
        Ok(found.into_iter().map(|(id, folder)| ListedRun { summary: folder.summary(&id), id }).collect())
    }

    /// The one run whose id begins so.
    ///
    /// # Errors
    /// If there is none, there are several, or its journal cannot be read.
    pub fn find_graph_run(&self, prefix: &str) -> Result<(GraphRuns, RunSummary), EngineError> {
        let (folder, id) = self.resolve_graph_run(prefix)?;
        let summary = folder.summary(&id)?;
        Ok((folder, summary))
    }

    /// The one run whose id begins so, whether it can be read or not.
    fn resolve_graph_run(&self, prefix: &str) -> Result<(GraphRuns, String), EngineError> {
        let mut found = Vec::new();
        for folder in self.graph_runs()? {
            let ids = folder.ids()?.into_iter().filter(|id| !prefix.is_empty() && id.starts_with(prefix));
            found.extend(ids.map(|id| (id, folder.clone())));
        }
        match found.as_slice() {
            [] => Err(EngineError::GraphRunNotFound { id: prefix.to_owned() }),
            [(id, folder)] => Ok((folder.clone(), id.clone())),
            _ => {
                let runs = found.iter().filter_map(|(id, _)| id.parse().ok()).collect();
                Err(EngineError::RunAmbiguous { prefix: prefix.to_owned(), runs })
            }
        }
    }

    /// Removes a run that is over, with everything that belongs to it. Gives its whole id.
    ///
    /// # Errors
    /// If there is no such run, or it is kept because it, or the run that it is a step of, is not over.
    pub fn remove_graph_run(&self, prefix: &str) -> Result<String, EngineError> {
        let (folder, id) = self.resolve_graph_run(prefix)?;
        match folder.remove(&id)? {
            Removal::Removed => Ok(id),
            Removal::Kept(why) => Err(EngineError::GraphRunKept { id, why }),
        }
    }

    /// Forgets old runs that are over.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn prune_graph_runs(&self, retention: &Retention) -> Result<Vec<PrunedRuns>, EngineError> {
        let retention =
            GraphRetention { newest: retention.newest, since: retention.since.map(Timestamp::unix_micros) };
        Ok(self.graph_runs()?.iter().map(|folder| folder.prune(&retention)).collect::<Result<_, _>>()?)
    }

    /// Ends a run for good. If nobody drives it, that is done here.
    ///
    /// # Errors
    /// If there is no such run, or it is over.
    pub fn cancel_graph_run(&self, id: &str, reason: &str) -> Result<RunStatus, EngineError> {
        self.leave_message(id, &Message::Cancel { reason: reason.to_owned() })
    }

    /// Lets a run start no more steps. What is under way comes to its end.
    ///
    /// # Errors
    /// If there is no such run, or it is over.
    pub fn pause_graph_run(&self, id: &str) -> Result<RunStatus, EngineError> {
        self.leave_message(id, &Message::Pause)
    }

    /// Answers a question of a run: of that node, or the only one that there is.
    ///
    /// # Errors
    /// If there is no such run, or no such question.
    pub fn answer_graph_run(
        &self,
        id: &str,
        node: Option<&str>,
        answer: Answer,
    ) -> Result<(Question, RunStatus), EngineError> {
        let (_, loaded) = self.look_at_graph_run(id)?;
        let status = loaded.journal.status()?;
        if status.is_over() {
            return Err(EngineError::GraphRunOver { id: loaded.journal.header().id.clone(), status });
        }
        let fits = |question: &Question| match &answer {
            Answer::Approve { .. } | Answer::Reject { .. } => {
                matches!(question.kind, QuestionKind::Approval { .. })
            }
            Answer::Retry | Answer::Fail | Answer::Done { .. } => {
                matches!(question.kind, QuestionKind::Interrupted)
            }
        };
        let open = loaded.walker.questions();
        let meant = |question: &&Question| {
            node.is_none_or(|node| question.step.node() == Some(node) || question.step.to_string() == node)
        };
        let found: Vec<_> = open.iter().filter(meant).filter(|question| fits(question)).collect();
        let [question] = found.as_slice() else {
            let wanted = match (node, found.len()) {
                (Some(node), 0) => format!("such an answer about `{node}`"),
                (_, 0) => "such an answer".to_owned(),
                _ => "one answer only; name the node".to_owned(),
            };
            let open = open.iter().map(|question| format!("`{}`", question.step)).collect();
            return Err(EngineError::NoQuestion { id: loaded.journal.header().id.clone(), wanted, open });
        };
        let message = Message::Answer { step: question.step.clone(), answer };
        let status = self.leave_message(&loaded.journal.header().id, &message)?;
        Ok(((*question).clone(), status))
    }

    /// Tells whoever drives a run something. What ends it is carried out here if nobody does.
    fn leave_message(&self, id: &str, message: &Message) -> Result<RunStatus, EngineError> {
        let (folder, summary) = self.find_graph_run(id)?;
        if summary.status.is_over() {
            return Err(EngineError::GraphRunOver { id: summary.header.id, status: summary.status });
        }
        let journal = folder.open(&summary.header.id)?;
        journal.leave_message(message)?;
        drop(journal);
        if !summary.driven && !matches!(message, Message::Answer { .. }) {
            match (self.resume_graph(&summary.header.id), message) {
                (Ok((_, loaded)), _) => Driver::settle(loaded)?,
                // What cannot go on can still be ended.
                (Err(_), Message::Cancel { reason }) => {
                    folder.open_to_drive(&summary.header.id)?.abandon(reason)?;
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(folder.summary(&summary.header.id)?.status)
    }

    /// Where the journals of graphs are: where the records of runs are.
    fn graph_runs(&self) -> Result<Vec<GraphRuns>, EngineError> {
        let call = self.call()?;
        Ok(self
            .state_folders(&call)
            .into_iter()
            .map(|folder| GraphRuns::new(folder.join("graphs")))
            .collect())
    }

    fn graph_of_run(&self, journal: &RunJournal) -> Result<VerifiedGraph, EngineError> {
        let header = journal.header();
        let id = header.item.strip_prefix("tool:").unwrap_or(&header.item);
        let item = ItemRef::new(ItemKind::Tool, ItemId::new(id)?);
        let inputs = journal.inputs()?;
        let parameters = Parameters::parse(inputs.to_string()).unwrap_or_default();
        let request = ExecuteRequest { parameters, ..ExecuteRequest::new(item) };
        if header.node.is_some() { self.graph_without_parameters(&request) } else { self.graph(&request) }
    }
}

/// Goes on with the run that a key stands for. One that failed is not gone on with: its call is made again.
fn go_on(folders: &[GraphRuns], key: &str, graph: &VerifiedGraph) -> Result<Option<Loaded>, EngineError> {
    for folder in folders {
        let Some(id) = folder.find_by_key(key)? else { continue };
        let journal = match folder.open_to_drive(&id) {
            // It was gone before it had begun, and nothing of it has happened.
            Err(error) if matches!(error.kind(), GraphJournalErrorKind::NeverBegan) => continue,
            opened => opened?,
        };
        let header = journal.header();
        let is_same = header.graph == graph.graph.digest() && journal.inputs()? == graph.inputs;
        let ended = journal.finish()?;
        if is_same
            && header.key.as_deref() == Some(key)
            && matches!(ended, None | Some(Finish::Completed { .. }))
        {
            return Ok(Some(journal.load(&graph.graph)?));
        }
    }
    Ok(None)
}
