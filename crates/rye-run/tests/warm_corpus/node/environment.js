console.log(JSON.stringify(process.env));
console.log(require("child_process").execFileSync("env").toString().split("\n").sort().join("\n"));
