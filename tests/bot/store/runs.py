"""Runs over one page and their suggestions, in a line each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from multiprocessing.process import BaseProcess

from sqlalchemy import Connection, create_engine, func, select

from bot.records.watches import PLANS, PlanKind
from bot.report import PageReport
from bot.store import Store
from bot.store.schema import metadata
from handlers.findings import CitationFinding, SourceFinding, Suggestion
from handlers.model import ClaimCheck, Verdict
from tests import builders

WIKI = "en.wikipedia.org"
TITLE = "2011 Sawyerville–Eoline tornado"
NOON = datetime(2026, 11, 20, 12, 0, 0, 250_000, tzinfo=UTC)

_forked = get_context("fork")  # starts in a moment: all is imported already


def hour(number: float) -> datetime:
    return NOON + timedelta(hours=number)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def day(number: float) -> datetime:
    return NOON + timedelta(days=number)


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """Give a transaction of our own, beside the store."""
    engine = create_engine(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def planned(store: Store, at: datetime | None = None) -> set[tuple[PlanKind, str]]:
    """Make all plans that are due; return what they were about."""
    found = set()
    while plan := store.tasks.lease(PLANS, "me", at or hour(100)):
        found.add((plan.task.kind, plan.task.subject))
        store.plans.finish(plan, (), at or hour(100))
    return found


def suggestion(claim: str = builders.CLAIM_TEXT, **changes: object) -> Suggestion:
    default = Suggestion(
        identity=f"{abs(hash(claim)):064x}",
        page=builders.page(TITLE).id,
        claim=claim,
        section=("Damage", "By county"),
        source_keys=(builders.source().key,),
        finding=CitationFinding(Verdict.NOT_SUPPORTED),
        probability=0.78,
        quote="Damage in this area was mostly snapped and uprooted trees.",
        quote_url="https://www.weather.gov/bmx/event#:~:text=Damage",
        engine=builders.ENGINE,
    )
    verdict = changes.pop("verdict", None)
    if isinstance(verdict, Verdict):
        is_offer = verdict is Verdict.SUPPORTED
        changes["finding"] = SourceFinding() if is_offer else CitationFinding(verdict)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def run(
    revision: int | None = 10,
    at: datetime = NOON,
    checks: Sequence[ClaimCheck] = (),
    title: str = TITLE,
    **changes: object,
) -> PageReport:
    """Return a run over a revision; its text is other than every other revision's."""
    page = builders.page(title)
    page = replace(
        page,
        id=replace(page.id, revision_id=revision, revised_at=hour(-24)),
        wikitext=f"Text of revision {revision}.",
    )
    report = builders.page_report(*checks, checked_at=at)
    return replace(report, page=page, **changes)  # type: ignore[arg-type]  # fields by name


def start(work: Callable[..., None], *given: object) -> BaseProcess:
    """Run `work` in a process of its own."""
    process = _forked.Process(target=work, args=given, daemon=True)
    process.start()
    return process


def count_of(url: str, table: str) -> int:
    """How many rows a table has."""
    with connected(url) as connection:
        counted = select(func.count()).select_from(metadata.tables[table])
        return connection.scalar(counted) or 0
