import { createRequire } from "node:module";
console.log(import.meta.url, import.meta.dirname, import.meta.filename, process.argv[1], typeof require, this);
const require_ = createRequire(import.meta.url);
console.log(require_("./companion.cjs"), require_.main, Object.keys(require_.cache).length);
console.log((await import("./companion.mjs")).default);
