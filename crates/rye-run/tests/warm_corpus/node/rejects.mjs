await Promise.reject(new Error("at the top"));
