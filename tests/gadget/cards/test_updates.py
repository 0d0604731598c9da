"""Newer facts stand beside the sentence they concern, as far as the wiki allows."""

import asyncio
from dataclasses import replace

import pytest

from bot.records.watches import Check
from gadget.payloads.cards import Card, EditKind, PageAnswer
from handlers.model import Backing, PageId, Proposal, Span, Update, Verdict
from handlers.page import parse
from handlers.updates.suggestions import suggestions_of
from tests import update_runs as runs
from tests.bot.surfaces.planning.makers import watch
from tests.gadget.cards.pages import edited
from tests.gadget.cards.rig import ADA, TITLE, WIKI, Rig

_HERE = PageId(WIKI, TITLE)


def _search(
    rig: Rig,
    *updates: Update,
    proposals: tuple[Proposal, ...] = (),
    is_sensitive: bool = False,
    said: str = "",
) -> int:
    """Save a page and what a search for newer facts found."""
    revision = rig.wiki.edit(TITLE, runs.WIKITEXT)
    page = replace(_HERE, revision_id=revision)
    run = runs.discovery(*updates, of=parse(runs.WIKITEXT, page), proposals=proposals)
    subject = replace(run.subject, is_sensitive=is_sensitive)
    trace = tuple(replace(step, said=said) for step in run.trace)
    run = replace(run, subject=subject, trace=trace)
    assert rig.store.discoveries.save(run, suggestions_of(run), rig.now)
    return revision


def _only(answer: PageAnswer) -> Card:
    [card] = answer.cards
    return card


def _after(card: Card, kind: EditKind, wikitext: str = runs.WIKITEXT) -> str:
    """Return the page after the one edit of a kind that a card offers."""
    [edit] = [one for one in card.edits if one.kind is kind]
    return edited(parse(wikitext, _HERE), edit)


def _wording() -> Proposal:
    after = "As of October 2026, it carries 15,500 cars a day.<ref>{{cite news}}</ref>"
    return runs.proposal(runs.outdated(), runs.CARS, after, is_worded=True)


# --- what a card shows -----------------------------------------------------------


def test_the_old_sentence_stands_beside_what_newer_sources_say(rig: Rig) -> None:
    revision = _search(rig, runs.outdated())

    card = _only(rig.see(revision))

    assert (card.kind, card.is_flagged) == ("update", True)
    assert card.claim.text == runs.CARS
    assert runs.WIKITEXT[card.place :].startswith(runs.CARS)
    assert [one.quote for one in card.quotes] == [runs.MORE_CARS] * 2
    assert {card.sources[one.source].host for one in card.quotes} == {
        "news.example",
        "other.example",
    }
    assert all(one.dated for one in card.quotes)
    update = card.update
    assert update
    assert update.kind == "outdated statement"
    assert card.note
    assert [line.key for line in card.note.lines] == ["backing-independent", "day-text"]
    assert [step.role for step in update.why][:3] == [
        "navigator",
        "navigator",
        "aggregator",
    ]
    assert update.why[1].href == "https://news.example/1"
    assert update.citation
    assert card.confidence.percent == 93


def test_a_new_fact_stands_behind_the_sentence_it_belongs_to(rig: Rig) -> None:
    _search(rig, runs.new_fact())

    card = _only(rig.see())

    assert card.update
    assert card.update.kind == "new fact"
    assert (card.claim.text, card.verdict) == (runs.OPENED, Verdict.SUPPORTED.value)
    assert card.claim.section == ["History"]
    assert card.is_flagged
    assert card.edits == []


def test_a_new_fact_of_an_empty_section_has_no_sentence(rig: Rig) -> None:
    _search(rig, runs.new_fact(after=None))

    card = _only(rig.see())

    assert (card.claim.text, card.claim.pieces) == ("", [])
    assert runs.WIKITEXT[card.place :].lstrip().startswith(runs.OPENED)


def test_an_uncited_sentence_is_tagged_behind_its_own_words(rig: Rig) -> None:
    _search(rig, runs.outdated())

    after = _after(_only(rig.see()), EditKind.TAG)

    assert f"{runs.CARS}{{{{Update inline|date=November 2026}}}}\n\n==" in after
    assert rig.wiki.edit(TITLE, after)
    assert rig.see().cards == []  # it is marked: editors know


def test_a_cited_sentence_is_tagged_behind_its_citations(rig: Rig) -> None:
    old = runs.said(runs.OPENED)
    _search(rig, runs.outdated(replaces=old, section=old.section))

    after = _after(_only(rig.see()), EditKind.TAG)

    assert "</ref>{{Update inline|date=November 2026}}\n\n== Traffic" in after


def test_it_is_found_in_a_revision_that_reads_otherwise_elsewhere(rig: Rig) -> None:
    first = _search(rig, runs.outdated(), runs.new_fact())
    moved = f"First.\n\n{runs.WIKITEXT}"
    rig.wiki.edit(TITLE, moved)

    cards = rig.see().cards

    assert [moved[card.place :][:5] for card in cards] == [runs.CARS[:5], "<ref>"]
    rig.wiki.edit(TITLE, runs.WIKITEXT.replace("12,000", "15,500"))
    assert _only(rig.see()).claim.text == runs.OPENED
    assert len(rig.see(first).cards) == 2


# --- what the wiki's policy allows --------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "fact", "kinds"),
    [
        ("pointer", None, [EditKind.TAG]),
        ("facts", "It has 15,500 cars.", [EditKind.TAG]),
        ("wording", "It has 15,500 cars.", [EditKind.WORDING, EditKind.TAG]),
    ],
)
def test_the_policy_says_how_much_of_a_models_words_is_shown(
    rig: Rig, policy: str, fact: str | None, kinds: list[EditKind]
) -> None:
    worded = runs.outdated(text="It has 15,500 cars.", is_worded=True)
    _search(rig, worded, proposals=(_wording(),), said="it may gleam")
    rig.decree(f'{{"policy": "{policy}"}}')

    card = _only(rig.see())

    assert card.update
    assert card.update.fact == fact
    assert [edit.kind for edit in card.edits] == kinds
    assert ("gleam" in card.model_dump_json()) == (policy != "pointer")
    assert ("October 2026, it carries" in card.model_dump_json()) == (
        policy == "wording"
    )


def test_a_proposed_wording_changes_nothing_else_of_the_page(rig: Rig) -> None:
    _search(rig, runs.outdated(), proposals=(_wording(),))
    rig.decree('{"policy": "wording"}')

    card = _only(rig.see())

    proposed = _wording()
    assert _after(card, EditKind.WORDING) == runs.WIKITEXT.replace(
        proposed.before, proposed.after
    )
    [edit] = [one for one in card.edits if one.kind is EditKind.WORDING]
    assert len(edit.old) < len(runs.CARS)


def test_a_wording_whose_place_has_changed_is_not_offered(rig: Rig) -> None:
    _search(rig, runs.outdated(), proposals=(_wording(),))
    rig.decree('{"policy": "wording"}')
    rig.wiki.edit(TITLE, f"{runs.WIKITEXT}\n{runs.CARS}\n\n{runs.WIKITEXT}")

    assert [edit.kind for edit in _only(rig.see()).edits] == [EditKind.TAG]


def test_a_citation_with_its_mark_is_one_edit_whatever_the_policy(rig: Rig) -> None:
    marked = f"{runs.CARS}<ref>{{{{cite news|title=L}}}}</ref>{{{{update inline}}}}"
    edit = runs.proposal(runs.outdated(), runs.CARS, marked)
    _search(rig, runs.outdated(), proposals=(edit,))

    card = _only(rig.see())

    assert [(one.kind, one.label) for one in card.edits] == [(EditKind.UPDATE, "L")]
    assert marked in _after(card, EditKind.UPDATE)


def test_a_citation_is_placed_where_people_write_a_new_fact(rig: Rig) -> None:
    footnote = "<ref>{{cite news|title=L}}</ref>"
    at = runs.WIKITEXT.index("<ref>{{cite web|url=https://old.example")
    placed = Proposal(2, Span(at, at), "", footnote, "{{cite news|title=L}}")
    _search(rig, runs.new_fact(), proposals=(placed,))

    card = _only(rig.see())

    assert [one.kind for one in card.edits] == [EditKind.PLACE]
    assert f"{runs.OPENED}{footnote}<ref>" in _after(card, EditKind.PLACE)


# --- whose they are ------------------------------------------------------------------


@pytest.mark.parametrize("is_requested", [True, False])
def test_they_wait_only_for_those_who_asked_for_them(
    rig: Rig, *, is_requested: bool
) -> None:
    _search(rig, runs.outdated())
    checks = (Check.CITATIONS, Check.UPDATES) if is_requested else (Check.CITATIONS,)
    follow = watch(wiki=WIKI, pages=(TITLE,), checks=checks, watcher=ADA.user)
    rig.store.watches.keep(follow, (), rig.now)

    queue = asyncio.run(rig.cards.queue(ADA, None, 10))

    assert (len(queue.cards), queue.total) == ((1, 1) if is_requested else (0, 0))


# --- living people ----------------------------------------------------------------------


def test_what_is_sensitive_is_shown_to_those_who_are_signed_in(rig: Rig) -> None:
    _search(rig, runs.outdated(), is_sensitive=True)

    anybody, signed_in = rig.see(), rig.see(reader=ADA)

    assert (anybody.cards, anybody.searched) == ([], None)
    assert runs.MORE_CARS not in anybody.model_dump_json()
    card = _only(signed_in)
    assert asyncio.run(rig.cards.card(WIKI, card.id, None)) is None
    assert asyncio.run(rig.cards.card(WIKI, card.id, ADA)) == card
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 0}


# --- the search itself --------------------------------------------------------------------


def test_a_search_tells_what_it_left_out_and_why(rig: Rig) -> None:
    before = asyncio.run(rig.cards.version(WIKI, TITLE, None, None))
    _search(rig, runs.outdated())

    searched = rig.see().searched

    assert searched
    assert (searched.at, searched.updates, searched.pages) == (rig.now, 1, 2)
    [left_out] = searched.passed_over
    assert (left_out.quote, left_out.why) == ("I love this bridge.", "it is an opinion")
    assert left_out.href == "https://blog.example/"
    assert asyncio.run(rig.cards.version(WIKI, TITLE, None, None)) != before


def test_letters_that_no_answer_can_carry_are_replaced(rig: Rig) -> None:
    bad = "\ud800\x00\x1b[2J"
    worded = runs.new_fact(text=f"So {bad}", is_worded=True, backing=Backing.HIGH)
    _search(rig, worded)
    rig.decree('{"policy": "facts"}')

    sent = rig.see().model_dump_json()

    assert PageAnswer.model_validate_json(sent) == rig.see()
    assert "\\u001b" not in sent
    assert "\\u0000" not in sent
