process.nextTick(() => console.log("tick"));
queueMicrotask(() => console.log("microtask"));
await null;
console.log("body");
