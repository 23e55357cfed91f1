console.log(require.main === module, require("./companion.cjs"), __filename.endsWith("common.cjs"));
import("./companion.mjs").then((module) => console.log(module.default));
