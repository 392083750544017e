#!/bin/sh
# FastMCP for Python (`fastmcp` 4.0.10): what a server that `FastMCP.from_openapi` makes sends to the API for arguments that its tools
# list and take.
# Seen: null is left out of the body, also where the document requires the member and allows null. So nothing can be cleared: a PATCH
# with `"due": null` changes nothing, and says that it was carried out. A query parameter `options` that is JSON by its `content`
# (OpenAPI 3.0, "Parameter Object") is not sent, but its members are, as parameters of their own.
# Exits with 1 when that changes. Needs Python 3.10 or newer with pip; nothing leaves the machine but the installation.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet --retries 0 fastmcp==4.0.10

cat >run.py <<'PY'
import asyncio, sys
import httpx2 as httpx
from fastmcp import Client, FastMCP

body = {
    'type': 'object',
    'required': ['due'],
    'properties': {'due': {'type': 'string', 'nullable': True}, 'title': {'type': 'string'}},
}
document = {
    'openapi': '3.0.3',
    'info': {'title': 'Tasks', 'version': '1'},
    'paths': {
        '/task': {
            'patch': {
                'operationId': 'change',
                'parameters': [{'name': 'options', 'in': 'query', 'content': {'application/json': {'schema': {'type': 'object'}}}}],
                'requestBody': {'required': True, 'content': {'application/json': {'schema': body}}},
                'responses': {'200': {'description': 'Changed'}},
            }
        }
    },
}
sent = []

def answer(request):
    sent.append(f'{request.method} {request.url.raw_path.decode()} {request.content.decode()}')
    return httpx.Response(200, json={})

async def main():
    api = httpx.AsyncClient(base_url='http://127.0.0.1', transport=httpx.MockTransport(answer))
    async with Client(FastMCP.from_openapi(document, client=api)) as client:
        schema = (await client.list_tools())[0].model_dump(by_alias=True)['inputSchema']
        result = await client.call_tool('change', {'due': None, 'title': 'Rent', 'options': {'notify': False}})
    print(f'fastmcp 4.0.10: due is listed as {schema["properties"]["due"]}, required: {"due" in schema["required"]}')
    print(f'for due null, title Rent and options {{"notify": false}} the API gets {sent[0]}; failed: {result.is_error}')
    return sent == ['PATCH /task?notify=false {"title":"Rent"}'] and not result.is_error

sys.exit(0 if asyncio.run(main()) else 1)
PY
python/bin/python run.py
