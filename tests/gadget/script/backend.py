"""A backend on loopback that says what a test has planned, with the payloads' own shapes.

It also serves the page that the script stands on, under a strict content security
policy, so that nothing else than our own files can run or be fetched.
"""

import http.server
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gadget.bundle import bundle, read_styles, stylesheet

API = "/api/v1"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' %s;"
    " img-src 'self'; base-uri 'none'; form-action 'none'"
)
CONFIG: Mapping[str, object] = {"backend": "", "bot": "SidenoteBot"}


@dataclass(frozen=True)
class Request:
    """A request to the API, as it came."""

    method: str
    path: str  # without its beginning
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: Any = None


@dataclass(frozen=True)
class Reply:
    """An answer; `raw` in place of a body is sent as it is, and may be cut."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    is_cut: bool = False


_OF_ANY_ORIGIN: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key",
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
}
Plan = Callable[[Request], Reply]


def problem(
    status: int,
    code: str,
    message: str,
    retry_in_s: int | None = None,
    reason: tuple[str, ...] = (),
) -> Reply:
    """Say what is wrong as the API does; `reason` is the key of a message, and values."""
    error: dict[str, object] = {
        "code": code,
        "message": message,
        "retry_in_s": retry_in_s,
        "reason": None,
    }
    if reason:
        key, *values = reason
        error["reason"] = {"key": key, "english": message, "values": values}
    headers = {"Retry-After": str(retry_in_s)} if retry_in_s else {}
    return Reply(status, {"error": error}, headers)


class Backend:
    """The API as planned, and the requests that it got."""

    def __init__(self, address: str, entries: tuple[str, ...]) -> None:
        self.address = address
        self.plan: Plan = lambda _: problem(404, "unknown", "There is nothing here.")
        self.requests: list[Request] = []
        self.strays: list[str] = []  # paths that nothing of ours asks for
        self.config: dict[str, object] = {}
        self.language = "en"
        self.theme = ""
        self.other = ""  # another origin that the page may ask
        self.article = '<h1>Sidenote</h1><div id="place"></div>'
        self._files = {
            "/mw.js": ("text/javascript", _shipped("local_page", "mw.js")),
            "/codex.css": ("text/css", _shipped("local_page", "codex.css")),
            "/own.css": ("text/css", stylesheet("own.css", _styles()).encode()),
            **{
                f"/{entry}": ("text/javascript", bundle(entry, CONFIG).encode())
                for entry in entries
            },
        }
        self._entries = entries

    def of(self, path: str) -> list[Request]:
        """Return what was asked below a path of the API."""
        return [request for request in self.requests if request.path.startswith(path)]

    def page(self) -> bytes:
        direction = "rtl" if self.language == "ar" else "ltr"
        config = {"wgUserLanguage": self.language, **self.config}
        scripts = "".join(
            f'<script src="/{entry}"></script>' for entry in self._entries
        )
        held = json.dumps(config).replace("&", "&amp;").replace('"', "&quot;")
        return (
            f'<!doctype html><html lang="{self.language}" dir="{direction}"'
            f' class="{self.theme}"><head><meta charset="utf-8"><title>Queue</title>'
            '<meta name="viewport" content="width=device-width">'
            f'<meta name="mw-config" content="{held}">'
            '<link rel="stylesheet" href="/codex.css"><link rel="stylesheet"'
            ' href="/own.css"><script src="/mw.js"></script></head><body>'
            f'<main id="content">{self.article}</main>{scripts}'
            "</body></html>"
        ).encode()

    def file(self, path: str) -> tuple[str, bytes] | None:
        if path == "/page":
            return "text/html; charset=utf-8", self.page()
        return self._files.get(path)


@contextmanager
def serve_backend(*entries: str) -> Iterator[Backend]:
    """Serve bundles of these entries, their page, and the API as planned."""

    class Answering(_Handler):
        pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads = True
        Answering.backend = Backend(
            f"http://127.0.0.1:{server.server_address[1]}", entries
        )
        thread = threading.Thread(
            target=server.serve_forever, args=(0.02,), daemon=True
        )
        thread.start()
        yield Answering.backend
        server.shutdown()


class _Handler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True
    protocol_version = "HTTP/1.1"
    backend: Backend

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        found = self.backend.file(parts.path)
        if found is not None:
            kind, content = found
            headers = {
                "Content-Security-Policy": POLICY % self.backend.other,
                "Content-Type": kind,
            }
            self._send(200, headers, content)
        elif parts.path.startswith(API):
            self._answer()
        else:
            if parts.path != "/favicon.ico":
                self.backend.strays.append(self.path)
            self._send(404, {}, b"")

    def do_POST(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def do_OPTIONS(self) -> None:
        self._send(204, _OF_ANY_ORIGIN, b"")

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(
            self.command,
            parts.path.removeprefix(API),
            parse_qs(parts.query),
            {name.lower(): value for name, value in self.headers.items()},
            json.loads(content) if content else None,
        )
        self.backend.requests.append(request)
        answer = self.backend.plan(request)
        raw = answer.raw
        if raw is None:
            raw = b"" if answer.status == 204 else json.dumps(answer.body).encode()
        headers = {
            "Content-Type": "application/json",
            **_OF_ANY_ORIGIN,
            **answer.headers,
        }
        self._send(answer.status, headers, raw, is_cut=answer.is_cut)

    def _send(
        self,
        status: int,
        headers: Mapping[str, str],
        content: bytes,
        *,
        is_cut: bool = False,
    ) -> None:
        with suppress(ConnectionError):  # whoever asked may have left
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if status != 204:
                self.send_header("Content-Length", str(len(content) + 100 * is_cut))
            self.end_headers()
            self.wfile.write(content)
        if is_cut:
            self.close_connection = True


def _shipped(folder: str, name: str) -> bytes:
    return (files("gadget") / folder / name).read_bytes()


def _styles() -> list[str]:
    known = ("cards.css", "panel.css", "dialog.css", "queue.css")
    return [name for name in known if name in read_styles()]
