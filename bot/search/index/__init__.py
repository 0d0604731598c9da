"""A local index over documents on disk: words in tantivy, vectors in a flat file."""

from bot.search.index.collections import (
    CacheCollection,
    Collection,
    CollectionKind,
    FolderCollection,
    Item,
)
from bot.search.index.search import IndexedSources, IndexSearch, SearchMethod
from bot.search.index.update import Updater

__all__ = [
    "CacheCollection",
    "Collection",
    "CollectionKind",
    "FolderCollection",
    "IndexSearch",
    "IndexedSources",
    "Item",
    "SearchMethod",
    "Updater",
]
