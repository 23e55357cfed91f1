process.emitWarning("careful", "OwnWarning", "W1");
new Buffer(1);
const { EventEmitter } = require("events");
const emitter = new EventEmitter();
for (let count = 0; count < 12; count += 1) emitter.on("x", () => {});
