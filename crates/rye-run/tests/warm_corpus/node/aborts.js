process.on("exit", () => console.log("never"));
process.kill(process.pid, "SIGKILL");
