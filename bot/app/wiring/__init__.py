"""The only place that names real tools: settings in, a ready checker out.

Each module makes one kind of tool. What a command does not need is not imported, so
that it starts quickly.
"""

from bot.app.wiring.checks import open_checker, open_verifier
from bot.app.wiring.language_model import open_draft_model, open_language_model
from bot.app.wiring.logs import configure_logging
from bot.app.wiring.searches import (
    cache_collection,
    folder_collection,
    open_opensearch,
    open_search,
    open_updater,
)
from bot.app.wiring.store import index_folder, open_store
from bot.app.wiring.wiki import open_wiki, user_agent

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
