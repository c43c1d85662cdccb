"""A local HTTP server that answers embedding requests as a test wants, and keeps what it was sent."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = Callable[[dict[str, Any]], tuple[int, Any] | tuple[int, Any, dict[str, str]] | None]


class Service:
    """Serves until the end of its `with`; `answer` gives status, content and headers, or None to hang up."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []
        self.answer: Answer = ollama
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                service.requests.append((self.path, self.headers.get("Authorization"), body))
                answered = service.answer(body)
                if answered is None:
                    return
                status, content, *more = answered
                data = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(data)), **(more[0] if more else {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # the client has seen enough
                    self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self._thread.join()
        self.server.server_close()

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of every request after the first, which asks for the dimension."""
        return [body["input"] for _, _, body in self.requests[1:]]


def length_vector(text: str) -> list[float]:
    return [float(len(text)), 0.0, 0.0, 1.0]


def ollama(body: dict[str, Any]) -> tuple[int, Any]:
    """What Ollama would answer, with the length of a text as its meaning."""
    return 200, {"embeddings": [length_vector(text) for text in body["input"]]}


def openai(body: dict[str, Any]) -> tuple[int, Any]:
    """What OpenAI would answer; it may give the vectors in any order."""
    rows = [{"index": place, "embedding": length_vector(text)} for place, text in enumerate(body["input"])]
    return 200, {"data": rows[::-1]}
