"""One module a target; a module is imported only when its target is asked for."""

from collections.abc import Mapping
from importlib import import_module

from tests.fuzz.target import Target

# Each target with the packages whose branches lead its search. Few, for a child needs a
# second of processor time for every seventy modules that are led.
LED_BY: Mapping[str, tuple[str, ...]] = {
    "event_stream": ("bot.adapters.event_stream", "bot.intake", "bot.changes", "sseclient"),
    "json_border": (
        "bot.intake", "bot.changes", "bot.store.sanitise", "bot.adapters.extraction.extracted",
    ),
    "wikitext": ("handlers.wikitext",),
    "web_page": ("bot.adapters.extraction", "trafilatura", "htmldate"),
    "pdf": ("bot.adapters.extraction", "pypdf"),
    "addresses": ("bot.adapters.sources", "idna"),
    "packed_bodies": ("bot.adapters.sources.decoding",),
    "model_replies": (
        "bot.adapters.language_model", "handlers.citations.doubt", "handlers.drafts.by_model",
    ),
    "panel_bodies": ("gadget.api", "gadget.payloads"),
    "watch_template": ("bot.opt_in", "bot.on_wiki", "bot.surfaces", "handlers.wikitext.scanning"),
    "community_page": ("bot.opt_in",),
    "escaping": ("bot.on_wiki", "handlers.wikitext.scanning"),
    "page_blocks": ("bot.on_wiki", "handlers.wikitext.scanning"),
    "site_files": ("bot.adapters.search", "bot.adapters.sources.archive", "protego"),
    "search_answers": ("bot.adapters.search",),
    "dump": ("bot.adapters.dump",),
}  # fmt: skip
NAMES = tuple(LED_BY)


def load(name: str) -> Target:
    """Return the target of that name."""
    found = import_module(f"tests.fuzz.targets.{name}").TARGET
    assert isinstance(found, Target)
    return found
