"""A local index over documents on disk: words in tantivy, vectors in a flat file.

Folders of documents, or the cache, go in; documents that match a query come out. Start with
`search`. `collections` lists the documents, `update` indexes what is new, `catalogue` says
what is in an index, `storage` and `vectors` hold its words and vectors.
"""

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
