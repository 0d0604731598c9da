"""How many questions the cascade keeps from a language model.

The verifier judges every claim, and only those it leaves in doubt are put to the
model. The model is a script on loopback that knows nothing: what is counted is how
often it is asked, and how much it is given to read.
"""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from bot.daemon.check import Checker, parse_page
from bot.models.language_model import Budget, ChatModel, ModelSettings
from bot.models.lexical import LexicalVerifier
from bot.models.neural import NeuralVerifier
from bot.sources.extraction import Extractor
from bot.sources.folder import SourceFolder
from bot.wiki.folder import read_page_file
from handlers.citations.model_judge import Doubt
from handlers.model import Consultation
from handlers.ports import Tools, Verifier
from tests.benchmarks.published import contents
from tests.benchmarks.published.quiet import unlogged
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section
from tests.fakes import Unheard
from tests.rig.language_model import judges, serving

_WHAT = (
    ("cascade-claims", "Claims put to a language model", "claims", "asked"),
    ("cascade-calls", "Requests to a language model", "requests", "calls"),
    (
        "cascade-tokens",
        "What a language model is given to read",
        "thousand tokens",
        "input_tokens",
    ),
)
_ALL = replace(Doubt(), low=0.0, high=1.0)


def measured(sizes: Sizes) -> list[Section]:
    """Return claims, requests and words that go to the model, with and without."""
    with unlogged():
        return asyncio.run(_measured(sizes))


async def _measured(sizes: Sizes) -> list[Section]:
    verifiers: dict[str, Verifier] = {"lexical": LexicalVerifier()}
    if sizes.has_network:
        verifiers = {"minilm": NeuralVerifier(), **verifiers}
    told = {
        "without the cascade: every claim": await _asked(
            sizes, next(iter(verifiers.values())), _ALL
        )
    }
    for name, verifier in verifiers.items():
        told[f"with it, verifier {name}"] = await _asked(sizes, verifier, Doubt())
    claims = sum(one.asked for one in next(iter(told.values())))
    unread = sum(map(_claims, contents.shipped(sizes.articles))) - claims
    counted = (
        f"n = {sizes.articles} articles that ship, {claims} claims of which a source could"
        f" be read ({unread} others are nobody's to judge, and are left out); counted once,"
        " for the count is the same in every run."
    )
    return [_section(told, counted, what) for what in _WHAT]


def _section(
    told: dict[str, list[Consultation]], counted: str, what: tuple[str, str, str, str]
) -> Section:
    key, title, unit, field = what
    formula = "Sum over all claims; what is fewer is told as a share of the first bar."
    if field == "input_tokens":
        formula += " Tokens are the bytes of the requests divided by four."
    by = 1000.0 if field == "input_tokens" else 1.0
    bars: list[Bar] = []
    most = 0.0
    for name, found in told.items():
        value = sum(_value(one, field) for one in found) / by
        most = most or value
        saved = f"{100 * (1 - value / most):.0f} % fewer" if bars and most else ""
        bars.append(Bar(name, (value,), is_peer=not bars, note=saved))
    return Comparison(key, title, unit, counted, formula, tuple(bars))


def _value(one: Consultation, field: str) -> float:
    return float(getattr(one if field == "asked" else one.use, field))


async def _asked(sizes: Sizes, verifier: Verifier, doubt: Doubt) -> list[Consultation]:
    found = []
    async with Extractor() as extractor, serving(judges(_knows_nothing)) as server:
        budget = Budget(Decimal(1000), 10_000)
        chosen = ModelSettings(server.address, "puppet", budget, "Sidenote/bench")
        async with ChatModel(chosen) as model:
            sources = SourceFolder(contents.DEMO / "sources", extractor)
            checker = Checker(
                Tools(sources, verifier, model),
                Unheard(),
                now=lambda: datetime.now(UTC),
                doubt=doubt,
            )
            for path in contents.shipped(sizes.articles):
                page = read_page_file(path, wiki=contents.WIKI)
                report = await checker.check(page.wikitext, page.id)
                assert report.consultation is not None
                found.append(report.consultation)
        assert len(server.asked) == sum(one.use.calls for one in found)
    return found


def _claims(path: Path) -> int:
    page = read_page_file(path, wiki=contents.WIKI)
    return len(parse_page(page.wikitext, page.id).claims)


def _knows_nothing(claim: str, request: object) -> tuple[str, str]:
    del claim, request
    return "not_supported", ""
