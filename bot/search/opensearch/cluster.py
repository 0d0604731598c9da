"""Speaks to one index of an OpenSearch cluster."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import (
    ConnectionError as NoConnectionError,
)
from opensearchpy.exceptions import (
    ConnectionTimeout,
    OpenSearchException,
    SSLError,
    TransportError,
)
from pydantic import ValidationError

from bot.models.encoder import DIMENSIONS
from bot.search.opensearch.answers import Answer, Hit, Source
from handlers.ports import PermanentError, TemporaryError

# Tells the failures of an OpenSearch cluster apart.
# What passes by itself (a full queue, a restart, a time-out) is a `TemporaryError`;
# what a person must change (the password, the address, an index of another kind) is a
# `PermanentError` with the remedy.

RETRY_S = 30.0
_BUSY = frozenset({408, 429, 502, 503, 504})
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Failures:
    """How the failures of one index at one address are put to a person."""

    address: str
    index: str

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn what the library raises in here into one of our two failures."""
        try:
            yield
        except SSLError as error:
            raise PermanentError(
                f"the certificate of OpenSearch at {self.address} is not valid; have it"
                " signed by an authority that this machine trusts"
            ) from error
        except (ConnectionTimeout, NoConnectionError) as error:
            raise TemporaryError(
                f"OpenSearch at {self.address} does not answer; check that it runs, and"
                " SIDENOTE_OPENSEARCH_ADDRESS",
                retry_in_s=RETRY_S,
            ) from error
        except TransportError as error:
            status = error.status_code if isinstance(error.status_code, int) else 400
            raise self.of(status, error.info) from error
        except (
            OpenSearchException,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
        ) as error:
            raise PermanentError(
                f"what {self.address} answers is not of OpenSearch ({error}); check"
                " SIDENOTE_OPENSEARCH_ADDRESS"
            ) from error

    def of(self, status: int, info: object) -> PermanentError | TemporaryError:
        """Return the failure for an answer with `status` and what it says."""
        why = _reason(info)
        if status in _BUSY:
            return TemporaryError(
                f"OpenSearch at {self.address} is too busy ({status}: {why})",
                retry_in_s=RETRY_S,
            )
        if status in {401, 403}:
            return PermanentError(
                f"OpenSearch at {self.address} refuses us ({status}: {why}); check"
                " SIDENOTE_OPENSEARCH_USER, SIDENOTE_OPENSEARCH_PASSWORD and that user's"
                " rights"
            )
        if "index_not_found" in why:
            return PermanentError(
                f"there is no index {self.index} at {self.address}; make it with"
                " `sidenote index FOLDER --opensearch`"
            )
        return PermanentError(
            f"OpenSearch at {self.address} does not take our request ({status}: {why});"
            f" if the index {self.index} is of another program, name another with"
            " SIDENOTE_OPENSEARCH_INDEX"
        )


def _reason(info: object) -> str:
    """Return the type and reason of an error as OpenSearch writes it."""
    error = info.get("error", info) if isinstance(info, Mapping) else info
    if isinstance(error, Mapping):
        error = f"{error.get('type', '')}: {error.get('reason', '')}"
    text = "".join(sign if sign.isprintable() else " " for sign in str(error))
    return text[:_MAX_REASON]


FORMAT = "1"
_PAGE = 200  # documents listed at once
_KEYWORDS = ("collection", "kind", "document", "key", "mark", "told", "sha256")


class Cluster:
    """One index there. Blocking: call it from a thread.

    Args:
        address: http(s) address of the cluster.
        index: its name.
        user: empty where no login is asked for.
        password: of that user.
        timeout_s: how long one answer may take.
    """

    def __init__(
        self,
        address: str,
        *,
        index: str,
        user: str = "",
        password: str = "",
        timeout_s: float = 30.0,
    ) -> None:
        self._address = address
        self._index = index
        self._failures = Failures(address, index)
        self._client = OpenSearch(
            [address],
            http_auth=(user, password) if user else None,
            timeout=timeout_s,
            max_retries=0,
            retry_on_status=(),
            retry_on_timeout=False,
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def prepare(self, encoder: str | None) -> None:
        """Make the index if there is none.

        Raises:
            PermanentError: there is one of another format, or with other vectors.
        """
        with self._failures.told():
            if not self._client.indices.exists(index=self._index):
                self._client.indices.create(index=self._index, body=_body(encoder))
                return
        about = self._mappings().get("_meta", {})
        if (about.get("format"), about.get("encoder")) != (FORMAT, encoder or "none"):
            raise PermanentError(
                f"the index {self._index} at {self._address} was made otherwise (format"
                f" {about.get('format')}, encoder {about.get('encoder')}); delete it, or"
                " name another with SIDENOTE_OPENSEARCH_INDEX"
            )

    def has_vectors(self) -> bool:
        """Tell whether passages can be found by meaning."""
        return "vector" in self._mappings().get("properties", {})

    def _mappings(self) -> dict[str, Any]:
        with self._failures.told():
            answer = self._client.indices.get_mapping(index=self._index)
            for one in answer.values():  # of the one index, by its name
                return dict(one["mappings"])
            raise ValueError("no mapping")

    def known(self, collection: str) -> Iterator[Source]:
        """Yield the first passage of every document of a collection."""
        with self._failures.told():
            self._client.indices.refresh(index=self._index)
        query = {
            "bool": {
                "filter": [
                    {"term": {"collection": collection}},
                    {"term": {"number": 0}},
                ]
            }
        }
        body: dict[str, Any] = {
            "size": _PAGE,
            "query": query,
            "sort": [{"document": "asc"}],
            "_source": {"excludes": ["text", "vector"]},
        }
        while True:
            page = self.search(body)
            yield from (hit.source for hit in page)
            if len(page) < _PAGE:
                return
            body = {**body, "search_after": page[-1].sort}

    def write(self, passages: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Put passages in by their ids, in place of what has the same id."""
        if not passages:
            return
        lines = [
            json.dumps(line, ensure_ascii=True)
            for number, fields in passages
            for line in ({"index": {"_id": number}}, fields)
        ]
        with self._failures.told():
            answer = self._client.bulk(body="\n".join(lines) + "\n", index=self._index)
        if not answer.get("errors"):
            return
        for item in answer.get("items", []):
            failed = item.get("index", {})
            if failed.get("error"):
                raise self._failures.of(int(failed.get("status", 400)), failed["error"])

    def forget(self, documents: Sequence[str], *, but: Sequence[str] = ()) -> None:
        """Delete all passages of documents, except those with the content `but`."""
        if not documents:
            return
        query = {
            "bool": {
                "filter": [{"terms": {"document": list(documents)}}],
                "must_not": [{"terms": {"sha256": list(but)}}] if but else [],
            }
        }
        with self._failures.told():
            self._client.delete_by_query(
                index=self._index,
                body={"query": query},
                params={"conflicts": "proceed", "refresh": "true"},
            )

    def refresh(self) -> None:
        """Let searches see what was written."""
        with self._failures.told():
            self._client.indices.refresh(index=self._index)

    def search(self, body: Mapping[str, Any]) -> list[Hit]:
        """Return the hits of a search."""
        with self._failures.told():
            answer = self._client.search(index=self._index, body=body)
        try:
            read = Answer.model_validate(answer)
        except ValidationError as error:
            raise PermanentError(
                f"what {self._address} answers is not of OpenSearch; check"
                " SIDENOTE_OPENSEARCH_ADDRESS"
            ) from error
        if read.timed_out:
            raise TemporaryError(
                f"OpenSearch at {self._address} did not finish its search",
                retry_in_s=RETRY_S,
            )
        return read.hits.hits


def _body(encoder: str | None) -> dict[str, Any]:
    """Return what the index is: keywords for us, English words, and vectors."""
    properties: dict[str, Any] = {name: {"type": "keyword"} for name in _KEYWORDS}
    properties |= {
        "address": {"type": "keyword", "index": False, "doc_values": False},
        "title": {"type": "text", "index": False},
        "number": {"type": "integer"},
        "text": {"type": "text", "analyzer": "english"},
    }
    if encoder:
        properties["vector"] = {
            "type": "knn_vector",
            "dimension": DIMENSIONS,
            "method": {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"},
        }
    return {
        "settings": {"index": {"knn": bool(encoder)}},
        "mappings": {
            "dynamic": "strict",
            "_meta": {"format": FORMAT, "encoder": encoder or "none"},
            "properties": properties,
        },
    }
