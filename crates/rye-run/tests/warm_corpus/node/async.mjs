import { setTimeout } from "node:timers/promises";
import { readFile } from "node:fs/promises";
await setTimeout(2);
console.log((await readFile(new URL(import.meta.url), "utf8")).length);
