"""Claims of a page whose part of the day's money is spent could not be checked further.

The report says so, and why; other pages go on.
"""

from decimal import Decimal

from bot.app.wiring.language_model import DailyBudget, PagesPay
from bot.daemon.check import Checker
from bot.models.language_model import Budget, ChatModel
from bot.records.spending import Allowance
from bot.report import PageReport
from bot.store import Store
from handlers.model import (
    Origin,
    PageId,
    Setback,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.page import parse
from handlers.ports import Tools
from tests.bot.models.language_model.tools import model
from tests.bot.surfaces.planning.makers import watch
from tests.builders import CHECKED_AT
from tests.fakes import FakeVerifier, Unheard
from tests.rig.language_model import says, serving

_WIKI = "en.wikipedia.org"
_ANSWER = '{"answers": []}'
_DAY = Allowance(Decimal(9), 10, page_share=Decimal("0.4"), person_share=Decimal("0.6"))


class _Texts:
    """Has a text for each source."""

    async def read(self, source: Source) -> SourceFetch:
        return SourceFetch(
            source,
            SourceOutcome.READ,
            "read",
            origin=Origin.DISK,
            url=source.url,
            document=SourceText(f"The tower of {source.url} was built in 1874."),
        )


def _wikitext(claims: int) -> str:
    return "".join(
        f"The tower number {n} of the harbour was built of stone in 1875."
        f"<ref>{{{{cite web|url=https://a.example/{n}|title=A}}}}</ref>\n\n"
        for n in range(claims)
    )


async def _checked(
    store: Store, chat: ChatModel, title: str, claims: int
) -> PageReport:
    wikitext, page = _wikitext(claims), PageId(_WIKI, title)
    verdicts = {one.text: Verdict.NOT_SUPPORTED for one in parse(wikitext, page).claims}
    checker = Checker(
        Tools(_Texts(), FakeVerifier(verdicts), chat),
        Unheard(),
        now=lambda: CHECKED_AT,
        paid_for=PagesPay(chat, store),
    )
    return await checker.check(wikitext, page)


def _refused(report: PageReport) -> int:
    opinions = [check.opinion for check in report.checks]
    return sum(
        one is not None and one.setback is Setback.OUT_OF_BUDGET for one in opinions
    )


async def test_a_page_at_its_cap_says_so_and_the_pages_of_others_go_on(
    store: Store,
) -> None:
    for user, pages in (("Ann", ("Long", "Next")), ("Bo", ("Other",))):
        store.watches.keep(
            watch(wiki=_WIKI, place=f"User:{user}", watcher=user, pages=pages),
            (),
            CHECKED_AT,
        )
    own = Budget(Decimal(9), 900).without_end
    async with (
        serving(says(_ANSWER)) as server,
        model(server, budget=own, shared_budget=DailyBudget(store, _DAY)) as chat,
    ):
        long = await _checked(store, chat, "Long", 12)
        following = await _checked(store, chat, "Next", 12)
        other = await _checked(store, chat, "Other", 12)

    assert [_refused(one) for one in (long, following, other)] == [8, 10, 8]
    assert len(server.asked) == 10
    stops = [one.consultation.stopped for one in (long, following) if one.consultation]
    assert stops == [
        (
            "the 4 calls that one page may take in a day of UTC were made; set"
            " SIDENOTE_LANGUAGE_MODEL_DAILY_PAGE_SHARE to allow more",
        ),
        (
            "the 6 calls that one who asked may take in a day of UTC were made; set"
            " SIDENOTE_LANGUAGE_MODEL_DAILY_PERSON_SHARE to allow more",
        ),
    ]
    assert all(check.verification is not None for check in long.checks)
