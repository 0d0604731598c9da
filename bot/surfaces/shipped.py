"""The wiki pages that ship with the project: templates, and their documentation.

An operator saves them in the bot's user space, the templates in the language of the
wiki; a community can change them there, for the bot only calls them by name.
"""

import re
from dataclasses import dataclass
from importlib.resources import files

from bot.surfaces.messages import SOURCE, Words
from bot.wiki.escaping import WikiSafe

_PAGES = (
    ("about", "about.wikitext"),
    ("about/doc", "about.doc.wikitext"),
    ("note", "note.wikitext"),
    ("note/doc", "note.doc.wikitext"),
    ("notice", "notice.wikitext"),
    ("notice/doc", "notice.doc.wikitext"),
    ("watch", "watch.wikitext"),
    ("watch/doc", "watch.doc.wikitext"),
)
_BOT = "SIDENOTE_BOT"
_SAYS = re.compile(r"SIDENOTE_SAYS\(([a-z-]+)(?:, ([^()]*))?\)")


@dataclass(frozen=True, slots=True)
class ShippedPage:
    """A page to be saved on the wiki."""

    title: str
    wikitext: str


def wiki_pages(bot: str, language: str = SOURCE) -> tuple[ShippedPage, ...]:
    """Return the pages for the account called `bot`, with templates in a language."""
    folder, words = files("bot.surfaces") / "wikitext", Words(language)

    def said(found: re.Match[str]) -> str:
        values = [WikiSafe(found[2])] if found[2] else []
        return words.say(found[1], *values)

    return tuple(
        ShippedPage(
            f"User:{bot}/{name}",
            _SAYS.sub(said, (folder / file).read_text("utf-8")).replace(_BOT, bot),
        )
        for name, file in _PAGES
    )
