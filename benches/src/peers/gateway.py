"""A gateway made with FastMCP, in the way that its manual recommends. Arguments: the server behind it."""

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

command, *args = sys.argv[1:]
create_proxy(StdioTransport(command, args)).run(transport="stdio", show_banner=False)
