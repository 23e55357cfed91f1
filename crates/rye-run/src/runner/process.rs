//! Running a program.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lillux::digest::Hasher;
use lillux::process::spare::Spare;
use lillux::process::{
    Channel, Ending, Mechanism, ProcessEvent, Remains, RunOutcome, RunRequest, run_leaving,
};
use lillux::{Capture, Spooled};
use rye_env::Environment;
use rye_metadata::metadata::{Secret, WorkerMode};
use rye_plan::{ProcessPlan, ToolCopy, WorkerPlan};
use secrecy::ExposeSecret as _;

use super::error::RunnerError;
use super::outcome::{Failure, Outcome, Start, Stream};
use super::progress::ProgressLines;
use super::{RunContext, RunEvent, SHORT_RUN, WarmSource, session};
use crate::mask::{Mask, MaskStream};
use crate::sessions::{SessionJob, VerifiedCopy};
use crate::workers::{ColdReason, WarmJob, WorkerPool};

/// What else a plan says about a program.
pub(super) struct Conditions<'a> {
    pub(super) environment: &'a Environment,
    pub(super) secrets: &'a [Secret],
    pub(super) timeout: Duration,
    pub(super) worker: Option<&'a mut WorkerPlan>,
    pub(super) copies: [Option<&'a ToolCopy>; 2],
}

pub(super) fn run(
    program: &mut ProcessPlan,
    conditions: Conditions<'_>,
    context: &RunContext<'_>,
    events: &mut dyn FnMut(RunEvent<'_>),
) -> Result<Outcome, RunnerError> {
    let Conditions { environment, secrets, timeout, worker, copies } = conditions;
    let mut env = Arc::clone(environment.all());
    for Secret { name, env: variable, .. } in secrets {
        if let Some(value) = context.secrets.get(name) {
            Arc::make_mut(&mut env).insert(variable.into(), value.expose_secret().into());
        }
    }
    let request = RunRequest {
        args: program.args.iter().map(Into::into).collect(),
        cwd: Some(program.cwd.clone()),
        env,
        stdin: std::mem::take(&mut program.stdin),
        timeout: Some(timeout),
        notice: Some(SHORT_RUN),
        ..RunRequest::new(&program.program)
    };
    let request = request.output_limit(context.stream_limit());
    let mut streams = [context.mask.stream(), context.mask.stream()];
    let mut progress = ProgressLines::default();
    let mut tell = |event: ProcessEvent<'_>| match event {
        ProcessEvent::Started { pid, .. } => events(RunEvent::Started { pid }),
        ProcessEvent::Output { channel, bytes } => {
            let mut shown = Vec::with_capacity(bytes.len());
            streams[channel as usize].push(bytes, &mut shown);
            events(RunEvent::Output { channel, bytes: &shown });
            if channel == Channel::Stderr {
                progress.take(&shown, &mut |progress| events(RunEvent::Progress(progress)));
            }
        }
        ProcessEvent::GoesOn => events(RunEvent::GoesOn { since: SHORT_RUN }),
        ProcessEvent::Exited { .. } => {}
    };
    let Run { start, ending, stdout, stderr, duration, containment, remains } =
        carry_out(&request, secrets, (worker, copies), context, &mut tell)?;
    // Who is told about the plan afterwards sees all of it.
    program.stdin = request.stdin;
    for (channel, stream) in [Channel::Stdout, Channel::Stderr].into_iter().zip(streams) {
        tell_rest(stream, channel, events);
    }
    let (failure, exit_code) = judge(ending);
    Ok(Outcome {
        failure,
        exit_code,
        output: masked(stdout, context.mask)?,
        errors: masked(stderr, context.mask)?,
        http: None,
        duration,
        containment,
        start,
        remains,
    })
}

/// Does it over a connection that is kept, or in a process that was ready, or in one that is started for it.
fn carry_out(
    request: &RunRequest,
    secrets: &[Secret],
    (worker, copies): (Option<&mut WorkerPlan>, [Option<&ToolCopy>; 2]),
    context: &RunContext<'_>,
    tell: &mut dyn FnMut(ProcessEvent<'_>),
) -> Result<Run, RunnerError> {
    let has_uncompared = copies.iter().flatten().any(|copy| !copy.is_compared);
    let start = match (worker, context.sessions) {
        (Some(worker), Some(sessions)) if worker.mode == WorkerMode::Session => {
            let copies = copies.into_iter().flatten();
            let copies =
                copies.filter_map(|copy| Some(VerifiedCopy { path: &copy.tool, content: copy.content? }));
            let copies: Vec<_> = copies.collect();
            let has_secrets = !secrets.is_empty();
            let job = SessionJob {
                request,
                has_secrets,
                idle: worker.idle,
                cancel: context.cancel,
                copies: &copies,
            };
            match session::run(sessions, &job, tell)? {
                Ok(run) => return Ok(run),
                Err(reason) if has_uncompared => return Err(RunnerError::NotCompared { reason }),
                Err(reason) => Start::ColdInstead(reason),
            }
        }
        _ if has_uncompared => return Err(RunnerError::NotCompared { reason: ColdReason::NothingReady }),
        (worker, _) => match begin_warm(request, secrets, worker, context) {
            Ok((spare, start)) => {
                let own = match context.workers {
                    Some(WarmSource::Own(pool, _)) => Some(pool),
                    _ => None,
                };
                let refill = || own.into_iter().for_each(WorkerPool::refill);
                let mut tell = |event: ProcessEvent<'_>| {
                    if matches!(event, ProcessEvent::GoesOn) {
                        refill();
                    }
                    tell(event);
                };
                let ran = spare.run(request, context.cancel, &mut tell);
                let (outcome, remains) = ran.inspect_err(|_| refill())?;
                return Ok(Run::of(start, outcome, Some(remains)));
            }
            Err(start) => start,
        },
    };
    let (outcome, remains) = run_leaving(request, context.standby, context.cancel, tell)?;
    Ok(Run::of(start, outcome, Some(remains)))
}

/// What came of a program, or of what was done in its place.
pub(super) struct Run {
    pub(super) start: Start,
    pub(super) ending: Ending,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
    pub(super) duration: Duration,
    pub(super) containment: Option<Mechanism>,
    pub(super) remains: Option<Remains>,
}

impl Run {
    fn of(start: Start, outcome: RunOutcome, remains: Option<Remains>) -> Self {
        let RunOutcome { ending, stdout, stderr, duration, containment, .. } = outcome;
        Self { start, ending, stdout, stderr, duration, containment: Some(containment), remains }
    }
}

/// A process that was ready and has taken the run as its job; or how the run starts instead.
fn begin_warm(
    request: &RunRequest,
    secrets: &[Secret],
    worker: Option<&mut WorkerPlan>,
    context: &RunContext<'_>,
) -> Result<(Spare, Start), Start> {
    let worker = worker.filter(|worker| worker.mode != WorkerMode::Session);
    let (Some(worker), Some(source)) = (worker, context.workers) else { return Err(Start::Cold) };
    let secrets: Vec<&str> = secrets.iter().map(|secret| secret.env.as_str()).collect();
    let job = WarmJob { request, secrets: &secrets };
    match source {
        WarmSource::Own(pool, stillness) => match pool.begin(worker, job, stillness, context.cancel) {
            Ok(spare) => Ok((spare, Start::Warm)),
            Err(reason) => Err(Start::ColdInstead(reason)),
        },
        WarmSource::Others(borrower) => match borrower.begin(worker, job, context.cancel) {
            Ok((spare, server)) => Ok((spare, Start::Borrowed { server })),
            Err(reason) => Err(reason.map_or(Start::Cold, Start::ColdInstead)),
        },
    }
}

fn tell_rest(stream: MaskStream<'_>, channel: Channel, events: &mut dyn FnMut(RunEvent<'_>)) {
    let mut shown = Vec::new();
    stream.finish(&mut shown);
    if !shown.is_empty() {
        events(RunEvent::Output { channel, bytes: &shown });
    }
}

fn judge(ending: Ending) -> (Option<Failure>, Option<i32>) {
    match ending {
        Ending::Exited { code: 0 } => (None, Some(0)),
        Ending::Exited { code } => (Some(Failure::Exit { code }), Some(code)),
        Ending::Signaled { signal } => (Some(Failure::Signal { signal }), None),
        Ending::TimedOut { limit, .. } => (Some(Failure::TimedOut { limit }), None),
        Ending::Cancelled { .. } => (Some(Failure::Cancelled), None),
        Ending::OutputLimit { channel, .. } => (Some(Failure::OutputLimit { channel }), None),
    }
}

/// Takes the secrets out of what was captured, in memory and in the file.
pub(super) fn masked(capture: Capture, mask: &Mask) -> Result<Stream, RunnerError> {
    let Capture { bytes, total, spool } = capture;
    if mask.is_empty() {
        let file = spool.map(|Spooled { path, digest }| (path, digest));
        return Ok(Stream { bytes, total, file });
    }
    let bytes = mask.mask_bytes(&bytes).into_owned();
    let Some(Spooled { path, .. }) = spool else {
        return Ok(Stream { total: bytes.len() as u64, bytes, file: None });
    };
    match mask_file(&path, mask) {
        Ok((total, digest)) => Ok(Stream { bytes, total, file: Some((path, digest)) }),
        Err(source) => {
            // Better no file than one with secrets in it.
            let _ = fs::remove_file(&path);
            Err(RunnerError::Output { path, source })
        }
    }
}

fn mask_file(path: &Path, mask: &Mask) -> io::Result<(u64, lillux::Digest)> {
    let draft = path.with_extension("masked");
    let mut reader = BufReader::new(File::open(path)?);
    let mut writer = BufWriter::new(File::options().write(true).create_new(true).open(&draft)?);
    let (mut stream, mut hasher, mut total) = (mask.stream(), Hasher::default(), 0);
    let mut buffer = vec![0; 64 * 1024];
    let mut shown = Vec::new();
    let mut put = |shown: &mut Vec<u8>| {
        hasher.update(shown);
        total += shown.len() as u64;
        let written = writer.write_all(shown);
        shown.clear();
        written
    };
    loop {
        let length = reader.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        stream.push(&buffer[..length], &mut shown);
        put(&mut shown)?;
    }
    stream.finish(&mut shown);
    put(&mut shown)?;
    writer.flush()?;
    fs::rename(&draft, path)?;
    Ok((total, hasher.finish()))
}
