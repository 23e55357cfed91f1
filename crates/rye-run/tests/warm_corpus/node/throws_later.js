setTimeout(() => {
  throw new Error("later");
}, 5);
