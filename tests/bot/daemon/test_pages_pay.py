"""Claims of a page whose part of the day's money is spent could not be checked further.

The report says so, and why; other pages go on.
"""

from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr, ValidationError

from bot.app.wiring.language_model import DailyBudget, PagesPay, open_draft_model
from bot.daemon.check import Checker
from bot.models.language_model import Budget, ChatModel
from bot.records.spending import Allowance
from bot.report import PageReport
from bot.settings import Settings
from bot.store import Store
from handlers.model import (
    ModelFailure,
    Origin,
    PageId,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Verdict,
)
from handlers.page import parse
from handlers.ports import Excerpt, ModelAnswer, ModelRequest, PermanentError, Tools
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
        one is not None and one.failure is ModelFailure.OUT_OF_BUDGET
        for one in opinions
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


# The model that was fine-tuned for drafts: which server is asked, and what it is sent.


class _Word(BaseModel):
    word: str


_REQUEST = ModelRequest("Say a word.", (Excerpt("word", "yes"),), _Word)


def _settings(tmp_path: Path, **given: str) -> Settings:
    key = SecretStr("sk-test")
    return Settings(
        data_dir=tmp_path, contact="t@example.org", language_model_key=key, **given
    )


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"draft_model": "tuned"},
        {
            "language_model_address": "http://127.0.0.1:1/v1",
            "language_model_name": "m",
        },
        {"draft_model_address": "http://127.0.0.1:1/v1"},
    ],
)
async def test_without_a_tuned_model_it_is_told_what_to_do(
    tmp_path: Path, given: dict[str, str]
) -> None:
    settings = Settings(data_dir=tmp_path, **given)
    with pytest.raises(PermanentError, match=r"train draft.*SIDENOTE_DRAFT_MODEL"):
        async with open_draft_model(settings):
            pass


async def test_the_key_goes_to_the_server_that_it_is_for_and_to_no_other(
    tmp_path: Path,
) -> None:
    async with serving(says('{"word": "yes"}')) as one, serving(*one.scripts) as other:
        for at, address in enumerate(("", one.address, other.address)):
            settings = _settings(
                tmp_path / str(at),
                language_model_address=one.address,
                language_model_name="large",
                draft_model="tuned",
                draft_model_address=address,
            )
            async with open_draft_model(settings) as model:
                assert isinstance(await model.ask(_REQUEST), ModelAnswer)
    assert [each.body["model"] for each in (*one.asked, *other.asked)] == ["tuned"] * 3
    keys = [each.headers.get("authorization", "") for each in one.asked]
    assert keys == ["Bearer sk-test"] * 2
    [sent] = other.asked
    assert "sk-test" not in str(sent.headers)


@pytest.mark.parametrize("address", ["ftp://a.example", "http://a:b@c.example/v1"])
def test_an_address_that_is_none_is_reported(address: str) -> None:
    with pytest.raises(ValidationError, match="address"):
        Settings(draft_model_address=address)
