import os from "node:os";
console.log(import.meta.url.endsWith("program.js"), typeof os.cpus, typeof module);
