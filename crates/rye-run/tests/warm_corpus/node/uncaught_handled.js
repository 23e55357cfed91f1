process.on("uncaughtException", (error, origin) => console.log("handled", error.message, origin));
setImmediate(() => console.log("goes on"));
throw new Error("caught at last");
