"""A stand-in for OpenSearch 2 and 3 on loopback.

No OpenSearch server could be had where this was written, so this speaks for it: it
was made from the published interface and has never been compared with a real server.
It is strict where a real one is: it refuses unknown paths, bodies that are not JSON or
NDJSON with a newline at the end, content types it does not take, fields that a strict
mapping lacks, vectors of another length, `from`-less deep pages; and it answers with
the real one's forms and statuses. Its scores are counts of shared words and true
cosines, so only the order of clear cases means anything.
"""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

_WORD = re.compile(r"\w+")


class RefusedError(Exception):
    """An answer with an error, in the form of the real one."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.content = {
            "error": {
                "root_cause": [{"type": kind, "reason": reason}],
                "type": kind,
                "reason": reason,
            },
            "status": status,
        }


@dataclass
class Cluster:
    """The state, and what was asked."""

    login: tuple[str, str] | None = None
    indices: dict[str, dict[str, Any]] = field(default_factory=dict)
    passages: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    failing: dict[str, tuple[int, str]] = field(default_factory=dict)  # by last part
    full_queue_after: int | None = None  # passages, then 429 for single items
    garbage: bytes | None = None
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        return [path for _, path in self.asked]

    def answer(
        self, method: str, path: str, query: str, headers: Any, body: bytes
    ) -> Any:
        self.asked.append((method, path))
        self._check_login(headers)
        _, index, *rest = path.split("/")
        action = rest[0] if rest else ""
        if action in self.failing:
            status, kind = self.failing[action]
            raise RefusedError(status, kind, "as the test wants it")
        if method == "PUT" and not action:
            return self._create(index, _json(headers, body))
        if method == "HEAD" and not action:
            return None if index in self.indices else 404
        if index not in self.indices:
            raise RefusedError(
                404, "index_not_found_exception", f"no such index [{index}]"
            )
        known = {
            ("GET", "_mapping"): lambda: {index: {"mappings": self._mappings(index)}},
            ("POST", "_refresh"): lambda: {"_shards": {"failed": 0}},
            ("PUT", "_bulk"): lambda: self._bulk(index, headers, body),
            ("POST", "_bulk"): lambda: self._bulk(index, headers, body),
            ("POST", "_search"): lambda: self._search(index, _json(headers, body)),
            ("GET", "_search"): lambda: self._search(index, _json(headers, body)),
            ("POST", "_delete_by_query"): lambda: self._delete(
                query, _json(headers, body)
            ),
        }
        if (method, action) not in known:
            raise RefusedError(400, "illegal_argument_exception", f"{method} {path}")
        return known[method, action]()

    def _check_login(self, headers: Any) -> None:
        if self.login is None:
            return
        login = headers.get("authorization", "")
        expected = base64.b64encode(":".join(self.login).encode()).decode()
        if login != f"Basic {expected}":
            raise RefusedError(401, "security_exception", "Unauthorized")

    def _create(self, index: str, body: dict[str, Any]) -> dict[str, Any]:
        assert body.keys() == {"settings", "mappings"}
        kinds = {"keyword", "text", "integer", "knn_vector"}
        for name, one in body["mappings"]["properties"].items():
            if one["type"] not in kinds:
                raise RefusedError(400, "mapper_parsing_exception", name)
            if one["type"] == "knn_vector" and not body["settings"]["index"]["knn"]:
                raise RefusedError(400, "mapper_parsing_exception", "index.knn is off")
        self.indices[index] = body
        return {"acknowledged": True, "shards_acknowledged": True, "index": index}

    def _mappings(self, index: str) -> Any:
        return self.indices[index]["mappings"]

    def _bulk(self, index: str, headers: Any, body: bytes) -> dict[str, Any]:
        kind = headers.get("content-type", "")
        if not kind.startswith(("application/x-ndjson", "application/json")):
            raise RefusedError(406, "media_type_header_exception", kind)
        text = body.decode()
        if not text.endswith("\n"):
            raise RefusedError(
                400,
                "illegal_argument_exception",
                "The bulk request must be terminated by a newline [\\n]",
            )
        lines = [json.loads(line) for line in text.splitlines()]
        items = []
        for action, fields in zip(lines[::2], lines[1::2], strict=True):
            assert action.keys() == {"index"}
            items.append({"index": self._put(index, action["index"]["_id"], fields)})
        failed = any("error" in item["index"] for item in items)
        return {"took": 1, "errors": failed, "items": items}

    def _put(self, index: str, number: str, fields: dict[str, Any]) -> dict[str, Any]:
        known = self._mappings(index)["properties"]
        for name, value in fields.items():
            if name not in known:
                return _failed(400, "strict_dynamic_mapping_exception", name)
            if (
                known[name]["type"] == "knn_vector"
                and len(value) != known[name]["dimension"]
            ):
                return _failed(400, "mapper_parsing_exception", "dimension")
        if (
            self.full_queue_after is not None
            and len(self.passages) >= self.full_queue_after
        ):
            return _failed(429, "rejected_execution_exception", "queue is full")
        self.passages[number] = fields
        return {"_index": index, "_id": number, "status": 201, "result": "created"}

    def _delete(self, query: str, body: dict[str, Any]) -> dict[str, Any]:
        assert parse_qs(query)["conflicts"] == ["proceed"]
        [filtered] = body["query"]["bool"]["filter"]
        spared = body["query"]["bool"]["must_not"]
        gone = [
            number
            for number, one in self.passages.items()
            if _matches(filtered, one) and not any(_matches(s, one) for s in spared)
        ]
        for number in gone:
            del self.passages[number]
        return {"took": 1, "timed_out": False, "deleted": len(gone), "failures": []}

    def _search(self, index: str, body: dict[str, Any]) -> dict[str, Any]:
        if body["size"] > 10_000:
            raise RefusedError(
                400, "illegal_argument_exception", "Result window is too large"
            )
        scored = sorted(self._scored(index, body["query"]), key=lambda one: -one[0])
        if "sort" in body:
            [[name]] = [list(one) for one in body["sort"]]
            after = body.get("search_after", [""])[0]
            scored = sorted(
                (one for one in scored if one[1][name] > after),
                key=lambda one: one[1][name],
            )
        seen: set[str] = set()
        hits = []
        for score, fields in scored:
            group = (
                fields[body["collapse"]["field"]]
                if "collapse" in body
                else str(len(hits))
            )
            if group in seen or len(hits) >= body["size"]:
                continue
            seen.add(group)
            hit = {"_index": index, "_score": score, "_source": _chosen(body, fields)}
            if "sort" in body:
                hit |= {"_score": None, "sort": [fields["document"]]}
            hits.append(hit)
        return {"took": 1, "timed_out": False, "hits": {"hits": hits}}

    def _scored(
        self, index: str, query: dict[str, Any]
    ) -> Iterator[tuple[float, dict[str, Any]]]:
        if "knn" in query:
            if "vector" not in self._mappings(index)["properties"]:
                raise RefusedError(400, "query_shard_exception", "no vector field")
            assert query["knn"]["vector"].keys() == {"vector", "k"}
        for one in self.passages.values():
            score = _score(query, one)
            if score is not None:
                yield score, one


def _score(query: dict[str, Any], fields: dict[str, Any]) -> float | None:
    """How well a passage fits; `None` where it does not."""
    if "knn" in query:
        wanted = query["knn"]["vector"]["vector"]
        near = sum(a * b for a, b in zip(wanted, fields["vector"], strict=True))
        return float(1 + near) / 2
    if "should" in query["bool"]:
        shared = sum(_shared(match, fields) for match in query["bool"]["should"])
        return shared or None
    fits = all(_matches(clause, fields) for clause in query["bool"]["filter"])
    return 0.0 if fits else None


def _shared(clause: dict[str, Any], fields: dict[str, Any]) -> float:
    match = clause["match"]["text"]
    assert match.keys() == {"query", "boost"}
    words = set(_WORD.findall(match["query"].lower()))
    return float(match["boost"]) * len(
        words & set(_WORD.findall(fields["text"].lower()))
    )


def _matches(clause: dict[str, Any], fields: dict[str, Any]) -> bool:
    if "term" in clause:
        [(name, value)] = clause["term"].items()
        return bool(fields[name] == value)
    [(name, values)] = clause["terms"].items()
    return fields[name] in values


def _chosen(body: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    wanted = body["_source"]
    if isinstance(wanted, list):
        return {name: fields[name] for name in wanted if name in fields}
    return {n: v for n, v in fields.items() if n not in wanted["excludes"]}


def _failed(status: int, kind: str, reason: str) -> dict[str, Any]:
    return {"status": status, "error": {"type": kind, "reason": reason}}


def _json(headers: Any, body: bytes) -> Any:
    if not headers.get("content-type", "").startswith("application/json"):
        raise RefusedError(
            406, "media_type_header_exception", "Content-Type header is missing"
        )
    return json.loads(body)


@contextmanager
def running(cluster: Cluster) -> Iterator[Cluster]:
    """Serve `cluster` on a free port of 127.0.0.1."""

    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # a kept connection would wait 40 ms each time
        protocol_version = "HTTP/1.1"

        def _handle(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            parts = urlsplit(self.path)
            status, content = 200, b""
            try:
                found = cluster.answer(
                    self.command, parts.path, parts.query, self.headers, body
                )
                if isinstance(found, int):
                    status = found
                elif found is not None:
                    content = json.dumps(found).encode()
            except RefusedError as error:
                status, content = error.status, json.dumps(error.content).encode()
            if cluster.garbage is not None and self.command != "HEAD":
                content = cluster.garbage
            self.send_response(status)
            self.send_header("content-type", "application/json; charset=UTF-8")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = _handle  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    cluster.port = server.server_port
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield cluster
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
