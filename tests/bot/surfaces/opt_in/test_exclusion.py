"""A page that refuses bots is left alone, in every form that people use."""

import pytest

from bot.surfaces.opt_in.refusal import exclusion
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
