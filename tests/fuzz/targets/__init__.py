"""One module a target; a module is imported only when its target is asked for."""

from collections.abc import Mapping
from importlib import import_module

from tests.fuzz.target import Target

# Each target with the packages whose branches lead its search. Few, for a child needs a
# second of processor time for every seventy modules that are led.
LED_BY: Mapping[str, tuple[str, ...]] = {
    "event_stream": ("bot.daemon.intake", "bot.records.changes", "sseclient"),
    "json_border": (
        "bot.daemon.intake", "bot.records.changes", "bot.store.sanitise", "bot.sources.extraction.text",
    ),
    "wikitext": ("handlers.page",),
    "web_page": ("bot.sources.extraction", "trafilatura", "htmldate"),
    "pdf": ("bot.sources.extraction", "pypdf"),
    "addresses": ("bot.sources", "idna"),
    "packed_bodies": ("bot.sources.http",),
    "model_replies": (
        "bot.models.language_model", "handlers.citations.model_judge", "handlers.drafts.model",
    ),
    "panel_bodies": ("gadget.api", "gadget.payloads"),
    "watch_template": ("bot.surfaces.opt_in", "bot.surfaces.opt_in.calls", "bot.surfaces.opt_in.values", "bot.wiki.pages", "bot.surfaces", "handlers.page.markup", "handlers.page.scan"),
    "community_page": ("bot.surfaces.opt_in",),
    "escaping": ("bot.wiki.escaping", "handlers.page.markup", "handlers.page.scan"),
    "page_blocks": ("bot.wiki.blocks", "handlers.page.markup", "handlers.page.scan"),
    "site_files": ("bot.search.services", "bot.sources.copies", "protego"),
    "search_answers": ("bot.search.services",),
    "dump": ("bot.research.sweep.dump_layout", "bot.research.sweep.dump_pages"),
}  # fmt: skip
NAMES = tuple(LED_BY)


def load(name: str) -> Target:
    """Return the target of that name."""
    found = import_module(f"tests.fuzz.targets.{name}").TARGET
    assert isinstance(found, Target)
    return found
