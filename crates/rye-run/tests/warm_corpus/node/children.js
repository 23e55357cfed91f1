const { execFileSync, fork, spawnSync } = require("child_process");
if (process.argv[2] === "child") {
  process.send([process.execArgv, process.argv.length, process.env.RYE_JOB_FD]);
} else {
  console.log(spawnSync("sh", ["-c", "echo out; echo err >&2; exit 3"]).status);
  console.log(execFileSync(process.execPath, ["-p", "[process.argv.length, process.execArgv]"]).toString());
  fork(__filename, ["child"]).on("message", (message) => console.log(message));
}
