//! The tools and runtimes that the design documents print, as they are printed there.

use insta::assert_snapshot;
use rye_metadata::ExecutorId;

use crate::support::{extract, show};

macro_rules! fixture {
    ($from:literal, $path:literal) => {
        ($path, include_str!(concat!("../fixtures/", $from, "/", $path)))
    };
}

#[test]
fn python_tool_with_a_schema() {
    let (path, text) = fixture!("routing", "rye/capabilities/git.py");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "git",
      "version": "1.0.0",
      "tool_type": "python",
      "executor_id": "python_runtime",
      "category": "capabilities",
      "config_schema": {
        "type": "object",
        "properties": {
          "command": {
            "type": "string",
            "description": "git command (clone, pull, etc.)"
          },
          "args": {
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        },
        "required": [
          "command"
        ]
      }
    }
    warning: `description` is missing
    "#);
}

#[test]
fn primitive() {
    let (path, text) = fixture!("routing", "rye/primitives/subprocess.py");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "subprocess",
      "version": "1.0.1",
      "tool_type": "primitive",
      "executor_id": null,
      "category": "primitives",
      "config_schema": {
        "type": "object",
        "properties": {
          "command": {
            "type": "string",
            "description": "Command to run"
          },
          "args": {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "env": {
            "type": "object",
            "description": "Environment variables"
          },
          "cwd": {
            "type": "string",
            "description": "Working directory"
          },
          "timeout": {
            "type": "integer",
            "default": 300
          }
        },
        "required": [
          "command"
        ]
      }
    }
    warning: `description` is missing
    "#);
    let metadata = extract(path, text).unwrap().metadata;
    assert_eq!(metadata.executor_id, ExecutorId::Primitive);
}

#[test]
fn python_runtime() {
    let (path, text) = fixture!("environment", "runtimes/python_runtime.py");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "python_runtime",
      "version": "2.0.0",
      "tool_type": "runtime",
      "executor_id": "subprocess",
      "category": "runtimes",
      "config": {
        "command": "${KIWI_PYTHON}",
        "args": [],
        "timeout": 300,
        "capture_output": true
      },
      "env_config": {
        "interpreters": [
          {
            "name": "interpreter",
            "type": "venv_python",
            "var": "KIWI_PYTHON",
            "fallback": "python3",
            "search": [
              "project",
              "kiwi",
              "user",
              "system"
            ]
          }
        ],
        "env": {
          "PYTHONUNBUFFERED": "1"
        },
        "include_dotenv": true
      }
    }
    warning: `description` is missing
    "#);
}

#[test]
fn runtime_that_does_not_say_who_executes_it() {
    let (path, text) = fixture!("environment", "runtimes/ruby_runtime.py");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "ruby_runtime",
      "category": "runtimes",
      "config": {
        "command": "${KIWI_RUBY}",
        "args": []
      },
      "env_config": {
        "interpreters": [
          {
            "name": "interpreter",
            "type": "version_manager",
            "var": "KIWI_RUBY",
            "fallback": "ruby",
            "manager": "rbenv"
          }
        ],
        "include_dotenv": true
      }
    }
    error: `tool_type` is missing
    error: `executor_id` is missing
    warning: `version` is missing
    warning: `description` is missing
    "#);
    let metadata = extract(path, text).unwrap().metadata;
    assert_eq!(metadata.executor_id, ExecutorId::Absent);
}

#[test]
fn mcp_runtime_with_a_runner() {
    let (path, text) = fixture!("overview", "rye/mcp/mcp_stdio.yaml");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "mcp_stdio",
      "version": "1.0.0",
      "tool_type": "runtime",
      "executor_id": "subprocess",
      "category": "mcp",
      "config": {
        "command": "${RYE_MCP_RUNNER}",
        "args": [
          "--type",
          "stdio"
        ]
      },
      "env_config": {
        "interpreters": [
          {
            "name": "mcp_runner",
            "type": "binary",
            "var": "RYE_MCP_RUNNER",
            "fallback": "mcp",
            "search": [
              "project",
              "system"
            ]
          }
        ],
        "include_dotenv": true
      }
    }
    warning: `description` is missing
    "#);
}

#[test]
fn yaml_runtime_with_anchor_and_dependencies() {
    let (path, text) = fixture!("runtimes", "rye/core/runtimes/ruby_runtime.yaml");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "ruby_runtime",
      "version": "1.0.0",
      "tool_type": "runtime",
      "executor_id": "rye/core/primitives/execute",
      "category": "rye/core/runtimes",
      "description": "Ruby runtime — executes Ruby scripts with bundler support",
      "config": {
        "command": "${RYE_RUBY}",
        "args": [
          "{tool_path}",
          "--project-path",
          "{project_path}"
        ],
        "input_data": "{params_json}",
        "timeout": 300
      },
      "config_schema": {
        "type": "object",
        "properties": {
          "script": {
            "type": "string",
            "description": "Ruby script path"
          }
        }
      },
      "env_config": {
        "interpreters": [
          {
            "name": "interpreter",
            "type": "local_binary",
            "var": "RYE_RUBY",
            "fallback": "ruby",
            "binary": "ruby",
            "search_paths": [
              ".rbenv/shims",
              ".rvm/rubies/default/bin"
            ]
          }
        ],
        "env": {
          "BUNDLE_GEMFILE": "{anchor_path}/Gemfile"
        },
        "include_dotenv": true
      },
      "anchor": {
        "enabled": true,
        "mode": "auto",
        "markers_any": [
          "Gemfile",
          "Gemfile.lock"
        ],
        "root": "tool_dir",
        "lib": "lib/ruby",
        "cwd": "{anchor_path}",
        "env_paths": {
          "RUBYLIB": {
            "prepend": [
              "{anchor_path}",
              "{runtime_lib}"
            ]
          }
        }
      },
      "verify_deps": {
        "enabled": true,
        "scope": "anchor",
        "recursive": true,
        "extensions": [
          "rb",
          "yaml",
          "yml",
          "json"
        ],
        "exclude_dirs": [
          ".bundle",
          ".git",
          "node_modules"
        ]
      }
    }
    "#);
}

#[test]
fn yaml_runtime_with_inline_code() {
    let (path, text) = fixture!("runtimes", "rye/core/runtimes/python/function.yaml");
    assert_snapshot!(show(path, text), @r#"
    {
      "name": "function",
      "version": "1.0.0",
      "tool_type": "runtime",
      "executor_id": "rye/core/primitives/execute",
      "category": "rye/core/runtimes/python",
      "description": "Python function runtime - calls execute(params, project_path) in-process",
      "config": {
        "command": "${RYE_PYTHON}",
        "args": [
          "-c",
          "import sys,json,importlib.util,inspect,asyncio\nspec=importlib.util.spec_from_file_location(\"tool\",sys.argv[1])\nmod=importlib.util.module_from_spec(spec)\nspec.loader.exec_module(mod)\nfn=getattr(mod,\"execute\",None)\nif not fn:sys.exit(\"No execute() in \"+sys.argv[1])\np=json.loads(sys.stdin.read())\nif inspect.iscoroutinefunction(fn):r=asyncio.run(fn(p,sys.argv[2]))\nelse:r=fn(p,sys.argv[2])\nprint(json.dumps(r,default=str)if r is not None else'{}')\n",
          "{tool_path}",
          "{project_path}"
        ],
        "input_data": "{params_json}",
        "timeout": 300
      },
      "config_schema": {
        "type": "object",
        "properties": {
          "script": {
            "type": "string",
            "description": "Python module with execute(params, project_path) function"
          }
        }
      },
      "env_config": {
        "interpreters": [
          {
            "name": "interpreter",
            "type": "local_binary",
            "var": "RYE_PYTHON",
            "fallback": "python3",
            "binary": "python",
            "candidates": [
              "python3"
            ],
            "search_paths": [
              ".venv/bin",
              ".venv/Scripts"
            ]
          }
        ],
        "env": {
          "PYTHONUNBUFFERED": "1",
          "PROJECT_VENV_PYTHON": "${RYE_PYTHON}"
        },
        "include_dotenv": true
      },
      "anchor": {
        "enabled": true,
        "mode": "auto",
        "markers_any": [
          "__init__.py",
          "pyproject.toml"
        ],
        "root": "tool_dir",
        "lib": "lib",
        "env_paths": {
          "PYTHONPATH": {
            "prepend": [
              "{anchor_path}",
              "{runtime_lib}"
            ]
          }
        }
      },
      "verify_deps": {
        "enabled": true,
        "scope": "anchor",
        "recursive": true,
        "extensions": [
          "py",
          "yaml",
          "yml",
          "json"
        ],
        "exclude_dirs": [
          "__pycache__",
          ".venv",
          "node_modules",
          ".git",
          "config"
        ]
      }
    }
    "#);
}

#[test]
fn knowledge_with_front_matter() {
    let (path, text) = fixture!("runtimes", "internals/runtimes.md");
    assert_snapshot!(show(path, text), @r##"
    {
      "name": "runtimes",
      "title": "Runtimes",
      "version": "1.0.0",
      "category": "internals",
      "description": "How runtimes configure tool execution — interpreter resolution, arg templates, anchoring, and the 8 standard runtimes",
      "doc": "# Runtimes\n\n\nA runtime is a YAML configuration that describes how to invoke a tool. It bridges tools (Python scripts, JavaScript, YAML configs) and primitives (subprocess, HTTP). Every tool declares an executor_id pointing to a runtime, which then points to a primitive.",
      "tags": [
        "runtimes",
        "interpreter",
        "execution",
        "python",
        "node",
        "javascript",
        "bash",
        "mcp",
        "subprocess",
        "state-graph",
        "rust"
      ]
    }
    "##);
}

/// What each of the others says, in one line each: type, executor, interpreters, variables, command, problems.
#[test]
fn all_others() {
    let fixtures = [
        fixture!("environment", "runtimes/node_runtime.py"),
        fixture!("environment", "runtimes/deno_runtime.py"),
        fixture!("routing", "rye/runtimes/python_runtime.py"),
        fixture!("overview", "rye/core/primitives/subprocess.py"),
        fixture!("overview", "rye/core/runtimes/python_runtime.py"),
        fixture!("overview", "rye/core/runtimes/rust_runtime.py"),
        fixture!("overview", "rye/agent/threads/capabilities/git.py"),
        fixture!("runtimes", "my/ruby_example.py"),
        fixture!("runtimes", "rye/core/runtimes/python/script.yaml"),
        fixture!("runtimes", "rye/core/runtimes/node/node.yaml"),
        fixture!("runtimes", "rye/core/runtimes/bash/bash.yaml"),
        fixture!("runtimes", "rye/core/runtimes/mcp/http.yaml"),
        fixture!("runtimes", "rye/core/runtimes/mcp/stdio.yaml"),
        fixture!("runtimes", "rye/core/runtimes/rust/runtime.yaml"),
        fixture!("runtimes", "rye/core/runtimes/state-graph/runtime.yaml"),
    ];
    let lines = fixtures.map(|(path, text)| {
        let extraction = extract(path, text).unwrap();
        let metadata = extraction.metadata;
        let env = metadata.env_config.as_ref();
        let interpreters: Vec<_> = env
            .iter()
            .flat_map(|env| &env.interpreters)
            .map(|found| format!("{}={} {:?}", found.var, found.resolver, found.fallback))
            .collect();
        let variables: Vec<_> =
            env.iter().flat_map(|env| &env.env).map(|(name, value)| format!("{name}={value}")).collect();
        let command = metadata.config.as_ref().and_then(|config| config.get("command")?.as_str());
        let problems: Vec<_> = extraction.problems.iter().map(ToString::to_string).collect();
        format!(
            "{path}: {:?} {:?} {:?} {interpreters:?} {variables:?} {command:?} {problems:?}",
            metadata.version, metadata.tool_type, metadata.executor_id
        )
    });
    assert_snapshot!(lines.join("\n"), @r#"
    runtimes/node_runtime.py: Some("2.0.0") Some("runtime") Id("subprocess") ["KIWI_NODE=node_modules Some(\"node\")"] ["NODE_ENV=production"] Some("${KIWI_NODE}") ["warning: `description` is missing"]
    runtimes/deno_runtime.py: None None Absent ["KIWI_DENO=system_binary Some(\"deno\")"] ["DENO_DIR=${HOME}/.cache/deno"] Some("${KIWI_DENO}") ["error: `tool_type` is missing", "error: `executor_id` is missing", "warning: `version` is missing", "warning: `description` is missing"]
    rye/runtimes/python_runtime.py: Some("2.0.0") Some("runtime") Id("subprocess") ["RYE_PYTHON=venv_python Some(\"python3\")"] ["PYTHONUNBUFFERED=1", "PROJECT_VENV_PYTHON=${RYE_PYTHON}"] Some("${RYE_PYTHON}") ["warning: `description` is missing"]
    rye/core/primitives/subprocess.py: None Some("primitive") Primitive [] [] None ["warning: `version` is missing", "warning: `description` is missing"]
    rye/core/runtimes/python_runtime.py: None Some("runtime") Id("subprocess") ["RYE_PYTHON=venv_python Some(\"python3\")"] ["PYTHONUNBUFFERED=1", "PROJECT_VENV_PYTHON=${RYE_PYTHON}"] Some("${RYE_PYTHON}") ["warning: `version` is missing", "warning: `description` is missing"]
    rye/core/runtimes/rust_runtime.py: Some("1.0.0") Some("runtime") Id("subprocess") ["RYE_RUSTC=binary Some(\"rustc\")"] ["RUST_BACKTRACE=1"] Some("${RYE_RUSTC}") ["warning: `description` is missing"]
    rye/agent/threads/capabilities/git.py: None Some("python") Id("python_runtime") [] [] None ["warning: `version` is missing", "warning: `description` is missing"]
    my/ruby_example.py: Some("1.0.0") Some("python") Id("rye/core/runtimes/ruby/ruby") [] [] None ["7:16: warning: `category` `my/ruby` is not the end of the item's folder `my`"]
    rye/core/runtimes/python/script.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["RYE_PYTHON=local_binary Some(\"python3\")"] ["PYTHONUNBUFFERED=1", "PROJECT_VENV_PYTHON=${RYE_PYTHON}"] Some("${RYE_PYTHON}") []
    rye/core/runtimes/node/node.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["RYE_NODE=local_binary Some(\"node\")"] ["NODE_ENV=development"] Some("${RYE_NODE}") []
    rye/core/runtimes/bash/bash.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") [] ["PATH=${PATH}"] Some("/bin/bash") []
    rye/core/runtimes/mcp/http.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["RYE_PYTHON=local_binary Some(\"python3\")"] ["PYTHONUNBUFFERED=1"] Some("${RYE_PYTHON}") []
    rye/core/runtimes/mcp/stdio.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["RYE_PYTHON=local_binary Some(\"python3\")"] ["PYTHONUNBUFFERED=1"] Some("${RYE_PYTHON}") []
    rye/core/runtimes/rust/runtime.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["LILLUX_WATCH=system_binary None"] ["RUST_BACKTRACE=0"] Some("${LILLUX_WATCH}") []
    rye/core/runtimes/state-graph/runtime.yaml: Some("1.0.0") Some("runtime") Id("rye/core/primitives/execute") ["RYE_PYTHON=local_binary Some(\"python3\")"] ["PYTHONUNBUFFERED=1", "PROJECT_VENV_PYTHON=${RYE_PYTHON}"] Some("${RYE_PYTHON}") []
    "#);
}
