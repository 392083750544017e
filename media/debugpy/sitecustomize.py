"""Lets the Python program of a server wait for a debugger: Python imports this file at its start from a folder in PYTHONPATH.

A Python without debugpy starts as usual and leaves both variables to its child processes, one of which may be the program.
"""

import importlib.machinery
import importlib.util
import os
import sys

VARIABLE = "MCP_HOST_DEBUGPY"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def is_ours(folder):
    return os.path.abspath(folder or os.curdir) == FOLDER


def wait_for_debugger():
    port = os.environ.get(VARIABLE)
    if port is None or importlib.util.find_spec("debugpy") is None:
        return
    # Child processes do not wait.
    del os.environ[VARIABLE]
    others = [one for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one and not is_ours(one)]
    if others:
        os.environ["PYTHONPATH"] = os.pathsep.join(others)
    else:
        os.environ.pop("PYTHONPATH", None)
    import debugpy

    debugpy.configure(subProcess=False)
    debugpy.listen(("127.0.0.1", int(port)))
    debugpy.wait_for_client()


sys.path[:] = [one for one in sys.path if not is_ours(one)]
# The sitecustomize that this one hides.
hidden = importlib.machinery.PathFinder.find_spec("sitecustomize")
if hidden is not None:
    module = importlib.util.module_from_spec(hidden)
    sys.modules["sitecustomize"] = module
    hidden.loader.exec_module(module)
wait_for_debugger()
