"""Links that no longer serve their source, with the archived copy before the tag."""

from dataclasses import replace
from datetime import timedelta

import pytest

from gadget.payloads.cards import ChangedLink, EditKind
from handlers.model import ClaimCheck, LinkVisit, Origin, Seen, Verdict
from tests.gadget.cards.rig import RAIN, TEXT, TITLE, WIKI, Rig

COPY = "https://web.archive.org/web/20110502000000id_/"


def seen(
    rig: Rig, what: Seen, text: str = TEXT, *, archived: bool = True
) -> list[ChangedLink]:
    """Check a page whose links look so; return what the panel says of them."""

    def change(check: ClaimCheck) -> ClaimCheck:
        fetches = tuple(
            replace(
                each,
                origin=Origin.ARCHIVE if archived else Origin.OPEN_ACCESS,
                url=f"{COPY}{each.source.url}" if archived else each.url,
                visit=LinkVisit(each.source.url or "", what, rig.now, 404),
            )
            for each in check.fetches
        )
        return replace(check, fetches=fetches)

    rig.find(text, *[Verdict.SUPPORTED] * 5, change=change)
    return rig.see().links


def test_a_link_that_is_gone_is_offered_its_archived_copy(rig: Rig) -> None:
    assert seen(rig, Seen.GONE) == [], "one failure makes no dead link"
    rig.now += timedelta(days=7)

    rain, *others = seen(rig, Seen.GONE)

    assert (rain.claim.text, rain.source.title) == (RAIN, "Rain")
    assert (rain.link.state, rain.link.times) == ("gone", 2)
    [edit] = rain.edits
    assert edit.kind is EditKind.ARCHIVE
    copy = COPY.replace("id_", "") + "https://www.forbes.com/rain"
    assert f"|archive-url={copy}" in edit.new
    assert "|archive-date=" in edit.new
    assert "|url-status=dead" in edit.new
    assert "|work=Forbes" in edit.new, "what else stands there stays"
    assert len(others) == 3, "each source once"


def test_without_a_copy_it_can_be_tagged(rig: Rig) -> None:
    seen(rig, Seen.GONE, archived=False)
    rig.now += timedelta(days=7)

    rain, *_ = seen(rig, Seen.GONE, archived=False)

    assert [edit.label for edit in rain.edits] == ["Dead link"]


def test_a_page_that_only_looks_gone_is_not_tagged(rig: Rig) -> None:
    seen(rig, Seen.NOT_FOUND_PAGE, archived=False)
    rig.now += timedelta(days=7)

    rain, *_ = seen(rig, Seen.NOT_FOUND_PAGE, archived=False)

    assert (rain.link.state, rain.edits) == ("soft 404", [])


def test_a_domain_that_was_taken_over_is_marked_as_such(rig: Rig) -> None:
    rain, *_ = seen(rig, Seen.PARKED)

    assert rain.link.state == "usurped"
    assert "|url-status=usurped" in rain.edits[0].new


def test_what_editors_or_their_bots_have_marked_is_left_alone(rig: Rig) -> None:
    marked = TEXT.replace("|title=Rain", "|title=Rain|url-status=dead")
    marked = marked.replace("Flood}}", "Flood}}{{dead link|bot=InternetArchiveBot}}")
    seen(rig, Seen.GONE, marked)
    rig.now += timedelta(days=7)

    links = seen(rig, Seen.GONE, marked)

    titles = {link.source.title for link in links}
    assert titles.isdisjoint({"Rain", "Flood"})
    assert titles
    assert rig.wiki.pages[TITLE]


def test_a_source_is_labelled_by_the_wikis_own_words_first(rig: Rig) -> None:
    rig.find(TEXT)
    [card, *_] = rig.see().cards
    before = card.sources[0].reliability
    assert before is not None

    rig.decree('{"sources": {"forbes.com/rain": "deprecated"}}')

    [card, *_] = rig.see().cards
    after = card.sources[0].reliability
    assert (before.named_by, after.named_by) == ("WP:RSP, April 2026", WIKI)
    assert after.trust == "deprecated"


@pytest.mark.parametrize("mark", ["{{cbignore}}", "{{dead link}} {{Cbignore|bot=X}}"])
def test_a_link_that_bots_are_to_let_be_is_let_be(rig: Rig, mark: str) -> None:
    text = TEXT.replace("|work=Forbes}}", f"|work=Forbes}}}}{mark}")
    assert mark in text
    seen(rig, Seen.GONE, text)
    rig.now += timedelta(days=7)

    found = seen(rig, Seen.GONE, text)

    assert "Rain" not in [link.source.title for link in found]
    assert len(found) == 3, "the others are shown"
