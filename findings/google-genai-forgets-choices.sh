#!/bin/sh
# Google's Gen AI SDK for Python (`google-genai` 2.25.0): what its model is told of arguments that the official Python SDK (`mcp` 2.3.0)
# lists, if a program passes the session with the server as a tool.
# Seen: of `shape: Circle | Square`, told apart by a `Literal` (`oneOf` with a discriminator), nothing, not even its type. Of
# `unit: Literal["cm"]` (`const`) and `name: Annotated[str, Field(max_length=3)]`, that they are texts.
# Exits with 1 when that changes. Needs Python 3.10 or newer with pip; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --retries 0 google-genai==2.25.0 mcp==2.3.0

cat >server.py <<'PY'
import logging
from typing import Annotated, Literal
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

class Circle(BaseModel):
    kind: Literal['circle']
    radius: float

class Square(BaseModel):
    kind: Literal['square']
    side: float

server = MCPServer('s')

@server.tool()
def draw(
    shape: Annotated[Circle | Square, Field(discriminator='kind')],
    unit: Literal['cm'],
    name: Annotated[str, Field(max_length=3)],
) -> str:
    return 'drawn'

logging.disable(logging.INFO)
server.run()
PY

cat >run.py <<'PY'
import asyncio, json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from google import genai
from mcp import ClientSession, StdioServerParameters, stdio_client

told = {}

class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers['content-length'])))
        told.update(asked['tools'][0]['functionDeclarations'][0]['parameters']['properties'])
        answer = {'candidates': [{'content': {'role': 'model', 'parts': [{'text': 'done'}]}, 'finishReason': 'STOP'}]}
        self.send_response(200)
        self.send_header('content-type', 'application/json')
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass

async def main():
    model = HTTPServer(('127.0.0.1', 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    options = {'base_url': f'http://127.0.0.1:{model.server_port}'}
    client = genai.Client(api_key='not-a-key', http_options=options)
    async with stdio_client(StdioServerParameters(command=sys.executable, args=['server.py'])) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            listed = (await session.list_tools()).tools[0].input_schema['properties']
            await client.aio.models.generate_content(model='m', contents='Draw.', config={'tools': [session]})
    for name in listed:
        print(f'google-genai 2.25.0: of {name} the model is told {json.dumps(told[name])}, the server lists {json.dumps(listed[name])}')
    assert 'oneOf' in listed['shape'] and listed['unit']['const'] == 'cm' and listed['name']['maxLength'] == 3
    return [set(told[name]) - {'title'} for name in ['shape', 'unit', 'name']] == [set(), {'type'}, {'type'}]

sys.exit(0 if asyncio.run(main()) else 1)
PY
python/bin/python run.py
