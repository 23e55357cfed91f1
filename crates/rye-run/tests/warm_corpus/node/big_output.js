for (let line = 0; line < 52000; line += 1) console.log("x".repeat(99));
console.error("y".repeat(200000));
