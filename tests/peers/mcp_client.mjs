// An MCP client of the official SDK for JavaScript: connects, does what an agent does, and prints what it saw as JSON.
// Arguments: `stdio` and a command, or `http`, a URL and a token.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [how, ...rest] = process.argv.slice(2);
const transport =
  how === "stdio"
    ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(rest[0]), {
        requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } },
      });

const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { agree: true } }));
await client.connect(transport);

const call = async (name, args, options) =>
  (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent;
const seen = {};
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
seen.found = (await call("search", { query: "double", item_type: "tool" })).hits[0].id;
seen.schema = (await call("load", { item_id: "my/double" })).schema.required;
seen.python = (await call("execute", { item_id: "my/double", parameters: { number: 21 } })).data;
seen.shell = (await call("execute", { item_id: "my/echo", parameters: { a: 1 } })).data;
seen.tampered = (await call("execute", { item_id: "my/tampered" })).error.code;
seen.signed = (await call("sign", { item_id: "my/fresh" })).items[0].result;
seen.topics = (await call("help", {})).topics.length > 5;
seen.progress = [];
const onprogress = ({ message }) => seen.progress.push(message);
seen.steps = (await call("execute", { item_id: "my/steps" }, { onprogress })).data;
seen.prompt = (await client.getPrompt({ name: "help/start" })).messages[0].content.text.split("\n")[0];
seen.resource = (await client.readResource({ uri: "rye://tool/my/steps" })).contents[0].text.includes("echo");
const signal = AbortSignal.timeout(1000);
seen.cancelled = await call("execute", { item_id: "my/sleeper" }, { signal }).then(
  () => false,
  () => true,
);
seen.alive = (await call("execute", { item_id: "my/echo", parameters: {} })).status;
console.log(JSON.stringify(seen));
await client.close();
