"""Pages that keep bots away, by exclusion and by refusal."""

import json

import pytest

from bot.records.watches import NoteKind, PageSays
from bot.surfaces.opt_in.community import Community, read_community
from bot.surfaces.opt_in.refusal import exclusion, kind_of, page_says, refused
from handlers.registry import KINDS
from tests.linear import is_linear

BOT = "SidenoteBot"


# The 25 forms that Pywikibot's own tests of `Page.botMayEdit` go through.
REFUSING = (
    "{{nobots}}",
    "{{nobots|SidenoteBot, HagermanBot,Werdnabot}}",
    "{{nobots|all}}",
    "{{nobots|allow=SidenoteBot}}",
    "{{nobots|deny=SidenoteBot}}",
    "{{nobots|decline=SidenoteBot}}",
    "{{nobots|with_empty_parameter=}}",
    "{{nobots|SidenoteBot|MyBot}}",
    "{{bots|allow=HagermanBot,Werdnabot}}",
    "{{bots|deny=SidenoteBot, HagermanBot}}",
    "{{bots|allow=none}}",
    "{{bots|deny=all}}",
)
ALLOWING = (
    "{{nobots|HagermanBot,Werdnabot}}",
    "{{nobots|MyBot|SidenoteBot}}",
    "{{bots}}",
    "{{bots|deny=HagermanBot,Werdnabot}}",
    "{{bots|allow=SidenoteBot, HagermanBot}}",
    "{{bots|allow=all}}",
    "{{bots|deny=none}}",
    "{{bots|SidenoteBot}}",
    "{{bots|with=unknown_parameter}}",
    "{{bots|with_empty_parameter=}}",
    "{{bots|allow=}}",
    "{{bots|deny=}}",
    "{{bots|empty_parameter=}}",
)
MORE_REFUSING = (
    "{{Nobots}}",
    "{{ nobots }}",
    "{{Template:Nobots}}",
    "{{in use}}",
    "{{Inuse|back soon}}",
    "{{bots|optout=all}}",
    "{{bots|optout=nosource, suggestions}}",
    "{{bots|deny=Other|optout=Sidenote}}",
    "{{bots|deny=\n sidenoteBot \n}}",
    "{{bots|deny=Side<!-- x -->noteBot}}",
    "{{bots|deny={{my list of bots}}}}",
    "{{bots|denyscript=all}}",
    "{{talk header|x={{nobots}}}}",
    "<div>{{nobots}}</div>",
    "{{bots|allow=all}}{{nobots}}",
    "{{nobots|}}",
)
MORE_ALLOWING = (
    "",
    "nobots",
    "<!-- {{nobots}} -->",
    "<nowiki>{{nobots}}</nowiki>",
    "<pre>{{bots|deny=all}}</pre>",
    "{{nobots",
    "{{bots|optout=nosource}}",
    "{{bots|optout=}}",
    "{{nobotsx}}",
    "{{bots|allow=sidenote<!-- the one -->Bot}}",
)


def test_there_are_all_the_forms_that_pywikibot_tests() -> None:
    assert len(REFUSING) == 8 + 4
    assert len(ALLOWING) == 2 + 11


@pytest.mark.parametrize("page", [*REFUSING, *MORE_REFUSING])
def test_a_page_refuses_us(page: str) -> None:
    found = exclusion(f"Words before.\n{page}\nWords after.", BOT)

    assert not found.may_write
    assert found.reason.startswith("the page says {{")


@pytest.mark.parametrize("page", [*ALLOWING, *MORE_ALLOWING])
def test_a_page_does_not_refuse_us(page: str) -> None:
    assert exclusion(f"Words before.\n{page}\nWords after.", BOT).may_write


def test_a_task_can_be_refused_by_its_name() -> None:
    page = "{{bots|denyscript=sidenote-talk}}"

    assert exclusion(page, BOT).may_write
    assert not exclusion(page, BOT, task="sidenote-talk").may_write


def test_a_name_with_underscores_is_the_same_name() -> None:
    assert not exclusion("{{bots|deny=Sidenote_Bot}}", "Sidenote Bot").may_write


def test_a_page_full_of_exclusions_is_left_alone() -> None:
    assert not exclusion("{{bots}}" * 300, BOT).may_write


def test_a_page_of_nested_exclusions_is_read_in_linear_time() -> None:
    def page(deep: int) -> str:
        return "{{bots|x=" * deep + "}}" * deep

    assert is_linear(page, lambda text: exclusion(text, BOT), 20_000)


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
