#!/bin/sh
# The official Python SDK (`mcp` 2.3.0): what a tool gets of a text that happens to be JSON, by how its argument is annotated.
# Seen: `str` gets it as it is. `str | None`, which is listed as a text or null, gets None for "null", and refuses '{"a": 1}' as "not a
# valid string", though it is one. `Literal["null", "on"]`, listed as an enum of texts, refuses "null", which is in that enum.
# Exits with 1 when that changes. Needs Python 3.10 or newer with pip; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --retries 0 mcp==2.3.0

cat >server.py <<'PY'
import logging
from typing import Literal
from mcp.server.mcpserver import MCPServer

server = MCPServer('s')

@server.tool()
def plain(text: str) -> str:
    return repr(text)

@server.tool()
def optional(text: str | None = None) -> str:
    return repr(text)

@server.tool()
def choice(text: Literal['null', 'on']) -> str:
    return repr(text)

logging.disable(logging.INFO)
server.run()
PY

cat >run.py <<'PY'
import asyncio, sys
from mcp import Client, StdioServerParameters, stdio_client

async def main():
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=['server.py']))) as client:
        choices = {tool.name: tool for tool in (await client.list_tools()).tools}['choice'].input_schema['properties']['text']['enum']
        seen = []
        for name, text in [('plain', 'null'), ('optional', 'null'), ('plain', '{"a": 1}'), ('optional', '{"a": 1}'), ('choice', 'null')]:
            result = await client.call_tool(name, {'text': text})
            seen.append('refused' if result.is_error else result.content[0].text)
            print(f"mcp 2.3.0: {name} gets of the text {text}: {seen[-1]}")
        return seen == ["'null'", 'None', "'{\"a\": 1}'", 'refused', 'refused'] and 'null' in choices

sys.exit(0 if asyncio.run(main()) else 1)
PY
python/bin/python run.py
