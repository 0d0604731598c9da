"""A local index over documents on disk: words in tantivy, vectors in a flat file."""

from bot.adapters.index.cached import CacheCollection
from bot.adapters.index.folder import FolderCollection
from bot.adapters.index.items import Collection, CollectionKind, Item, Update
from bot.adapters.index.reading import IndexedSources
from bot.adapters.index.searching import IndexSearch, SearchMethod
from bot.adapters.index.updating import Updater

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
