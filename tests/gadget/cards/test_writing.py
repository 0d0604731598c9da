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


def _look(rig: Rig, text: str = runs.WIKITEXT) -> int:
    """Save a page and what a review finds in its words."""
    revision = rig.wiki.edit(TITLE, text)
    page = parse(text, PageId(WIKI, TITLE, revision_id=revision))
    report = PageReport(page, (), builders.ENGINE, rig.now, 1.0)
    rig.store.save_check(
        report, (), beside={"writing": suggestions_of(page, review(page))}
    )
    return revision


def _follow(rig: Rig, *checks: Check) -> None:
    asked = watch(wiki=WIKI, pages=(TITLE,), checks=checks, watcher=ADA.user)
    rig.store.watches.keep(asked, (), rig.now)


@pytest.fixture
def asked(rig: Rig) -> Rig:
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


def test_a_card_marks_the_words_and_names_the_guideline(asked: Rig) -> None:
    card = _on(_see(asked, _look(asked)))

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
    assert "iconic" in writing.message


def test_its_edit_opens_the_section_and_changes_nothing(asked: Rig) -> None:
    _look(asked)

    [edit] = _on(_see(asked)).edits

    assert (edit.kind, edit.label, edit.section) == (EditKind.SECTION, "Tower", 1)
    page = parse(runs.WIKITEXT, PageId(WIKI, TITLE))
    assert edited(page, edit) == runs.WIKITEXT


def test_it_goes_with_its_words_and_follows_them_elsewhere(asked: Rig) -> None:
    first = _look(asked)
    moved = f"First.\n\n{runs.WIKITEXT}"
    asked.wiki.edit(TITLE, moved)
    card = _on(_see(asked))
    assert moved[card.place :].startswith(runs.PRAISED)

    asked.wiki.edit(TITLE, moved.replace("iconic ", ""))

    assert card.id not in {one.id for one in _see(asked).cards}
    assert _on(_see(asked), runs.VAGUE)
    assert _on(_see(asked, first)).id == card.id


def test_it_is_there_as_long_as_somebody_asks_and_the_wiki_offers_it(
    asked: Rig,
) -> None:
    revision = _look(asked)

    def version() -> str:
        return asyncio.run(asked.cards.version(WIKI, TITLE, revision, None))

    before = version()
    assert asyncio.run(asked.cards.counts(WIKI, [TITLE]))[TITLE] > 0
    _follow(asked, Check.CITATIONS)
    assert version() != before
    assert _see(asked).cards == []
    assert asyncio.run(asked.cards.counts(WIKI, [TITLE])) == {TITLE: 0}

    _follow(asked, Check.WRITING)
    assert _see(asked).cards
    asked.decree('{"checks": ["citations"]}')
    assert _see(asked).cards == []


def test_it_waits_in_the_queue_of_who_asked(asked: Rig) -> None:
    _look(asked)
    others = watch(wiki=WIKI, pages=(TITLE,), watcher=BO.user, place="User:Bo/S")
    asked.store.watches.keep(others, (), asked.now)

    own = asyncio.run(asked.cards.queue(ADA, None, 20))
    other = asyncio.run(asked.cards.queue(BO, None, 20))

    assert runs.PRAISED in {one.claim.sentence for one in own.cards}
    assert other.cards == ()


def test_letters_that_no_answer_can_carry_are_replaced(asked: Rig) -> None:
    bad = "Its iconic\ud800\x00\x1b[2J tower is a landmark of the island."
    _look(asked, runs.WIKITEXT.replace(runs.PRAISED, bad))

    sent = _see(asked).model_dump_json()

    assert PageAnswer.model_validate_json(sent) == _see(asked)
    assert "\\u001b" not in sent


def test_one_is_shown_alone_as_the_queue_asks_for_it(asked: Rig) -> None:
    _look(asked)
    card = _on(_see(asked))

    assert asyncio.run(asked.cards.card(WIKI, card.id, ADA)) == card
    assert replace(runs.suggestion(), page=PageId(WIKI, TITLE)).identity == card.id
