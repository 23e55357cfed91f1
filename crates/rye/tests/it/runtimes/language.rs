//! A tool of every runtime, and the programs that it needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::execute::trusted;
use crate::help::example::Block;
use crate::help::topics::topic;
use crate::space::{Call, TestSpace};

/// A runtime, and a tool of it that answers with its parameters.
pub(crate) struct Language {
    pub(crate) runtime: &'static str,
    pub(crate) extension: &'static str,
    header: Header,
    pub(crate) echo: &'static str,
}

/// How a tool says what it is.
enum Header {
    Python,
    JavaScript,
    /// Comment lines that begin so.
    Comment(&'static str),
    /// A description, which names a program that is compiled from the code.
    Compiled,
}

pub(crate) const LANGUAGES: [Language; 12] = [
    python("rye/core/runtimes/python/function", "def execute(params, project_path):\n    return params\n"),
    python("python_runtime", "async def main(**params):\n    return params\n"),
    python(
        "rye/core/runtimes/python/script",
        "import json, sys\njson.dump(json.load(sys.stdin), sys.stdout)\n",
    ),
    javascript("rye/core/runtimes/node/node", NODE_ECHO),
    javascript("node_runtime", NODE_ECHO),
    javascript(
        "deno_runtime",
        "const params = JSON.parse(await new Response(Deno.stdin.readable).text());\nconsole.log(JSON.stringify(params));\n",
    ),
    comment("rye/core/runtimes/bash/bash", "sh", "#", "cat\n"),
    comment("rye/core/runtimes/ruby/ruby", "rb", "#", RUBY_ECHO),
    comment("ruby_runtime", "rb", "#", RUBY_ECHO),
    Language {
        runtime: "rye/core/runtimes/rust/runtime",
        extension: "yaml",
        header: Header::Compiled,
        echo: RUST_ECHO,
    },
    comment("rust_runtime", "rs", "//", RUST_ECHO),
    comment("rye/core/runtimes/perl/perl", "pl", "#", "local $/;\nprint <STDIN>;\n"),
];

const NODE_ECHO: &str = "import { readFileSync } from 'node:fs';\n\
    console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8'))));\n";
const RUBY_ECHO: &str = "require 'json'\nputs JSON.generate(JSON.parse($stdin.read))\n";
const RUST_ECHO: &str = "fn main() {\n    std::io::copy(&mut std::io::stdin().lock(), &mut std::io::stdout().lock()).unwrap();\n}\n";

const fn python(runtime: &'static str, echo: &'static str) -> Language {
    Language { runtime, extension: "py", header: Header::Python, echo }
}

const fn javascript(runtime: &'static str, echo: &'static str) -> Language {
    Language { runtime, extension: "mjs", header: Header::JavaScript, echo }
}

const fn comment(
    runtime: &'static str,
    extension: &'static str,
    mark: &'static str,
    echo: &'static str,
) -> Language {
    Language { runtime, extension, header: Header::Comment(mark), echo }
}

/// The language of a runtime.
pub(crate) fn language(runtime: &str) -> &'static Language {
    LANGUAGES.iter().find(|language| language.runtime == runtime).unwrap()
}

impl Language {
    /// Writes a tool of this language with this code, and signs it.
    pub(crate) fn tool(&self, space: &TestSpace, place: &str, id: &str, code: &str) {
        let text = match self.header {
            Header::Compiled => {
                let name = id.rsplit('/').next().unwrap();
                let folder = id.rsplit_once('/').map_or("", |(folder, _)| folder);
                let program = space.path(format!("{place}/.ai/tools/{folder}/bin/{name}"));
                compile(space, code, &program);
                format!(
                    "version: \"1.0.0\"\ntool_type: t\nexecutor_id: {}\ndescription: A test\nentry: bin/{name}\n",
                    self.runtime
                )
            }
            _ => format!("{}{code}", self.header()),
        };
        space.write(&format!("{place}/.ai/tools/{id}.{}", self.extension), text);
        sign(space, place, id);
    }

    /// What a file of this language begins with.
    pub(crate) fn header(&self) -> String {
        let Self { runtime, .. } = self;
        match self.header {
            Header::Python => format!(
                "\"\"\"A test.\"\"\"\n__version__ = \"1.0.0\"\n__tool_type__ = \"t\"\n__executor_id__ = \"{runtime}\"\n"
            ),
            Header::JavaScript => format!(
                "/** A test. */\nexport const version = \"1.0.0\";\nexport const tool_type = \"t\";\nexport const executor_id = \"{runtime}\";\n"
            ),
            Header::Comment(mark) => format!(
                "{mark} version: 1.0.0\n{mark} tool_type: t\n{mark} executor_id: {runtime}\n{mark} description: A test\n"
            ),
            Header::Compiled => String::new(),
        }
    }
}

/// A space whose user has a key, trusts the project, and has added a language in it.
pub(crate) fn with_perl() -> TestSpace {
    let space = trusted();
    for block in Block::all(&topic("runtimes")) {
        if block.value("file").is_some_and(|file| file.starts_with(".ai/tools/rye/core/")) {
            block.write(&space);
        }
    }
    space.run(["sign", "rye/core/**"]);
    space
}

pub(crate) fn sign(space: &TestSpace, place: &str, id: &str) {
    space.run(["sign", "--space", if place == "home" { "user" } else { "project" }, id]);
}

/// Where Deno and the compiler are, which are in no folder of the system.
pub(crate) fn path() -> String {
    format!("{}:{}:/usr/bin:/bin", deno_folder().display(), compiler().parent().unwrap().display())
}

/// An execution that finds every interpreter.
pub(crate) fn execute<'s>(space: &'s TestSpace, args: &[&str]) -> Call<'s> {
    space.rye(std::iter::once("execute").chain(args.iter().copied())).set("PATH", path())
}

pub(crate) fn deps() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.deps"))
        .canonicalize()
        .expect("run `cargo xtask setup`")
}

pub(crate) fn deno_folder() -> PathBuf {
    let machine = match std::env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "x64",
    };
    let folder = deps().join(format!("node/node_modules/@deno/linux-{machine}-glibc"));
    assert!(folder.join("deno").exists(), "run `cargo xtask setup`");
    folder
}

/// The compiler beside the cargo that runs this test, which needs no home folder.
#[expect(clippy::disallowed_methods, reason = "cargo tells tests where it is")]
pub(crate) fn compiler() -> PathBuf {
    let cargo = PathBuf::from(std::env::var_os("CARGO").expect("run with cargo"));
    let rustc = cargo.with_file_name("rustc");
    assert!(rustc.exists(), "{}", rustc.display());
    rustc
}

/// Compiles a program.
#[expect(clippy::disallowed_methods, reason = "a compiler, not the tested program")]
pub(crate) fn compile(space: &TestSpace, code: &str, program: &Path) {
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    let source = space.write("elsewhere/program.rs", code);
    let output = Command::new(compiler())
        .args(["--edition", "2021", "-O", "-C", "strip=symbols", "-o"])
        .args([program, source.as_path()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
