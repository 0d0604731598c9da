"""Cards about the wording stand on the words, as long as those and the asking last."""

import asyncio
from dataclasses import replace

import pytest

from bot.records.watches import Check
from bot.report import PageReport
from gadget.payloads.cards import Card, EditKind, PageAnswer
from handlers.model import PageId
from handlers.page import parse
from handlers.review.review import review
from handlers.review.suggestions import suggestions_of
from tests import builders
from tests import writing_runs as runs
from tests.bot.surfaces.planning.makers import watch
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import ADA, BO, WIKI, Rig

TITLE = runs.TITLE
_OFFERED = '{"checks": ["citations", "writing"]}'


def _save_review(rig: Rig, text: str = runs.WIKITEXT) -> int:
    """Save a page and what a review finds in its words."""
    revision = rig.wiki.edit(TITLE, text)
    page = parse(text, PageId(WIKI, TITLE, revision_id=revision))
    report = PageReport(page, (), builders.ENGINE, rig.now, 1.0)
    rig.store.save_check(
        report, (), beside={"writing": suggestions_of(page, review(page))}
    )
    return revision


def _follow(rig: Rig, *checks: Check) -> None:
    active_watch = watch(wiki=WIKI, pages=(TITLE,), checks=checks, watcher=ADA.user)
    rig.store.watches.keep(active_watch, (), rig.now)


@pytest.fixture
def subscribed(rig: Rig) -> Rig:
    rig.decree(_OFFERED)
    _follow(rig, Check.WRITING)
    return rig


def _see(rig: Rig, revision: int | None = None) -> PageAnswer:
    return rig.see(revision, title=TITLE)


def _on(answer: PageAnswer, sentence: str = runs.PRAISED) -> Card:
    """Return the card that marks words of a sentence."""
    [card] = [
        one
        for one in answer.cards
        if one.claim.sentence == sentence and one.claim.text != sentence
    ]
    return card


def test_a_card_marks_the_words_and_names_the_guideline(subscribed: Rig) -> None:
    card = _on(_see(subscribed, _save_review(subscribed)))

    assert (card.kind, card.is_flagged) == ("writing", True)
    assert (card.claim.text, card.claim.section) == ("iconic", ["Tower"])
    marked = [one.text for one in card.claim.pieces if one.is_meant]
    assert marked == ["iconic"]
    assert "".join(one.text for one in card.claim.pieces) == runs.PRAISED
    assert runs.WIKITEXT[card.place :].startswith(runs.PRAISED)
    assert (card.quotes, card.sources, card.remedies) == ([], [], [])
    writing = card.writing
    assert writing
    assert (writing.kind, writing.guideline) == ("peacock term", "MOS:PUFFERY")
    assert writing.href == "https://en.wikipedia.org/wiki/MOS:PUFFERY"
    assert writing.advice
    assert writing.message


def test_its_edit_opens_the_section_and_changes_nothing(subscribed: Rig) -> None:
    _save_review(subscribed)

    [edit] = _on(_see(subscribed)).edits

    assert (edit.kind, edit.label, edit.section) == (EditKind.SECTION, "Tower", 1)
    page = parse(runs.WIKITEXT, PageId(WIKI, TITLE))
    assert edited(page, edit) == runs.WIKITEXT


def test_it_goes_with_its_words_and_follows_them_elsewhere(subscribed: Rig) -> None:
    first = _save_review(subscribed)
    moved = f"First.\n\n{runs.WIKITEXT}"
    subscribed.wiki.edit(TITLE, moved)
    card = _on(_see(subscribed))
    assert moved[card.place :].startswith(runs.PRAISED)

    subscribed.wiki.edit(TITLE, moved.replace("iconic ", ""))

    assert card.id not in {one.id for one in _see(subscribed).cards}
    assert _on(_see(subscribed), runs.VAGUE)
    assert _on(_see(subscribed, first)).id == card.id


def test_it_is_there_as_long_as_somebody_asks_and_the_wiki_offers_it(
    subscribed: Rig,
) -> None:
    revision = _save_review(subscribed)

    def version() -> str:
        return asyncio.run(subscribed.cards.version(WIKI, TITLE, revision, None))

    before = version()
    assert asyncio.run(subscribed.cards.counts(WIKI, [TITLE]))[TITLE] > 0
    _follow(subscribed, Check.CITATIONS)
    assert version() != before
    assert _see(subscribed).cards == []
    assert asyncio.run(subscribed.cards.counts(WIKI, [TITLE])) == {TITLE: 0}

    _follow(subscribed, Check.WRITING)
    assert _see(subscribed).cards
    subscribed.decree('{"checks": ["citations"]}')
    assert _see(subscribed).cards == []


def test_it_waits_in_the_queue_of_who_asked(subscribed: Rig) -> None:
    _save_review(subscribed)
    others = watch(wiki=WIKI, pages=(TITLE,), watcher=BO.user, place="User:Bo/S")
    subscribed.store.watches.keep(others, (), subscribed.now)

    own = asyncio.run(subscribed.cards.queue(ADA, None, 20))
    other = asyncio.run(subscribed.cards.queue(BO, None, 20))

    assert runs.PRAISED in {one.claim.sentence for one in own.cards}
    assert other.cards == ()


def test_letters_that_no_answer_can_carry_are_replaced(subscribed: Rig) -> None:
    bad = "Its iconic\ud800\x00\x1b[2J tower is a landmark of the island."
    _save_review(subscribed, runs.WIKITEXT.replace(runs.PRAISED, bad))

    sent = _see(subscribed).model_dump_json()

    assert PageAnswer.model_validate_json(sent) == _see(subscribed)
    assert "\\u001b" not in sent


def test_one_is_shown_alone_as_the_queue_asks_for_it(subscribed: Rig) -> None:
    _save_review(subscribed)
    card = _on(_see(subscribed))

    assert asyncio.run(subscribed.cards.card(WIKI, card.id, ADA)) == card
    assert replace(runs.suggestion(), page=PageId(WIKI, TITLE)).identity == card.id
