import fs from "node:fs";
function inner() {
  throw new TypeError(`what is this ${typeof fs.readFileSync}`);
}
inner();
