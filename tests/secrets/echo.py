"""A server that refuses everything, and tells in its refusal all that it was sent."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

_PLAIN = frozenset(
    {
        "accept", "accept-encoding", "connection", "content-length", "content-type",
        "host", "user-agent",
    }
)  # fmt: skip


class Echo(BaseHTTPRequestHandler):
    """Answers as a wiki that cannot, or as a service that does not let us in."""

    def do_GET(self) -> None:
        """Refuse, and repeat path, headers and body."""
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode("latin-1")
        # Messages are cut: what is most likely to be secret stands first.
        shown = [v for k, v in self.headers.items() if k.lower() not in _PLAIN]
        received = f"{' '.join(shown)} {body} {self.path} {self.headers}"
        assert isinstance(self.server, _Server)
        self.server.received.append(received)
        is_wiki = "/api.php" in self.path
        answer = json.dumps(_answer(self.path, body, received)).encode()
        self.send_response(200 if is_wiki else 401, "No")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_PUT = do_HEAD = do_DELETE = do_GET  # noqa: N815 - the library's names

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _answer(path: str, body: str, received: str) -> dict[str, object]:
    """Return a refusal; who wants to log in at a wiki is let come as far as that."""
    if "lgpassword=" in body:
        return {"login": {"result": "Failed", "reason": f"{body} {received}"}}
    if "login" in path:
        return {"query": {"tokens": {"logintoken": "0123"}}}
    if "assert=" not in path and "meta=userinfo" in path:
        return {"query": {"userinfo": {"id": 0, "name": "127.0.0.1", "anon": True}}}
    code = "assertuserfailed" if "assert=user" in path else "internal_api_error"
    error: object = {"code": code, "info": received, "message": received}
    if "/oauth2/" in path:
        error = "invalid_grant"
    return {"error": error, "message": received, "detail": received}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Echo)
        self.received: list[str] = []


@contextmanager
def echoing() -> Iterator[tuple[str, list[str]]]:
    """Serve; yield its address and what it was sent."""
    server = _Server()
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
