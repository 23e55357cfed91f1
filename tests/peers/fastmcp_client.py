"""A client of FastMCP: connects, does what an agent does, and prints what it saw as JSON.

Arguments: how to connect (`legacy` or `auto`), then `stdio` and a command, or `http`, a URL and a token.
"""

import json
import sys

import anyio
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

mode, transport, *rest = sys.argv[1:]
progress: list[str | None] = []


async def told(done: float, total: float | None, message: str | None) -> None:
    progress.append(message)


async def agree(message: str, kind, params, context) -> dict:
    return {"agree": True}


def server():
    if transport == "stdio":
        return StdioTransport(command=rest[0], args=rest[1:], keep_alive=False)
    url, token = rest
    return StreamableHttpTransport(url, auth=token)


async def main() -> None:
    seen: dict = {}
    async with Client(server(), mode=mode, elicitation_handler=agree) as client:
        seen["version"] = client.protocol_version
        seen["tools"] = [tool.name for tool in await client.list_tools()]

        async def call(name: str, **arguments):
            result = await client.call_tool(name, arguments, raise_on_error=False)
            return result.structured_content

        found = await call("search", query="double", item_type="tool")
        seen["found"] = found["hits"][0]["id"]
        seen["schema"] = (await call("load", item_id="my/double"))["schema"]["required"]
        seen["python"] = (await call("execute", item_id="my/double", parameters={"number": 21}))["data"]
        seen["shell"] = (await call("execute", item_id="my/echo", parameters={"a": 1}))["data"]
        seen["tampered"] = (await call("execute", item_id="my/tampered"))["error"]["code"]
        seen["signed"] = (await call("sign", item_id="my/fresh"))["items"][0]["result"]
        seen["topics"] = len((await call("help"))["topics"]) > 5
        steps = await client.call_tool("execute", {"item_id": "my/steps"}, progress_handler=told)
        seen["steps"] = steps.structured_content["data"]
        seen["progress"] = progress
        prompt = await client.get_prompt("help/start")
        seen["prompt"] = prompt.messages[0].content.text.splitlines()[0]
        seen["resource"] = "echo" in (await client.read_resource("rye://tool/my/steps"))[0].text
        with anyio.move_on_after(1.0) as scope:
            await call("execute", item_id="my/sleeper")
        seen["cancelled"] = scope.cancelled_caught
        seen["alive"] = (await call("execute", item_id="my/echo", parameters={}))["status"]
    print(json.dumps(seen))


anyio.run(main)
