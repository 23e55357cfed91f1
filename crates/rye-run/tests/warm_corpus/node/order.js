setTimeout(() => console.log("timeout"), 300);
setImmediate(() => console.log("immediate"));
queueMicrotask(() => console.log("microtask"));
Promise.resolve().then(() => console.log("promise"));
process.nextTick(() => console.log("tick"));
console.log("body");
