"""Nobody is called to a talk page by what a note quotes: the wiki finds no name in it."""

from dataclasses import replace

import pytest

from bot.records.watches import Policy
from bot.surfaces.note import addresses
from bot.surfaces.shipped import wiki_pages
from bot.surfaces.talk_page import plan
from tests.bot.surfaces.makers import TALK, hostile
from tests.bot.wiki.markup.makers import BOT, KEYS
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.wiki.mediawiki import Wiki

_USER_SPACES = {2, 3}
_CALLS = (
    "[[User:Ada Penrose]]",
    "[[:User:Ada Penrose|the mayor]]",
    "User:Ada Penrose",
    "{{ping|Ada Penrose}}",
    "{{User:Ada Penrose}}",
    "@Ada Penrose: ~~~~",
    "]] [[User talk:Ada Penrose]] [[",
    "}} [[User:Ada Penrose]] {{",
    "http://a.example/ [[User:Ada Penrose]]",
    "-->[[User:Ada Penrose]]<!--",
    "</nowiki>[[User:Ada Penrose]]<nowiki>",
    "__NOTOC__\n[[User:Ada Penrose]]",
    "Benutzer:Ada Penrose",
    "&#91;&#91;User:Ada Penrose]]",
)


@pytest.mark.mediawiki
def test_no_name_in_a_note_is_linked_on_a_real_wiki(wiki: Wiki) -> None:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    for page in wiki_pages(BOT):
        admin.edit(page.title, page.wikitext)

    linked = {raw: _names_linked(admin, _written(raw)) for raw in _CALLS}
    would_be = _names_linked(admin, f"{_written('x')}\n* {_CALLS[0]}")
    admin.web.close()

    assert {raw: names for raw, names in linked.items() if names} == {}
    assert would_be == {"User:Ada Penrose"}


def _written(raw: str) -> str:
    note = hostile(raw)
    # What is posted was read from a wiki: its page has a revision.
    noted = [replace(note, page=replace(note.page, revision_id=7))]
    facts = replace(TALK, policy=Policy.WORDING, linkable=addresses(noted))
    planned = plan("", noted, {}, facts, KEYS, own=None)
    # The bot's own signature is what it is allowed to link.
    return planned.edit.text.replace("~~~~", "")


def _names_linked(admin: Person, text: str) -> set[str]:
    """Return the users that the saved text would link, as Echo looks for them."""
    parameters = {"title": "Talk:Pings", "text": text, "contentmodel": "wikitext"}
    parsed = admin.post("parse", pst="1", prop="links|templates|text", **parameters)[
        "parse"
    ]
    assert parsed["templates"] == []
    assert "by the source" in parsed["text"]
    return {one["title"] for one in parsed["links"] if one["ns"] in _USER_SPACES}
