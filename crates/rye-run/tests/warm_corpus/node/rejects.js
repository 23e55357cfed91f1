Promise.reject(new Error("nobody cares"));
