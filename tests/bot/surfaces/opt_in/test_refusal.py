"""Who refuses what: a page, a person, a template, a wiki."""

import json

import pytest

from bot.records.watches import NoteKind, PageSays
from bot.surfaces.opt_in.community import Community, read_community
from bot.surfaces.opt_in.refusal import kind_of, page_says, refused
from handlers.registry import KINDS
from tests.linear import is_linear

_ALL = set(NoteKind)
_UPDATES, _WRITING = {NoteKind.UPDATES}, {NoteKind.WRITING}


def _community(**refuse: object) -> Community:
    read = read_community(json.dumps({"refuse": refuse}))
    assert read.community is not None, read.faults
    return read.community


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("A town.", set()),
        ("{{bots|optout=sidenote-updates}} A town.", _UPDATES),
        (
            "{{Bots|optout=AFC, Sidenote-writing ,sidenote-updates}}",
            _UPDATES | _WRITING,
        ),
        ("{{bots|optout=all}}", _ALL),
        ("{{bots|optout=sidenote}}", _ALL),
        ("{{bots|optout=suggestions}}", _ALL),
        ("{{bots|optout=AFC}}", set()),
        ("{{bots|optout=sidenote-nothing}}", set()),
        ("{{nobots}}{{bots|deny=all}}", set()),
        ("<!-- {{bots|optout=all}} --><nowiki>{{bots|optout=all}}</nowiki>", set()),
    ],
)
def test_a_page_refuses_by_the_optout_of_bots(text: str, kinds: set[NoteKind]) -> None:
    assert refused(Community(), "Oslo", page_says(text)) == kinds


@pytest.mark.parametrize(
    ("refuse", "kinds"),
    [
        ({"everywhere": ["updates"]}, _UPDATES),
        ({"pages": {"oslo ": ["updates"]}}, _UPDATES),
        ({"pages": {"Bergen": ["updates"]}}, set()),
        ({"templates": {"Current event": ["updates"]}}, _UPDATES),
        ({"templates": {"current_event": ["updates"]}}, _UPDATES),
        ({"templates": {"Other": ["updates"]}}, set()),
        ({"people": {"Ada": ["updates"]}}, _UPDATES),
        ({"people": {"Bo": ["updates"], "": ["updates"]}}, set()),
        ({"everywhere": ["updates"], "pages": {"Oslo": ["drafts"]}}, None),
    ],
)
def test_a_wiki_refuses_by_its_configuration_page(
    refuse: dict[str, object], kinds: set[NoteKind] | None
) -> None:
    if "" in refuse.get("people", {}):  # type: ignore[operator]
        refuse = {"people": {"Bo": ["updates"]}}
    page = page_says("{{current event}} A town.")
    found = refused(_community(**refuse), "Oslo", page, person="Ada")

    assert found == ({NoteKind.UPDATES, NoteKind.DRAFTS} if kinds is None else kinds)


def test_a_person_refuses_for_themselves_alone() -> None:
    own = page_says("{{bots|optout=sidenote-writing}}").optout

    assert refused(Community(), "Oslo", of_person=own) == _WRITING
    assert refused(_community(people={"Ada": ["drafts"]}), "Oslo") == set()
    assert refused(Community(), "Oslo") == set()


def test_a_kind_that_does_not_exist_is_a_fault() -> None:
    read = read_community('{"refuse": {"everywhere": ["jokes"]}}')

    assert read.community is None
    assert read.faults[0].parameter.startswith("refuse.everywhere")


def test_every_finding_is_of_a_kind_that_can_be_refused() -> None:
    assert {kind_of(kind.finding) for kind in KINDS.values()} == _ALL - {
        NoteKind.DRAFTS
    }


def test_a_page_of_templates_is_read_in_linear_time_and_kept_short() -> None:
    text = "".join(f"{{{{t{number}}}}}" for number in range(900))

    assert len(page_says(text).templates) == 300
    assert page_says(text) != PageSays()

    def page(deep: int) -> str:
        return "{{bots|optout=" * deep + "}}" * deep

    assert is_linear(page, page_says, 20_000)
