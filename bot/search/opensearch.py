"""Searches a corpus too large for one machine, in OpenSearch."""

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConnectionError as NoConnectionError
from opensearchpy.exceptions import (
    ConnectionTimeout,
    OpenSearchException,
    SSLError,
    TransportError,
)
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.models.encoder import DIMENSIONS, Encoder
from bot.search.index.collections import Collection, Item, Progress, Update, text_of
from bot.search.index.search import SearchMethod
from bot.sources.extraction import TextExtractor
from handlers.citations.passages import cut
from handlers.model import Found, Query, SourceText
from handlers.ports import PermanentError, TemporaryError
from handlers.search import parts, wording
from handlers.sources.addresses import normal_key

__all__ = ["Cluster", "OpenSearchSearch", "OpenSearchUpdater"]


# The answer of an OpenSearch search, as far as we read it.


class NoIndexError(PermanentError):
    """The cluster answers, and has no index of ours."""


class Source(BaseModel):
    """A passage as stored there."""

    model_config = ConfigDict(extra="ignore")

    document: str
    key: str
    kind: str
    address: str
    mark: str = ""
    metadata: str = Field("", alias="told")
    sha256: str = ""
    title: str | None = None
    text: str = ""


class Hit(BaseModel):
    """A passage in an answer; `sort` is where the next page of a listing begins."""

    model_config = ConfigDict(extra="ignore")

    score: float | None = Field(None, alias="_score")
    source: Source = Field(alias="_source")
    sort: list[Any] = []


class _Hits(BaseModel):
    hits: list[Hit]


class Answer(BaseModel):
    """The answer to a search; if it timed out, hits may be missing."""

    hits: _Hits
    timed_out: bool = False


RETRY_S = 30.0
_BUSY = frozenset({408, 429, 502, 503, 504})
_MAX_REASON = 300


def _reason(info: object) -> str:
    """Return the type and reason of an error as OpenSearch writes it."""
    error = info.get("error", info) if isinstance(info, Mapping) else info
    if isinstance(error, Mapping):
        error = f"{error.get('type', '')}: {error.get('reason', '')}"
    text = "".join(sign if sign.isprintable() else " " for sign in str(error))
    return text[:_MAX_REASON]


FORMAT = "1"
_PAGE = 200  # documents listed at once
# `told` holds the metadata of an item.
_KEYWORDS = ("collection", "kind", "document", "key", "mark", "told", "sha256")


class Cluster:
    """One index there. Blocking: call it from a thread.

    What resolves itself (a full queue, a restart, a time-out) is a `TemporaryError`;
    what a person must fix (the password, the address, an index of another kind) is a
    `PermanentError` with the remedy.

    Args:
        address: http(s) address of the cluster.
        index: its name.
        user: empty if no login is needed.
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
        self._client = OpenSearch(
            [address],
            http_auth=(user, password) if user else None,
            timeout=timeout_s,
            max_retries=0,
            retry_on_status=(),
            retry_on_timeout=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def prepare(self, encoder: str | None) -> None:
        """Create the index if there is none.

        Raises:
            PermanentError: there is one of another format, or with other vectors.
        """
        with self._explained():
            if not self._client.indices.exists(index=self._index):
                self._client.indices.create(index=self._index, body=_body(encoder))
                return
        about = self._mappings().get("_meta", {})
        if (about.get("format"), about.get("encoder")) != (FORMAT, encoder or "none"):
            raise PermanentError(
                f"the index {self._index} at {self._address} was made differently"
                " (format"
                f" {about.get('format')}, encoder {about.get('encoder')}); delete it, or"
                " name another with SIDENOTE_OPENSEARCH_INDEX"
            )

    def has_vectors(self) -> bool:
        """Return whether passages can be found by meaning."""
        return "vector" in self._mappings().get("properties", {})

    def _mappings(self) -> dict[str, Any]:
        with self._explained():
            answer = self._client.indices.get_mapping(index=self._index)
            for one in answer.values():  # of the one index, by its name
                return dict(one["mappings"])
            raise ValueError("no mapping")

    def known(self, collection: str) -> Iterator[Source]:
        """Yield the first passage of every document of a collection."""
        self.refresh()
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
        """Add passages by their ids, replacing those with the same id."""
        if not passages:
            return
        lines = [
            json.dumps(line, ensure_ascii=True)
            for number, fields in passages
            for line in ({"index": {"_id": number}}, fields)
        ]
        with self._explained():
            answer = self._client.bulk(body="\n".join(lines) + "\n", index=self._index)
        if not answer.get("errors"):
            return
        for item in answer.get("items", []):
            failed = item.get("index", {})
            if failed.get("error"):
                raise self._failure(int(failed.get("status", 400)), failed["error"])

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
        with self._explained():
            self._client.delete_by_query(
                index=self._index,
                body={"query": query},
                params={"conflicts": "proceed", "refresh": "true"},
            )

    def refresh(self) -> None:
        """Make what was written visible to searches."""
        with self._explained():
            self._client.indices.refresh(index=self._index)

    def search(self, body: Mapping[str, Any]) -> list[Hit]:
        """Return the hits of a search."""
        with self._explained():
            answer = self._client.search(index=self._index, body=body)
        try:
            read = Answer.model_validate(answer)
        except ValidationError as error:
            raise PermanentError(
                f"{self._address} does not answer as OpenSearch does; check"
                " SIDENOTE_OPENSEARCH_ADDRESS"
            ) from error
        if read.timed_out:
            raise TemporaryError(
                f"OpenSearch at {self._address} did not finish its search",
                retry_in_s=RETRY_S,
            )
        return read.hits.hits

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the library raises in here into one of our two failures."""
        try:
            yield
        except SSLError as error:
            raise PermanentError(
                f"the certificate of OpenSearch at {self._address} is not valid; have it"
                " signed by an authority that this machine trusts"
            ) from error
        except (ConnectionTimeout, NoConnectionError) as error:
            raise TemporaryError(
                f"OpenSearch at {self._address} does not answer; check that it runs, and"
                " SIDENOTE_OPENSEARCH_ADDRESS",
                retry_in_s=RETRY_S,
            ) from error
        except TransportError as error:
            status = error.status_code if isinstance(error.status_code, int) else 400
            raise self._failure(status, error.info) from error
        except (
            OpenSearchException,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
        ) as error:
            raise PermanentError(
                f"{self._address} does not answer as OpenSearch does ({error}); check"
                " SIDENOTE_OPENSEARCH_ADDRESS"
            ) from error

    def _failure(self, status: int, info: object) -> PermanentError | TemporaryError:
        """Return the failure for an answer with `status` and what it says."""
        why = _reason(info)
        if status in _BUSY:
            return TemporaryError(
                f"OpenSearch at {self._address} is too busy ({status}: {why})",
                retry_in_s=RETRY_S,
            )
        if status in {401, 403}:
            return PermanentError(
                f"OpenSearch at {self._address} refuses us ({status}: {why}); check"
                " SIDENOTE_OPENSEARCH_USER, SIDENOTE_OPENSEARCH_PASSWORD and that user's"
                " rights"
            )
        if "index_not_found" in why:
            return NoIndexError(
                f"there is no index {self._index} at {self._address}; create it with"
                " `sidenote index FOLDER --opensearch`"
            )
        return PermanentError(
            f"OpenSearch at {self._address} rejects our request ({status}: {why}); if"
            f" the index {self._index} belongs to another program, choose another with"
            " SIDENOTE_OPENSEARCH_INDEX"
        )


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


# Finds documents in OpenSearch, with the same query and the same fusion as locally.

_FEWEST = 100  # documents that each half proposes, at least
_FIELDS = ["document", "key", "kind", "address", "title", "text"]


class OpenSearchSearch:
    """Fulfils `handlers.ports.Search` over a cluster.

    An index without vectors is searched by words, whatever the method.
    """

    name = "OpenSearch"

    def __init__(
        self,
        cluster: Cluster,
        encoder: Encoder,
        method: SearchMethod = SearchMethod.MERGED,
    ) -> None:
        self._cluster = cluster
        self._encoder = encoder
        self._method = method

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        """Return at most `limit` documents, each once, best first.

        Raises:
            TemporaryError: the cluster is unreachable or too busy.
            PermanentError: it refuses us, or has no index of ours.
        """
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: Query, limit: int) -> list[Found]:
        size = max(limit, _FEWEST)
        method = self._method
        if method is not SearchMethod.SPARSE and not self._cluster.has_vectors():
            method = SearchMethod.SPARSE
        words = [] if method is SearchMethod.DENSE else self._by_words(query, size)
        meaning = [] if method is SearchMethod.SPARSE else self._by_meaning(query, size)
        best = {hit.source.key: hit for hit in (*reversed(meaning), *reversed(words))}
        scores = method.scores(
            {hit.source.key: hit.score or 0.0 for hit in reversed(words)},
            # The engine made a positive score of the cosine: (1 + cosine) / 2.
            {hit.source.key: 2 * (hit.score or 0.0) - 1 for hit in reversed(meaning)},
        )
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        return [_found(best[key], scores[key]) for key in ranked[:limit]]

    def _by_words(self, query: Query, size: int) -> list[Hit]:
        wanted = [
            {"match": {"text": {"query": part.text, "boost": part.weight}}}
            for part in parts(query)
        ]
        return self._hits({"bool": {"should": wanted}}, size) if wanted else []

    def _by_meaning(self, query: Query, size: int) -> list[Hit]:
        text = wording(query)
        if not text:
            return []
        vector = [round(float(x), 5) for x in self._encoder.encode(text)]
        return self._hits({"knn": {"vector": {"vector": vector, "k": size}}}, size)

    def _hits(self, query: dict[str, Any], size: int) -> list[Hit]:
        return self._cluster.search(
            {
                "size": size,
                "query": query,
                "collapse": {"field": "key"},  # the best passage of each document
                "_source": _FIELDS,
            }
        )


def _found(hit: Hit, score: float) -> Found:
    document = hit.source
    return Found(
        document.address, document.title, document.text, score, OpenSearchSearch.name
    )


_PASSAGES_AT_ONCE = 200
_LONGEST_KEYWORD = 8_000  # characters; the engine's own bound is 32,766 bytes


class OpenSearchUpdater:
    """Fulfils `bot.search.index.collections.CanUpdate` over a cluster.

    A document's first passage is written last, and it shows whether the document is
    there unchanged; so a document cut short by a kill is written again.

    Args:
        cluster: the index there.
        extractor: turns documents into text.
        encoder: `None` for an index of words alone.
        progress: is called for every document.
    """

    def __init__(
        self,
        cluster: Cluster,
        extractor: TextExtractor,
        encoder: Encoder | None,
        progress: Progress,
    ) -> None:
        self._cluster = cluster
        self._extractor = extractor
        self._encoder = encoder
        self._progress = progress

    async def update(self, collection: Collection) -> Update:
        """Make the index hold exactly what the collection has.

        Raises:
            TemporaryError: the cluster is unreachable or too busy.
            PermanentError: it refuses us, or the collection cannot be listed.
        """
        items = {normal_key(item.address): item for item in collection.items()}
        await asyncio.to_thread(
            self._cluster.prepare, self._encoder.name if self._encoder else None
        )
        known = await asyncio.to_thread(
            lambda: {one.key: one for one in self._cluster.known(collection.name)}
        )
        found = Update()
        gone = [one.document for key, one in known.items() if key not in items]
        await asyncio.to_thread(self._cluster.forget, gone)
        found.removed = len(gone)
        self._progress.started(len(items))
        for key, item in items.items():
            await self._take(item, key, known.get(key), collection, found)
            self._progress.advance()
        await asyncio.to_thread(self._cluster.refresh)
        return found

    async def _take(
        self,
        item: Item,
        key: str,
        old: Source | None,
        collection: Collection,
        found: Update,
    ) -> None:
        if old and (old.mark, old.metadata) == (item.mark, item.metadata):
            found.unchanged += 1
            return
        self._progress.reading(item.address)
        text = await self._text(item, key, collection, found)
        if text is None:
            if old:
                await asyncio.to_thread(self._cluster.forget, [old.document])
            return
        await self._write(item, key, collection, text)
        if old:
            found.updated += 1
        else:
            found.added += 1

    async def _text(
        self, item: Item, key: str, collection: Collection, found: Update
    ) -> SourceText | None:
        if len(key) > _LONGEST_KEYWORD:
            found.unreadable.append((item.address, "its address is too long"))
            return None
        try:
            body = await asyncio.to_thread(item.read)
        except OSError as error:
            why = f"cannot be read ({error.strerror or error})"
            found.unreadable.append((item.address, why))
            return None
        extraction = await text_of(item, body, self._extractor, collection.max_bytes)
        if extraction.document is None:
            why = f"{extraction.outcome.value}: {extraction.detail}"
            found.unreadable.append((item.address, why))
        return extraction.document

    async def _write(
        self, item: Item, key: str, collection: Collection, text: SourceText
    ) -> None:
        message = f"{collection.name}\n{key}"
        document = hashlib.sha256(message.encode("utf-8", "replace")).hexdigest()[:32]
        content = f"{text.title}\n{text.text}"
        digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
        common = {
            "collection": collection.name,
            "kind": collection.kind.value,
            "document": document,
            "key": key,
            "address": item.address,
            "mark": item.mark,
            "told": item.metadata,
            "sha256": digest,
            "title": text.title,
        }
        passages = [
            (f"{document}-{number}", {**common, **self._passage(number, passage.text)})
            for number, passage in enumerate(cut(text, key))
        ]
        for first in range(1, len(passages), _PASSAGES_AT_ONCE):
            await asyncio.to_thread(
                self._cluster.write, passages[first : first + _PASSAGES_AT_ONCE]
            )
        await asyncio.to_thread(self._cluster.forget, [document], but=[digest])
        await asyncio.to_thread(self._cluster.write, passages[:1])

    def _passage(self, number: int, text: str) -> dict[str, Any]:
        fields: dict[str, Any] = {"number": number, "text": text}
        if self._encoder:
            fields["vector"] = [round(float(x), 5) for x in self._encoder.encode(text)]
        return fields
