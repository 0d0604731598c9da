"""A local index over documents on disk: words in tantivy, vectors in a flat file."""

from bot.search.index.cached import CacheCollection
from bot.search.index.folder import FolderCollection
from bot.search.index.items import Collection, CollectionKind, Item, Update
from bot.search.index.reading import IndexedSources
from bot.search.index.searching import IndexSearch, SearchMethod
from bot.search.index.updating import Updater

__all__ = [
    "CacheCollection",
    "Collection",
    "CollectionKind",
    "FolderCollection",
    "IndexSearch",
    "IndexedSources",
    "Item",
    "SearchMethod",
    "Update",
    "Updater",
]
