const http = require("http");
const server = http.createServer((request, response) => response.end(request.url)).listen(0, "127.0.0.1", () => {
  http.get({ port: server.address().port, path: "/x" }, (response) => {
    response.on("data", (data) => console.log(String(data)));
    response.on("end", () => server.close());
  });
});
