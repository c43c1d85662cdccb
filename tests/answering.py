"""A server elsewhere that always says the same."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version


@contextmanager
def answering(body: bytes, status: int = 200, **headers: str) -> Iterator[tuple[str, list[str]]]:
    """A server that always says the same, and the tokens that it was sent."""
    tokens: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            tokens.append(self.headers.get("Authorization", ""))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}", tokens
        served.shutdown()


def answered(result: object) -> bytes:
    """Both what a server of this version says of itself and the answer of any tool."""
    about = {"io.modelcontextprotocol/serverInfo": {"name": "cocosearch-py", "version": version("cocosearch-py")}}
    told = result if isinstance(result, dict) else {"structuredContent": result}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"_meta": about, **told}}).encode()
