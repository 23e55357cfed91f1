let more = true;
process.on("beforeExit", (code) => {
  console.log("before exit", code);
  if (more) setTimeout(() => console.log("more"), 1);
  more = false;
});
process.on("exit", (code) => console.log("exit", code));
