let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => console.log(JSON.parse(text)));
