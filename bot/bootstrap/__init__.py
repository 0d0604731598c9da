"""The only place that names real tools: settings in, a ready checker out.

Each module makes one kind of tool. What a command does not need is not imported, so
that it starts quickly.
"""

from bot.bootstrap.checking import open_checker
from bot.bootstrap.folders import index_folder
from bot.bootstrap.language_model import open_draft_model, open_language_model
from bot.bootstrap.logs import configure_logging
from bot.bootstrap.searching import (
    cache_collection,
    folder_collection,
    open_opensearch,
    open_search,
    open_updater,
)
from bot.bootstrap.store import open_store
from bot.bootstrap.verifier import open_verifier
from bot.bootstrap.wiki import open_wiki, user_agent

__all__ = [
    "cache_collection",
    "configure_logging",
    "folder_collection",
    "index_folder",
    "open_checker",
    "open_draft_model",
    "open_language_model",
    "open_opensearch",
    "open_search",
    "open_store",
    "open_updater",
    "open_verifier",
    "open_wiki",
    "user_agent",
]
