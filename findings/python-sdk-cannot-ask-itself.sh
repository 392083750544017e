#!/bin/sh
# The official Python SDK (`mcp` 2.3.0): a tool that asks the person by `Context.elicit`, and the SDK's own client with a callback that
# answers.
# Seen: with the settings that both have by default, they choose MCP 2026-07-28, in which a server sends no requests, and the call ends
# with the error "no back-channel for server-initiated requests". The person is never asked. With `mode='legacy'`, the same client and
# server do it. The documentation of `elicit` does not say so.
# Exits with 1 when that changes. Needs Python 3.10 or newer with pip; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --retries 0 mcp==2.3.0

cat >server.py <<'PY'
import logging
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

class Person(BaseModel):
    name: str

server = MCPServer('s')

@server.tool()
async def greet(context: Context) -> str:
    answer = await context.elicit('Who are you?', Person)
    return f'Hello, {answer.data.name}'

logging.disable(logging.INFO)
server.run()
PY

cat >run.py <<'PY'
import asyncio, sys
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.server.mcpserver import Context
from mcp.types import ElicitResult

async def said(**mode):
    asked = []
    async def person(_, params):
        asked.append(params.message)
        return ElicitResult(action='accept', content={'name': 'Ada'})
    server = stdio_client(StdioServerParameters(command=sys.executable, args=['server.py']))
    async with Client(server, elicitation_callback=person, **mode) as client:
        try:
            text = (await client.call_tool('greet', {})).content[0].text
        except MCPError as error:
            text = f'error: {error}'
        print(f'mcp 2.3.0, MCP {client.protocol_version}: the person is asked {asked}, the call ends with {text}')
        return text, asked

async def main():
    text, asked = await said()
    is_documented = any(word in Context.elicit.__doc__ for word in ['2026', 'legacy', 'back-channel', 'Resolve'])
    return 'no back-channel' in text and not asked and not is_documented and (await said(mode='legacy'))[0] == 'Hello, Ada'

sys.exit(0 if asyncio.run(main()) else 1)
PY
python/bin/python run.py
