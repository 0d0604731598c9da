"""The wiki pages that ship with the project: templates, and their documentation.

An operator saves them in the bot's user space; a community can change and translate
them there, for the bot only calls them by name.
"""

from dataclasses import dataclass
from importlib.resources import files

_PAGES = (
    ("note", "note.wikitext"),
    ("note/doc", "note.doc.wikitext"),
    ("notice", "notice.wikitext"),
    ("notice/doc", "notice.doc.wikitext"),
    ("watch", "watch.wikitext"),
    ("watch/doc", "watch.doc.wikitext"),
)
_BOT = "SIDENOTE_BOT"


@dataclass(frozen=True, slots=True)
class ShippedPage:
    """A page to be saved on the wiki."""

    title: str
    wikitext: str


def wiki_pages(bot: str) -> tuple[ShippedPage, ...]:
    """Return the pages for the account called `bot`."""
    folder = files("bot.surfaces") / "wikitext"
    return tuple(
        ShippedPage(
            f"User:{bot}/{name}",
            (folder / file).read_text("utf-8").replace(_BOT, bot),
        )
        for name, file in _PAGES
    )
