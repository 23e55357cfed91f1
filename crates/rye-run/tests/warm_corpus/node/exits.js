process.on("exit", (code) => console.log("exit", code));
process.on("beforeExit", () => console.log("never"));
process.exit(7);
