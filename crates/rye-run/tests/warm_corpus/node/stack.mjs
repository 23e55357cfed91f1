console.log(new Error("here").stack.replace(/file:.*\//g, ""));
