"""One module a target; a module is imported only when its target is asked for."""

from importlib import import_module

from tests.fuzz.target import Target

NAMES = (
    "event_stream",
    "json_border",
    "wikitext",
    "web_page",
    "pdf",
    "addresses",
    "packed_bodies",
    "model_replies",
    "panel_bodies",
    "watch_template",
    "community_page",
    "escaping",
    "page_blocks",
    "site_files",
    "search_answers",
    "dump",
)


def load(name: str) -> Target:
    """Return the target of that name."""
    found = import_module(f"tests.fuzz.targets.{name}").TARGET
    assert isinstance(found, Target)
    return found
