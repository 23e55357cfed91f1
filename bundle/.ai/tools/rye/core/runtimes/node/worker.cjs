/**
 * Waits for one run, and then becomes it.
 *
 * Node.js loads this file before its main program, and it does not return until a job has come. What common programs
 * need is loaded by then. It takes on the environment, folder and arguments of the job and lets Node.js go on with the
 * file of the job as its main program. What it cannot imitate it declines before anything has run.
 */
"use strict";

const __version__ = "1.0.0";
const __tool_type__ = "javascript_lib";
const __category__ = "rye/core/runtimes/node";
const __tool_description__ = "A Node.js process that waits for one run";

// Variables that Node.js reads once, at its start. The engine gives every value of them processes of their own.
const AT_START = /^(NODE_|LD_|LC_|UV_|LANG$|TZ$)/;
const CAN_CHANGE = "NODE_PATH";

// What we tell the init process of our namespace: that we have made all the threads that we need, and that we are over.
const READY = 63;
const FAREWELL = 64;

// What a process may have open when it says so: its streams, and timers that nobody waits for.
const HARMLESS = new Set(["PipeWrap", "Timeout", "Immediate"]);

/** This job has to be started in the ordinary way, for the reason given. */
class Declined extends Error {}

function warmUp() {
  for (const name of [
    "assert", "buffer", "child_process", "crypto", "events", "fs", "fs/promises", "http", "https", "module", "net", "os",
    "path", "readline", "stream", "string_decoder", "timers", "timers/promises", "url", "util", "vm", "zlib",
  ]) {
    require(name);
  }
  // The loader of ES modules makes itself ready with the first one. It needs no events for this one, only its promises.
  let loaded = false;
  import("data:text/javascript,export default 0").then(() => (loaded = true), () => (loaded = true));
  for (let turn = 0; turn < 100 && !loaded; turn += 1) process._tickCallback();
  // The threads that read files are made when the first one is wanted.
  require("fs").access("/", () => {});
}

/** Reads a job with its length before it. */
function receive(fs, fd) {
  let text = Buffer.alloc(1 << 14);
  let have = 0;
  for (let size = 4; have < size; ) {
    const count = fs.readSync(fd, text, have, text.length - have, null);
    if (count === 0) process.reallyExit(0);
    have += count;
    if (have >= 4) size = 4 + text.readUInt32BE(0);
    if (size > text.length) text = Buffer.concat([text], size);
  }
  const [head, ...entries] = text.toString("utf8", 4, have).split("\0");
  const pairs = entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]);
  return { ...JSON.parse(head), env: Object.fromEntries(pairs) };
}

function answer(fs, fd, text) {
  try {
    fs.writeSync(fd, text);
    fs.closeSync(fd);
  } catch {
    process.reallyExit(0);
  }
}

function check(job, fs, path, startEnv) {
  if (job.args.length === 0 || job.args[0] === "" || job.args[0].startsWith("-")) {
    throw new Declined(`option ${job.args[0]} of Node.js`);
  }
  if (job.program !== process.argv0 && realProgram(job, fs, path) !== process.execPath) {
    throw new Declined(`this is ${process.execPath}, not ${job.program}`);
  }
  if (job.env.NODE_OPTIONS) throw new Declined("NODE_OPTIONS is set");
  for (const name of new Set([...Object.keys(job.env), ...Object.keys(startEnv)])) {
    if (AT_START.test(name) && name !== CAN_CHANGE && job.env[name] !== startEnv[name]) {
      throw new Declined(`${name} has another value than at the start`);
    }
  }
  const script = path.resolve(job.cwd, job.args[0]);
  if (![".js", ".cjs", ".mjs"].includes(path.extname(script))) throw new Declined(`${script} is no JavaScript`);
  return script;
}

function realProgram(job, fs, path) {
  const candidates = job.program.includes("/")
    ? [job.program]
    : (job.env.PATH || "").split(":").map((folder) => path.join(folder, job.program));
  for (const candidate of candidates) {
    try {
      return fs.realpathSync(candidate);
    } catch {
      // Not there: the next one.
    }
  }
  return undefined;
}

function become(job, script, Module) {
  process.chdir(job.cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const name of Object.keys(job.env)) process.env[name] = job.env[name];
  Module._initPaths();
  process.argv = [process.execPath, script, ...job.args.slice(1)];
  process.execArgv = [];
}

function leaveNoTrace(Module) {
  delete Module._cache[__filename];
  for (const key of Object.keys(Module._pathCache)) {
    if (Module._pathCache[key] === __filename) delete Module._pathCache[key];
  }
}

/** Lets Node.js run the job's file in the place of the one that it was started with, without a frame of ours on the stack. */
function replaceMain(job, Module) {
  const runMain = Module.runMain;
  const shape = Object.getOwnPropertyDescriptor(Module, "runMain");
  Object.defineProperty(Module, "runMain", {
    configurable: true,
    enumerable: shape.enumerable,
    get() {
      Object.defineProperty(Module, "runMain", shape);
      return runMain.bind(Module, job.script);
    },
  });
}

/**
 * Says that we are over as soon as that is so. Node.js and the kernel take long to put away what nobody needs any more.
 *
 * Whoever looks for `process.emit` while the process is about to exit does so to call what the program wants called then.
 * What is added to these at that moment is called last, with nothing of ours on the stack of the others.
 */
function takeLeaveAtExit() {
  if (process.pid !== 2 || process.ppid !== 1) return;
  const shared = Object.getPrototypeOf(process);
  const { emit, kill } = process;
  Object.defineProperty(shared, "emit", {
    configurable: true,
    enumerable: false,
    get() {
      if (process._exiting) {
        delete shared.emit;
        process.on("exit", (code) => {
          const succeeds = (process.exitCode ?? code) === 0;
          // A port that is still open has to be closed before anybody hears of our end.
          if (succeeds && process.getActiveResourcesInfo().every((kind) => HARMLESS.has(kind))) kill(1, FAREWELL);
        });
      }
      return emit;
    },
    set(value) {
      Object.defineProperty(this, "emit", { value, configurable: true, enumerable: true, writable: true });
    },
  });
  process.kill(1, READY);
}

/** Goes the way of a job, for code is compiled when it is first called. Nothing of it can be seen afterwards. */
function rehearse(fs, path, Module, env) {
  const head = { program: process.argv0, args: ["/program.js"], cwd: process.cwd() };
  const job = { ...head, env };
  const entries = Object.entries(env).map(([name, value]) => `\0${name}=${value}`);
  const text = Buffer.from(JSON.stringify(head) + entries.join(""));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(text.length);
  const bytes = Buffer.concat([size, text]);
  const readSync = (fd, buffer, offset) => bytes.copy(buffer, offset);
  const nowhere = () => fs.openSync("/dev/null", "r+");
  for (let time = 0; time < 3; time += 1) {
    const script = check(receive({ readSync }, -1), fs, path, env);
    become(job, script, Module);
    leaveNoTrace(Module);
    answer(fs, nowhere(), "+");
  }
  const file = nowhere();
  fs.readSync(file, bytes, 0, bytes.length, null);
  fs.closeSync(file);
  new Module("/program.js")._compile('"use strict"; require("fs"); module.exports = () => 0;', "/program.js");
  fs.readFileSync("/dev/null", "utf8");
  rehearseOutput(fs);
  process.getActiveResourcesInfo();
}

/** Makes streams like those of a program, and writes nothing to them. */
function rehearseOutput(fs) {
  const { Writable } = require("stream");
  const stdout = new Writable({ decodeStrings: false, write: (chunk, encoding, done) => done() });
  new console.Console(stdout, stdout).log("%s", "text", { a: [1, "b", null] });
  try {
    const fd = fs.openSync("/proc/self/fd/1", fs.constants.O_WRONLY);
    const socket = new (require("net").Socket)({ fd, readable: false, writable: true });
    new console.Console(socket, socket);
    socket.write("");
    socket.unref();
    socket.destroy();
    process._tickCallback();
  } catch {
    // Then it takes a little longer.
  }
}

function wait() {
  const fs = require("fs");
  const path = require("path");
  const Module = require("module");
  const fd = Number(process.env.RYE_JOB_FD);
  const startEnv = { ...process.env };
  if (process.execArgv.length !== 2 || startEnv.NODE_OPTIONS) process.reallyExit(0);
  warmUp();
  rehearse(fs, path, Module, startEnv);
  const main = {};
  leaveNoTrace(Module);
  replaceMain(main, Module);
  takeLeaveAtExit();
  const job = receive(fs, fd);
  try {
    main.script = check(job, fs, path, startEnv);
    become(job, main.script, Module);
  } catch (error) {
    answer(fs, fd, `-${error.message}`);
    process.reallyExit(0);
  }
  answer(fs, fd, "+");
}

// A thread of the job loads this file again: there is nothing to wait for.
if (process.env.RYE_JOB_FD && require("worker_threads").isMainThread) wait();
else leaveNoTrace(require("module"));
