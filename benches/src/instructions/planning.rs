//! From a request to a plan.

use super::counted;
use crate::Result;
use crate::workshop::{Warmth, Workshop, request};

const TOOL: &str = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n\
    # description: Says hello\necho hello\n";

const FUNCTION: &str = "\"\"\"Says hello.\"\"\"\n__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n\
    __executor_id__ = \"rye/core/runtimes/python/function\"\n\n\ndef execute(params, project_path):\n    return \"hello\"\n";

/// In an engine that has not planned anything yet.
pub(super) fn first() -> Result<()> {
    let workshop = Workshop::new(&[("demo/hello.sh", TOOL.to_owned())])?;
    let (engine, request) = (workshop.engine(Warmth::Cold), request("demo/hello")?);
    counted(&mut || Ok(engine.dry_run(&request).map(drop)?))
}

/// The same plan once more, when everything that it depends on is watched.
pub(super) fn again() -> Result<()> {
    known("demo/hello.sh", TOOL)
}

/// The same with a function, for which a process may be ready.
pub(super) fn function() -> Result<()> {
    known("demo/hello.py", FUNCTION)
}

fn known(file: &str, text: &str) -> Result<()> {
    let workshop = Workshop::new(&[(file, text.to_owned())])?;
    let (engine, request) = (workshop.engine(Warmth::Warm), request("demo/hello")?);
    for _ in 0..4 {
        engine.dry_run(&request)?;
    }
    counted(&mut || Ok(engine.dry_run(&request).map(drop)?))
}
