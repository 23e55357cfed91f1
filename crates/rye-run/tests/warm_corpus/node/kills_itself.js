console.log("before");
process.kill(process.pid, "SIGTERM");
setTimeout(() => {}, 5000);
