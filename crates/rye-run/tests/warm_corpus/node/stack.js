console.log(new Error("here").stack);
Error.stackTraceLimit = 50;
console.log(new Error("all").stack);
