"""A language model's server on loopback: the chat-completions protocol, byte for byte.

What it answers is a list of scripts, one for each request, the last one for all
that follow. A script gets the request and writes what it likes to the connection.
"""

import asyncio
import contextlib
import json
import re
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    line: str
    headers: Mapping[str, str]  # names in lower case
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])

    @property
    def mark(self) -> str:
        """The mark that the untrusted parts stand between."""
        [mark] = set(re.findall(r"^\[(data-[0-9a-f]+) ", self.user, re.MULTILINE))
        return str(mark)

    @property
    def parts(self) -> dict[str, str]:
        """The parts by their labels."""
        pattern = rf"^\[{self.mark} ([^\]]*)\]\n(.*?)\n\[/{self.mark}\]$"
        found = re.findall(pattern, self.user, re.MULTILINE | re.DOTALL)
        return dict(found)

    @property
    def claims(self) -> dict[str, str]:
        """The claims by their ids."""
        return {
            label.removeprefix("claim "): text.rpartition("Claim: ")[2]
            for label, text in self.parts.items()
            if label.startswith("claim ")
        }

    @property
    def excerpts(self) -> str:
        """All that is sent of the sources."""
        return "\n".join(
            text for label, text in self.parts.items() if label.startswith("source ")
        )


_DIGITS = re.compile(r"\d+")
Script = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class ModelServer:
    """The scripts, and what was asked."""

    scripts: list[Script] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0
    at_once: int = 0
    most_at_once: int = 0
    scheme: str = "http"

    @property
    def address(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = head.rstrip().split("\r\n")
        headers = {
            name.lower(): value for name, value in (one.split(": ", 1) for one in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Asked(line, headers, json.loads(body or b"{}"))
        self.asked.append(request)
        script = self.scripts[min(len(self.asked), len(self.scripts)) - 1]
        await script(request, writer)


# --- what a server answers ----------------------------------------------------


def http(status: str, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """One HTTP answer with the headers that real servers send."""
    named = {
        "date": "Sat, 21 Nov 2026 12:00:00 GMT",
        "server": "uvicorn",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "connection": "close",
        **(headers or {}),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + body


def completion(
    content: object,
    *,
    finish: str | None = "stop",
    refusal: str | None = None,
    usage: object = "counted",
    sent: Asked | None = None,
    **message: object,
) -> bytes:
    """A chat completion as vLLM, llama.cpp and OpenAI write it."""
    counted = {
        "prompt_tokens": (len(sent.system + sent.user) // 4) if sent else 100,
        "completion_tokens": max(1, len(str(content)) // 4),
    }
    counted["total_tokens"] = sum(counted.values())
    return json.dumps(
        {
            "id": "chatcmpl-9f2c",
            "object": "chat.completion",
            "created": 1795262400,
            "model": sent.body["model"] if sent else "m",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": content,
                        "refusal": refusal,
                        **message,
                    },
                    "logprobs": None,
                    "finish_reason": finish,
                }
            ],
            "usage": counted if usage == "counted" else usage,
        }
    ).encode()


def error_body(
    message: str, kind: str, code: str | None, param: str | None = None
) -> bytes:
    """An error as OpenAI writes it."""
    return json.dumps(
        {"error": {"message": message, "type": kind, "param": param, "code": code}}
    ).encode()


def sends(raw: bytes) -> Script:
    """Send exactly these bytes."""

    async def script(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()

    return script


def fails(status: str, body: bytes = b"", **headers: str) -> Script:
    """Answer with an error; `retry_after="2"` becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return sends(http(status, body, named))


def says(content: object, **more: Any) -> Script:
    """Answer with a completion of this content."""

    async def script(request: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(http("200 OK", completion(content, sent=request, **more)))
        await writer.drain()

    return script


def answers(reply: Callable[[Asked], object]) -> Script:
    """Answer each question with what `reply` makes of it, as JSON."""

    async def script(request: Asked, writer: asyncio.StreamWriter) -> None:
        content = json.dumps(reply(request))
        writer.write(http("200 OK", completion(content, sent=request)))
        await writer.drain()

    return script


def judges(
    judge: Callable[[str, Asked], tuple[str, str]], of: Collection[str] | None = None
) -> Script:
    """Answer each claim with the verdict and the quote that `judge` gives for it.

    Of the claim that nobody makes, which each question holds, nothing is stated. It is
    the one that is not `of` the article; without these, the one whose numbers are in
    none of the sources.
    """

    def is_made_up(claim: str, request: Asked) -> bool:
        if of is not None:
            return claim.rstrip(".") not in {one.rstrip(".") for one in of}
        stated = set(_DIGITS.findall(request.excerpts))
        return not set(_DIGITS.findall(claim)) <= stated

    def reply(request: Asked) -> object:
        judged = []
        for name, claim in request.claims.items():
            verdict, quote = (
                ("not stated", "")
                if is_made_up(claim, request)
                else judge(claim, request)
            )
            quotes = [quote] if quote else []
            judged.append(
                {"id": name, "quotes": quotes, "reason": "", "verdict": verdict}
            )
        return {"answers": judged}

    return answers(reply)


async def hangs(_: Asked, writer: asyncio.StreamWriter) -> None:
    """Answer nothing until the other side gives up."""
    await writer.wait_closed()


async def drips(_: Asked, writer: asyncio.StreamWriter) -> None:
    """Send a byte now and then, so that no read ever waits long."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
    while not writer.transport.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


def floods(head: bytes) -> Script:
    """Send `head` and then spaces without end."""

    async def script(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b" " * 65_536)
            await writer.drain()

    return script


async def resets(_: Asked, writer: asyncio.StreamWriter) -> None:
    """Send half an answer and reset the connection."""
    writer.write(http("200 OK", completion("{}"))[:150])
    await writer.drain()
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@contextlib.asynccontextmanager
async def serving(
    *scripts: Script, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ModelServer]:
    """Serve on a free port of 127.0.0.1."""
    model = ModelServer(list(scripts), scheme="https" if tls else "http")
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        model.at_once += 1
        model.most_at_once = max(model.most_at_once, model.at_once)
        try:
            with (
                contextlib.suppress(ConnectionError, asyncio.IncompleteReadError),
                contextlib.closing(writer),
            ):
                await model.serve(reader, writer)
        finally:
            model.at_once -= 1
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    model.port = server.sockets[0].getsockname()[1]
    try:
        yield model
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
