"""Talks to a kernel as JupyterLab does, for a test that sends it requests: one JSON line each way.

In a process of its own, because Jupyter's client leaves sockets and event loops to the garbage collector.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from typing import Any

from jupyter_client.manager import KernelManager

manager = KernelManager(kernel_name="python3")
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=60)


def execute(code: str, metadata: dict[str, Any], person: bool, interrupt_after: float) -> dict[str, Any]:
    """What a cell printed, and its text results and errors, without colours."""
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
    content |= {"allow_stdin": person, "stop_on_error": True}
    request = client.session.msg("execute_request", content, metadata=metadata)
    client.shell_channel.send(request)
    if interrupt_after:
        threading.Thread(target=lambda: (time.sleep(interrupt_after), manager.interrupt_kernel())).start()
    printed, results = "", []
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != request["header"]["msg_id"]:
            continue
        kind, data = message["msg_type"], message["content"]
        if kind == "stream":
            printed += data["text"]
        elif kind in ("execute_result", "display_data"):
            results.append(data["data"]["text/plain"])
        elif kind == "error":
            results.append(re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(data["traceback"])))
        elif kind == "status" and data["execution_state"] == "idle":
            return {"printed": printed, "results": results}


def complete(code: str) -> Any:
    """What the tab key offers at the end of `code`."""
    client.complete(code, len(code))
    while True:
        content = client.get_shell_msg(timeout=60)["content"]
        if "matches" in content:
            return content


for line in sys.stdin:
    request = json.loads(line)
    function = {"execute": execute, "complete": complete}[request.pop("do")]
    print(json.dumps(function(**request)), flush=True)
client.stop_channels()
manager.shutdown_kernel(now=True)
