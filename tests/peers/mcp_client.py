"""An MCP client of the official SDK: connects, does what an agent does, and prints what it saw as JSON.

Arguments: how to connect (`legacy`, `auto` or a version), then `stdio` and a command, or `http`, a URL and a token.
"""

import json
import sys

import anyio
import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

mode, transport, *rest = sys.argv[1:]
progress: list[str | None] = []


async def told(done: float, total: float | None, message: str | None) -> None:
    progress.append(message)


async def agree(context, params) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"agree": True})


async def session(server, seen: dict) -> None:
    async with Client(server, mode=mode, elicitation_callback=agree) as client:
        seen["version"] = client.protocol_version
        seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]

        async def call(name: str, **arguments):
            result = await client.call_tool(name, arguments)
            return result.structured_content

        found = await call("search", query="double", item_type="tool")
        seen["found"] = found["hits"][0]["id"]
        seen["schema"] = (await call("load", item_id="my/double"))["schema"]["required"]
        seen["python"] = (await call("execute", item_id="my/double", parameters={"number": 21}))["data"]
        seen["shell"] = (await call("execute", item_id="my/echo", parameters={"a": 1}))["data"]
        seen["tampered"] = (await call("execute", item_id="my/tampered"))["error"]["code"]
        seen["signed"] = (await call("sign", item_id="my/fresh"))["items"][0]["result"]
        seen["topics"] = len((await call("help"))["topics"]) > 5
        steps = await client.call_tool("execute", {"item_id": "my/steps"}, progress_callback=told)
        seen["steps"] = steps.structured_content["data"]
        seen["progress"] = progress
        seen["prompt"] = (await client.get_prompt("help/start")).messages[0].content.text.splitlines()[0]
        seen["resource"] = "echo" in (await client.read_resource("rye://tool/my/steps")).contents[0].text
        with anyio.move_on_after(1.0) as scope:
            await client.call_tool("execute", {"item_id": "my/sleeper"})
        seen["cancelled"] = scope.cancelled_caught
        seen["alive"] = (await call("execute", item_id="my/echo", parameters={}))["status"]


async def main() -> None:
    seen: dict = {}
    if transport == "stdio":
        await session(stdio_client(StdioServerParameters(command=rest[0], args=rest[1:], env=None)), seen)
    else:
        url, token = rest
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http:
            await session(streamable_http_client(url, http_client=http), seen)
    print(json.dumps(seen))


anyio.run(main)
