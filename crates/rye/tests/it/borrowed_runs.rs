//! `rye execute` beside a running server: the run starts in a process that the server has ready.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::mcp::stdio_peer::StdioPeer;
use crate::space::{Call, RYE};
use crate::workshop::{Workshop, eventually, own_time, processes_with};

const HEAD: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n\
                    __executor_id__ = \"rye/core/runtimes/python/function\"\n";

/// A project with a function that says what it sees, one that sleeps, and one that has a secret.
fn shop(time: &str) -> Workshop {
    let shop = Workshop::new();
    let seen = "import os, sys\ndef execute(params, project_path):\n    \
                mask = os.umask(0); os.umask(mask)\n    \
                print('a word', file=sys.stderr)\n    \
                return {'cwd': os.getcwd(), 'params': params, 'umask': mask, 'argv': sys.argv[1:],\n        \
                'colour': os.environ.get('COLOUR'), 'names': sorted(os.environ), 'pid': os.getpid() > 0}\n";
    shop.signed("my/sees", "py", &format!("{HEAD}{seen}"));
    let sleeps = format!(
        "import subprocess\ndef execute(params, project_path):\n    \
         subprocess.run(['setsid', '--fork', 'sleep', '{time}'])\n    subprocess.run(['sleep', '{time}'])\n"
    );
    shop.signed("my/sleeps", "py", &format!("{HEAD}{sleeps}"));
    shop
}

fn serve(shop: &Workshop) -> StdioPeer {
    let mut server = StdioPeer::connect(&shop.space.rye(["mcp", "serve"]));
    assert_eq!(server.call("help", &serde_json::json!({}))["structuredContent"]["status"], "success");
    server
}

fn sees(shop: &Workshop) -> Call<'_> {
    shop.space.rye(["execute", "my/sees", "--count", "3"]).set("COLOUR", "grün")
}

/// A run that was borrowed, after as many others as that takes.
fn borrowed(shop: &Workshop) -> Value {
    eventually("a run in a borrowed process", || {
        Some(sees(shop).json()).filter(|answer| answer["start"]["warm"] == true)
    })
}

/// Starts the tool that sleeps, in a borrowed process, and waits until it does.
fn start_sleeper(shop: &Workshop, time: &str) -> Child {
    borrowed(shop);
    eventually("a sleeper in a borrowed process", || {
        let mut call = shop.space.rye(["execute", "my/sleeps", "--trace"]).command();
        let mut child = call.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        eventually("its processes", || (processes_with(time).len() >= 2).then_some(()));
        if !has_children(child.id()) {
            return Some(child);
        }
        // It was too slow for the server, or the server for it, and started cold.
        child.kill().unwrap();
        child.wait().unwrap();
        expect_nothing_left(time);
        None
    })
}

fn has_children(pid: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let mut children = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap());
    children.any(|children| !children.trim().is_empty())
}

fn expect_nothing_left(time: &str) {
    eventually("the end of its processes", || processes_with(time).is_empty().then_some(()));
}

#[test]
fn it_gives_what_a_cold_one_does_and_says_whose_it_was() {
    let shop = shop(&own_time());
    let cold = sees(&shop).json();
    assert_eq!(cold.get("start"), None, "nobody is there: {cold}");
    let server = serve(&shop);
    // The server has never run such a thing.
    let warm = borrowed(&shop);
    assert_eq!(warm["start"]["server"], server.pid());
    for name in ["data", "exit_code", "stderr", "containment", "attestation", "status"] {
        assert_eq!(warm[name], cold[name], "{name}");
    }
    let trace = eventually("a trace of a borrowed run", || {
        let output = shop.space.rye(["execute", "my/sees", "--trace"]).output();
        Some(String::from_utf8(output.stderr).unwrap()).filter(|trace| trace.contains("warm, in"))
    });
    let expect = format!("warm, in a process that the running server {} had ready", server.pid());
    assert!(trace.contains(&expect), "{trace}");
    let off = sees(&shop).set("RYE_WARM", "0").json();
    assert_eq!((off.get("start"), &off["exit_code"]), (None, &cold["exit_code"]));
}

#[test]
fn a_borrower_that_is_killed_leaves_nothing() {
    let time = own_time();
    let shop = shop(&time);
    let _server = serve(&shop);
    let mut run = start_sleeper(&shop, &time);
    run.kill().unwrap();
    run.wait().unwrap();
    expect_nothing_left(&time);
    borrowed(&shop);
}

#[test]
fn a_server_that_is_killed_leaves_nothing_and_the_run_says_so() {
    let time = own_time();
    let shop = shop(&time);
    let mut server = serve(&shop);
    let run = start_sleeper(&shop, &time);
    server.kill();
    let output = run.wait_with_output().unwrap();
    expect_nothing_left(&time);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("the process that had lent the program ended before the program"), "{errors}");
    assert_eq!(output.status.code(), Some(3), "{errors}");
    // What it has left behind is no server, and is removed as soon as nothing of it holds the socket.
    eventually("the end of its socket", || {
        assert_eq!(sees(&shop).json().get("start"), None);
        let mut left = std::fs::read_dir(shop.space.path("cache/rye/workers")).unwrap();
        left.next().is_none().then_some(())
    });
}

#[test]
fn a_server_of_another_build_is_not_asked() {
    let shop = shop(&own_time());
    let copy = shop.space.path("other-rye");
    std::fs::copy(RYE, &copy).unwrap();
    let command = shop.space.rye(["mcp", "serve"]).command();
    let variables: Vec<_> =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    #[expect(clippy::disallowed_methods, reason = "the tested program is not started by its own library")]
    let mut other = std::process::Command::new(&copy);
    other.args(["mcp", "serve"]).env_clear().envs(variables).current_dir(shop.space.path("project"));
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("its socket", || {
        let mut entries = std::fs::read_dir(shop.space.path("cache/rye/workers")).ok()?.flatten();
        // As long as nobody listens, it has another name.
        entries.any(|entry| entry.path().extension().is_some_and(|ending| ending == "sock")).then_some(())
    });
    let why = |answer: &Value| answer["start"]["why"].as_str().unwrap_or_default().to_owned();
    let expect = format!("the running server {} lends no process: it is another build", other.id());
    assert_eq!(why(&sees(&shop).json()), expect);
    assert_eq!(why(&sees(&shop).json()), expect);
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn other_circumstances_are_no_ground_for_a_loan() {
    let shop = shop(&own_time());
    let server = serve(&shop);
    borrowed(&shop);
    let command = sees(&shop).command();
    #[expect(clippy::disallowed_methods, reason = "a shell of the user, not of the tested program")]
    let mut shell = std::process::Command::new("/bin/sh");
    let variables: Vec<_> =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    shell.args(["-c", "umask 0027; exec \"$0\" \"$@\"", RYE]).args(command.get_args()).arg("--json");
    shell.env_clear().envs(variables).current_dir(shop.space.path("project"));
    let expect =
        format!("the running server {} lends no process: it was started with another umask", server.pid());
    // It may also be too busy to say so.
    let answer = eventually(&expect, || {
        let answer: Value = serde_json::from_slice(&shell.output().unwrap().stdout).unwrap();
        assert_eq!(answer["start"]["warm"], false, "{answer}");
        (answer["start"]["why"] == expect).then_some(answer)
    });
    assert_eq!(answer["data"]["umask"], 0o027);
}

#[test]
fn a_folder_that_others_could_use_is_not_used() {
    let shop = shop(&own_time());
    let _server = serve(&shop);
    borrowed(&shop);
    std::fs::set_permissions(shop.space.path("cache/rye/workers"), Permissions::from_mode(0o755)).unwrap();
    let answer = sees(&shop).json();
    let why = answer["start"]["why"].as_str().unwrap();
    assert!(why.ends_with("is not a folder of ours alone"), "{why}");
    assert_eq!(answer["status"], "success");
}
