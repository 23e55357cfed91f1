console.log(Object.getOwnPropertyNames(globalThis).sort().join());
console.log(Object.keys(process).sort().join());
console.log(Object.getOwnPropertyNames(Error), typeof Error.prepareStackTrace, Error.stackTraceLimit);
console.log(Object.getOwnPropertyNames(require("module")).sort().join(), require("module").globalPaths);
console.log(process.eventNames(), process.listenerCount("exit"), process.stdin.listenerCount("data"));
