"""The pages that the cache of sources holds: what was read once can be found again."""

from collections.abc import Iterator
from functools import partial

from bot.search.index.items import CollectionKind, Item
from bot.sources.cache import CachedPage, SourceCache


class CacheCollection:
    """All pages of one cache. Their content is known by its hash without being read.

    Args:
        cache: is only read from.
        max_bytes: size up to which a page is read.
    """

    kind = CollectionKind.CACHE
    name = "cache"

    def __init__(self, cache: SourceCache, *, max_bytes: int) -> None:
        self._cache = cache
        self.max_bytes = max_bytes

    def items(self) -> Iterator[Item]:
        """Yield the pages, the address that was asked for with each."""
        for page in self._cache.pages():
            yield Item(
                address=page.url,
                mark=page.sha256,
                read=partial(self._body, page),
                captured=page.fetched_at,
                content_type=page.content_type,
                told=page.content_type or "",
            )

    def _body(self, page: CachedPage) -> bytes:
        body = self._cache.body(page)
        if body is None:
            raise FileNotFoundError(None, "the cache no longer holds it")
        return body
