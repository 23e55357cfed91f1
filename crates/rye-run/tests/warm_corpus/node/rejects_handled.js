process.on("unhandledRejection", (reason) => console.log("handled", reason.message));
Promise.reject(new Error("somebody cares"));
