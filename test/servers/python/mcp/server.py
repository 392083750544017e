import json
import sys


def described(function):
    """The arguments of a function, all of them texts, with the descriptions that its annotations contain."""
    hints = {name: hint for name, hint in function.__annotations__.items() if name != "return"}
    return {name: hint.__metadata__[0]["description"] for name, hint in hints.items()}


class MCPServer:
    def __init__(self, name, version):
        self.info = {"name": name, "version": version}
        self.tools, self.prompts = {}, {}

    def tool(self, title, annotations):
        return lambda function: self.tools.setdefault(function.__name__, (function, title, annotations))[0]

    def prompt(self, title):
        return lambda function: self.prompts.setdefault(function.__name__, (function, title))[0]

    def answer(self, method, params):
        if method == "initialize":
            version = params["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}, "prompts": {}}, "serverInfo": self.info}
        if method == "tools/list":
            return {"tools": [self.listed(name, *entry) for name, entry in self.tools.items()]}
        if method == "tools/call":
            text = self.tools[params["name"]][0](**params["arguments"])
            return {"content": [{"type": "text", "text": text}]}
        if method == "prompts/list":
            return {"prompts": [{"name": name, "title": entry[1]} for name, entry in self.prompts.items()]}
        if method == "ping":
            return {}
        return None

    def listed(self, name, function, title, annotations):
        properties = {key: {"type": "string", "description": text} for key, text in described(function).items()}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        about = {"name": name, "title": title, "description": function.__doc__, "annotations": annotations}
        return {**about, "inputSchema": schema}

    def run(self):
        for line in sys.stdin:
            request = json.loads(line)
            if "id" not in request:
                continue
            result = self.answer(request["method"], request.get("params") or {})
            missing = {"error": {"code": -32601, "message": "There is no such method."}}
            answer = missing if result is None else {"result": result}
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
