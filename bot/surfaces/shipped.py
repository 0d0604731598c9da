"""The wiki pages that ship with the project: templates and their documentation.

An operator saves them in the bot's user space, in the language of the wiki. A community
can change them there, because the bot only calls them by name.
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
# A message with at most one value, and then the messages around it, with several.
_SAYS = (
    re.compile(r"SIDENOTE_SAYS\(([a-z-]+)(?:, ([^()]*))?\)"),
    re.compile(r"SIDENOTE_SAYS\(([a-z-]+);; (.*?) ;;\)"),
)


@dataclass(frozen=True, slots=True)
class ShippedPage:
    """A page to be saved on the wiki."""

    title: str
    wikitext: str


def wiki_pages(bot: str, language: str = SOURCE) -> tuple[ShippedPage, ...]:
    """Return the pages for the account called `bot`, in a language."""
    folder = files("bot.surfaces") / "wikitext"
    return tuple(
        ShippedPage(
            f"User:{bot}/{name}",
            worded((folder / file).read_text("utf-8"), bot, language),
        )
        for name, file in _PAGES
    )


def worded(page: str, bot: str, language: str) -> str:
    """Return the text of a page with its messages and the account's name in it."""
    words = Words(language)

    def text_of(found: re.Match[str]) -> str:
        values = found[2].split(" ;; ") if found[2] else []
        return words.say(found[1], *map(WikiSafe, values))

    for says in _SAYS:
        page = says.sub(text_of, page)
    return page.replace(_BOT, bot)
