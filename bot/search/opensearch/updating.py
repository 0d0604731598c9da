"""Brings an OpenSearch index up to date with a collection, document by document.

A document's first passage is written last, and it is the first passage that tells
whether a document is there unchanged; so one that a kill cut short is written again.
"""

import asyncio
import hashlib
from dataclasses import replace
from typing import Any

from bot.models.encoder import Encoder
from bot.search.index.items import Collection, Item, Progress, Update
from bot.search.opensearch.answers import Source
from bot.search.opensearch.cluster import Cluster
from bot.sources.extraction import TextExtractor
from handlers.citations.addresses import normal_key
from handlers.citations.passages import cut
from handlers.model import SourceText

_PASSAGES_AT_ONCE = 200
_LONGEST_KEYWORD = 8_000  # characters; the engine's own bound is 32,766 bytes


class OpenSearchUpdater:
    """Fulfils `bot.search.index.items.CanUpdate` over a cluster.

    Args:
        cluster: the index there.
        extractor: turns documents into text.
        encoder: `None` for an index of words alone.
        progress: is told of every document.
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
            TemporaryError: the cluster is out of reach or too busy.
            PermanentError: it refuses us, or the collection cannot be listed.
        """
        items = {normal_key(item.address): item for item in collection.items()}
        await asyncio.to_thread(
            self._cluster.prepare, self._encoder.name if self._encoder else None
        )
        known = {one.key: one for one in await self._known(collection)}
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

    async def _known(self, collection: Collection) -> list[Source]:
        return await asyncio.to_thread(
            lambda: list(self._cluster.known(collection.name))
        )

    async def _take(
        self,
        item: Item,
        key: str,
        old: Source | None,
        collection: Collection,
        found: Update,
    ) -> None:
        if old and (old.mark, old.told) == (item.mark, item.told):
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
        try:
            body = await asyncio.to_thread(item.read)
        except OSError as error:
            found.unreadable.append(
                (item.address, f"cannot be read ({error.strerror})")
            )
            return None
        if len(body) > collection.max_bytes or len(key) > _LONGEST_KEYWORD:
            found.unreadable.append((item.address, "it is too large"))
            return None
        extraction = await self._extractor.extract(
            body, content_type=item.content_type, url=item.address
        )
        if extraction.document is None:
            why = f"{extraction.outcome.value}: {extraction.detail}"
            found.unreadable.append((item.address, why))
            return None
        title = item.title or extraction.document.title
        return replace(extraction.document, title=title)

    async def _write(
        self, item: Item, key: str, collection: Collection, text: SourceText
    ) -> None:
        told = f"{collection.name}\n{key}"
        document = hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:32]
        content = f"{text.title}\n{text.text}"
        digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
        common = {
            "collection": collection.name,
            "kind": collection.kind.value,
            "document": document,
            "key": key,
            "address": item.address,
            "mark": item.mark,
            "told": item.told,
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
