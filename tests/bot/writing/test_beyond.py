"""Whatever titles, redirects and moves try, no write leaves talk and user pages.

Each test runs through the recording proxy, which fails it otherwise; what the bot has
in the wiki's own history is counted besides.
"""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from bot.records.posts import Append, Posted, Refused, ReplaceSection, ReplaceStretch
from tests.bot.writing.makers import tried
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.people import Person
from tests.bot.writing.place import Losing, Place, at, gate_of, page, post_to
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

pytestmark = pytest.mark.mediawiki
__all__ = ["at", "page"]
_numbers = count(1)
_ARTICLE = "Harbour Clock of Eastmere"
_CHANGES = (
    Append("\n\n== Note ==\nWords"),
    ReplaceStretch("The clock", "A note"),
    ReplaceSection(1, "== History ==\n", "== History ==\nA note"),
)


def _articles_edited(wiki: Wiki) -> int:
    """Count the bot's revisions of pages that are articles now or were."""
    with closing(sqlite3.connect(f"file:{wiki.database}?mode=ro", uri=True)) as history:
        [[edits]] = history.execute(
            "SELECT COUNT(*) FROM recentchanges JOIN actor ON actor_id = rc_actor"
            " WHERE CAST(actor_name AS TEXT) = ? AND rc_namespace % 2 = 0"
            " AND rc_namespace != 2",
            (BOT,),
        )
    return int(edits)


@pytest.mark.parametrize(
    "title",
    [
        _ARTICLE,
        _ARTICLE.replace(" ", "_"),
        f" {_ARTICLE} ",
        f":{_ARTICLE}",
        f"Talk:../{_ARTICLE}",
        f"Talk:{_ARTICLE}/../../{_ARTICLE}",
        f"Talk:\u200e{_ARTICLE}",
        f"Talk\uff1a{_ARTICLE}",
        f"Talk%3A{_ARTICLE}",
        f"Talk:X\n{_ARTICLE}",
        f"Talk:X\x1f{_ARTICLE}",
        f"\x1fTalk:X\x1f{_ARTICLE}",
        f"Talk:X|{_ARTICLE}",
        "Talk:#",
        "Talk:",
        "User:",
        "Talk::" + _ARTICLE,
        f"Talk:Project:{_ARTICLE}",
        "Project:Bots",
        "Category:Clocks",
        "File:Clock.jpg",
        "Help:Clock",
        "MediaWiki:Sitenotice",
        "Template:Cite",
        "Special:MyTalk",
        "Special:Diff/1",
        "Media:Clock.jpg",
        "User:Ada Penrose/common.css",
        "User:Ada Penrose/data.json",
        "Talk:" + "x" * 256,
    ],
)
def test_a_hostile_title_sends_no_write(
    at: Place, recorder: Recorder, title: str
) -> None:
    sent = len(recorder.writes)

    outcomes = [at.attempt(post_to(title, change=change)) for change in _CHANGES]

    assert {type(each) for each in outcomes} == {Refused}
    assert len(recorder.writes) == sent


def test_what_looks_like_parameters_is_a_title(at: Place, recorder: Recorder) -> None:
    title = f"Talk:X&pageid=1&title={_ARTICLE}"

    assert isinstance(at.attempt(post_to(title)), Posted)

    written = recorder.writes[-1].made
    assert written.title == title


def _redirect(at: Place, title: str) -> None:
    at.ada.edit(title, f"#REDIRECT [[{_ARTICLE}]]\n\nThe clock\n\n== History ==\n")


def _move_over(at: Place, title: str) -> None:
    """Move the talk page to where articles are; what is left leads there."""
    to = f"{title.removeprefix('Talk:')} (as an article)"
    at.admin.post("move", **{"from": title, "to": to, "reason": "x"})


def _swap(at: Place, title: str) -> None:
    """Have an article, with the history that it has, at the title of the talk page."""
    at.admin.post("delete", title=title, reason="x")
    article = f"Former article {next(_numbers)}"
    at.ada.edit(article, "The clock\n\n== History ==\nOld.")
    at.admin.post("move", **{"from": article, "to": title, "reason": "x"})


_DEEDS = [_redirect, _move_over, _swap]


@pytest.mark.parametrize("deed", _DEEDS, ids=["redirect", "moved", "swapped"])
@pytest.mark.parametrize("change", _CHANGES, ids=lambda change: type(change).__name__)
def test_a_page_that_changes_under_the_gate_takes_no_article_along(
    at: Place, wiki: Wiki, deed: Callable[[Place, str], None], change: Any
) -> None:
    title = f"Talk:Turning {next(_numbers)}"
    at.ada.edit(title, "The clock\n\n== History ==\n")

    @dataclass
    class Meanwhile(Losing):
        def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
            deed(at, title)
            return self.real.edit(parameters)

    before = at.ada.text(_ARTICLE)
    gate_of(Meanwhile(at.session())).attempt(tried(post_to(title, change=change)))

    # An edit may be merged with a person's; it stays on the page that was meant.
    assert at.ada.text(_ARTICLE) == before
    assert _articles_edited(wiki) == 0


@pytest.mark.parametrize("deed", _DEEDS[:2], ids=["redirect", "moved"])
def test_a_page_that_changed_before_takes_no_article_along(
    at: Place, wiki: Wiki, deed: Callable[[Place, str], None]
) -> None:
    title = f"Talk:Turned {next(_numbers)}"
    at.ada.edit(title, "The clock\n\n== History ==\n")
    deed(at, title)

    for change in _CHANGES:
        assert isinstance(at.attempt(post_to(title, change=change)), Refused)

    assert _articles_edited(wiki) == 0


@pytest.mark.parametrize(
    "given",
    [
        {"action": "edit", "title": _ARTICLE, "appendtext": "x"},
        {"action": "edit", "pageid": "1", "appendtext": "x"},
        {"action": "edit", "title": "User:Ada Penrose/x.js", "text": "x"},
        {"action": "edit", "title": "Nowhere|There", "text": "x"},
        {"action": "edit", "text": "x"},
        {"action": "move", "from": "Talk:A", "to": "Talk:B"},
        {"action": "upload", "title": "Talk:A"},
    ],
    ids=lambda given: " ".join(given.values()),
)
def test_the_proxy_notices_what_leaves(
    recorder: Recorder, given: dict[str, str]
) -> None:
    """The wiki refuses each for want of a token; it left nevertheless."""
    visitor, before = Person(recorder.host, "Nobody"), len(recorder.writes)

    visitor.web.post(
        f"http://{recorder.host}/w/api.php", data={**given, "format": "json"}
    )

    visitor.web.close()
    assert len(recorder.outside(before)) == 1
    del recorder.writes[before:]


@pytest.mark.parametrize("title", [f"Talk:{_ARTICLE}", "User talk:Bob", "User:Bob/x"])
def test_the_proxy_knows_what_may_be_written(recorder: Recorder, title: str) -> None:
    visitor, before = Person(recorder.host, "Nobody"), len(recorder.writes)

    visitor.post("edit", title=title, text="Words")

    visitor.web.close()
    [write] = recorder.writes[before:]
    assert not write.leaves
    assert write.made.title == title
