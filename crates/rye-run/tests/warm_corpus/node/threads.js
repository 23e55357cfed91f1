const { Worker, isMainThread, parentPort, threadId } = require("worker_threads");
if (isMainThread) {
  console.log(threadId);
  new Worker(__filename).on("message", (message) => console.log(message)).on("exit", (code) => console.log("exit", code));
} else {
  parentPort.postMessage([isMainThread, process.argv.length, Object.keys(require.cache).length]);
}
