try {
  console.log(require("found-by-path"));
} catch (error) {
  console.log(error.code, error.requireStack.length);
}
