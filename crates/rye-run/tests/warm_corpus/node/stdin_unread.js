console.log("I do not read");
