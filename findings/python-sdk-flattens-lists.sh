#!/bin/sh
# The official Python SDK (`mcp` 2.3.0): the content of a result, if a tool returns a list with lists or None in it.
# Seen: rows are run together, and None is left out: `[[1, None], [3, 4]]` becomes the three texts 1, 3 and 4, as `[[1], [3, 4]]` does.
# Only a tool with a return annotation has the list as structured content beside; without one it is nowhere.
# Exits with 1 when that changes. Needs Python 3.10 or newer with pip; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --retries 0 mcp==2.3.0

cat >server.py <<'PY'
import logging
from mcp.server.mcpserver import MCPServer

server = MCPServer('s')

@server.tool()
def plain():
    return [[1, None], [3, 4]]

@server.tool()
def annotated() -> list[list[int | None]]:
    return [[1, None], [3, 4]]

logging.disable(logging.INFO)
server.run()
PY

cat >run.py <<'PY'
import asyncio, sys
from mcp import Client, StdioServerParameters, stdio_client

async def main():
    seen = {}
    async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=['server.py']))) as client:
        for name in ['plain', 'annotated']:
            result = await client.call_tool(name, {})
            seen[name] = ([block.text for block in result.content], result.structured_content)
            print(f'mcp 2.3.0: of [[1, None], [3, 4]] the tool {name} sends the texts {seen[name][0]}, structured content: {seen[name][1]}')
    texts = ['1', '3', '4']
    return seen == {'plain': (texts, None), 'annotated': (texts, {'result': [[1, None], [3, 4]]})}

sys.exit(0 if asyncio.run(main()) else 1)
PY
python/bin/python run.py
