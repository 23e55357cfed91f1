//! Each runtime against its bare interpreter: started for the call, and kept ready for it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rye_engine::{Engine, PendingRecord};
use rye_plan::Action;
use rye_run::runner::Start;

use crate::comparison::{Comparison, Goal};
use crate::report::{Bound, Figure, Findings, Timing};
use crate::samples::Samples;
use crate::workshop::{Warmth, Workshop, answer, must_succeed, request, settle};
use crate::{Effort, Result, floor};

/// A tool, and the same work as a bare program.
struct Case {
    name: &'static str,
    file: &'static str,
    tool: &'static str,
    bare: &'static str,
    /// What a process that was ready must not exceed, as a share of the bare run.
    warm: Option<f64>,
}

const CASES: &[Case] = &[
    Case {
        name: "python/function",
        file: "demo/function.py",
        tool: r#"__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__tool_description__ = "Counts words"
import json, re, pathlib

def execute(params, project_path):
    words = re.findall(r"\w+", "some words and some more")
    return {"words": len(words), "name": pathlib.Path(project_path).name}
"#,
        bare: r#"import json, re, pathlib, sys
params = json.loads(sys.stdin.read() or "{}")
words = re.findall(r"\w+", "some words and some more")
print(json.dumps({"words": len(words), "name": pathlib.Path(".").resolve().name}))
"#,
        warm: Some(1.0 / 25.0),
    },
    Case {
        name: "python/script",
        file: "demo/script.py",
        tool: r#"__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
__tool_description__ = "Counts words"
import json, re, sys
params = json.loads(sys.stdin.read() or "{}")
print(json.dumps({"words": len(re.findall(r"\w+", "some words and some more"))}))
"#,
        bare: r#"import json, re, sys
params = json.loads(sys.stdin.read() or "{}")
print(json.dumps({"words": len(re.findall(r"\w+", "some words and some more"))}))
"#,
        warm: None,
    },
    Case {
        name: "node/node, cjs",
        file: "demo/common.cjs",
        tool: r#"const __version__ = "1.0.0";
const __tool_type__ = "javascript";
const __executor_id__ = "rye/core/runtimes/node/node";
const __tool_description__ = "Counts words";
const fs = require("fs");
const params = JSON.parse(fs.readFileSync(0, "utf8") || "{}");
console.log(JSON.stringify({ words: "some words and some more".match(/\w+/g).length, params }));
"#,
        bare: r#"const fs = require("fs");
const params = JSON.parse(fs.readFileSync(0, "utf8") || "{}");
console.log(JSON.stringify({ words: "some words and some more".match(/\w+/g).length, params }));
"#,
        warm: Some(1.0 / 10.0),
    },
    Case {
        name: "node/node, mjs",
        file: "demo/module.mjs",
        tool: r#"import fs from "fs";
export const __version__ = "1.0.0";
export const __tool_type__ = "javascript";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const __tool_description__ = "Counts words";
const params = JSON.parse(fs.readFileSync(0, "utf8") || "{}");
console.log(JSON.stringify({ words: "some words and some more".match(/\w+/g).length, params }));
"#,
        bare: r#"import fs from "fs";
const params = JSON.parse(fs.readFileSync(0, "utf8") || "{}");
console.log(JSON.stringify({ words: "some words and some more".match(/\w+/g).length, params }));
"#,
        warm: Some(1.0 / 5.0),
    },
    Case {
        name: "bash/bash",
        file: "demo/shell.sh",
        tool: "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\ncat >/dev/null\necho hello\n",
        bare: "cat >/dev/null\necho hello\n",
        warm: None,
    },
    Case {
        name: "ruby/ruby",
        file: "demo/gem.rb",
        tool: "# version: 1.0.0\n# tool_type: ruby\n# executor_id: rye/core/runtimes/ruby/ruby\n# description: x\nrequire 'json'\nparams = JSON.parse(STDIN.read)\nputs JSON.generate({ words: 5 })\n",
        bare: "require 'json'\nparams = JSON.parse(STDIN.read + '{}')\nputs JSON.generate({ words: 5 })\n",
        warm: None,
    },
];

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let samples = if effort == Effort::Quick { 3 } else { 100 };
    let tools: Vec<_> = CASES.iter().map(|case| (case.file, case.tool.to_owned())).collect();
    let workshop = Workshop::new(&tools)?;
    settle();
    let cold = workshop.engine(Warmth::Cold);
    let comparisons: Vec<_> =
        CASES.iter().map(|case| case.cold(&workshop, &cold, samples)).collect::<Result<_>>()?;
    let mut findings = Findings::from(comparisons);
    let warm = workshop.engine(Warmth::Warm);
    for case in CASES {
        if let Some(share) = case.warm {
            let mut fell_back = 0;
            findings.push(case.warm(&workshop, &warm, samples * 2, share, &mut fell_back)?);
            findings.push(case.in_a_row(&warm, samples * 2)?);
            findings.push(Figure::count(
                format!("{}: calls that were not warm", case.name),
                fell_back,
                Bound::Open,
            ));
        }
    }
    Ok(findings)
}

impl Case {
    fn id(&self) -> &'static str {
        self.file.rsplit_once('.').map_or(self.file, |(id, _)| id)
    }

    /// The bare program, and how it is run: by the very interpreter that the tool gets.
    fn floor(&self, workshop: &Workshop, engine: &Engine) -> Result<Vec<OsString>> {
        let plan = engine.dry_run(&request(self.id())?)?;
        let Action::Process(process) = plan.action else { return Err("it is no program".into()) };
        let bare: PathBuf = workshop.path("bare").join(self.file);
        std::fs::create_dir_all(bare.parent().ok_or("no folder")?)?;
        std::fs::write(&bare, self.bare)?;
        Ok(vec![process.program.into(), bare.into_os_string()])
    }

    fn cold(&self, workshop: &Workshop, engine: &Engine, samples: usize) -> Result<Comparison> {
        let bare = self.floor(workshop, engine)?;
        let (environment, project) = (workshop.environment(), workshop.project());
        Comparison::measure(
            format!("{}, cold / bare", self.name),
            samples,
            Goal::TimesPlus(1.05, Duration::from_millis(2)),
            &mut || call(engine, self.id()).map(drop),
            &mut || floor::run(&bare, &environment, &project).map(drop),
        )
    }

    fn warm(
        &self,
        workshop: &Workshop,
        engine: &Engine,
        samples: usize,
        share: f64,
        fell_back: &mut usize,
    ) -> Result<Comparison> {
        let bare = self.floor(workshop, engine)?;
        let (environment, project) = (workshop.environment(), workshop.project());
        await_warm(engine, self.id())?;
        let request = request(self.id())?;
        let record = RefCell::new(None);
        Comparison::measure_answers(
            format!("{}, warm / bare", self.name),
            samples,
            Goal::Times(share),
            (
                &mut || {
                    let (outcome, pending) = answer(engine, &request)?;
                    record.replace(Some(pending));
                    *fell_back += usize::from(outcome.start != Start::Warm);
                    Ok(())
                },
                &mut || Ok(record.take().map_or(Ok(()), PendingRecord::write)?),
            ),
            &mut || floor::run(&bare, &environment, &project).map(drop),
        )
    }

    /// Call after call, so that each new process is made while another one works.
    fn in_a_row(&self, engine: &Engine, samples: usize) -> Result<Timing> {
        let mut times = Vec::new();
        for _ in 0..samples {
            let start = Instant::now();
            call(engine, self.id())?;
            times.push(start.elapsed());
        }
        let what = format!("{}, warm, in a row", self.name);
        Ok(Timing { what, ours: Samples::new(times), limit: None })
    }
}

/// Runs a tool, which has to succeed, and tells how it started.
fn call(engine: &Engine, id: &str) -> Result<Start> {
    Ok(must_succeed(engine, &request(id)?)?.start)
}

/// Calls a tool until a process is ready for it.
pub(crate) fn await_warm(engine: &Engine, id: &str) -> Result<()> {
    let until = Instant::now() + Duration::from_mins(1);
    while Instant::now() < until {
        match call(engine, id)? {
            Start::Warm => return Ok(()),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    Err(format!("`{id}` never starts warm").into())
}
