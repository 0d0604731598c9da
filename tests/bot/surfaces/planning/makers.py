"""Watches, findings and the pure values of planning, in a line each."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

from bot.records.posts import Append, Limits, Post, PostState, StoredPost
from bot.records.watches import (
    ActiveWatch,
    Check,
    NoteState,
    PlanKind,
    Rate,
    ShownNote,
    Surface,
    WatcherKind,
)
from bot.store import StoredSuggestion
from handlers.findings import CitationFinding, SourceFinding, Suggestion
from handlers.model import CheckKind, Flag, PageId, Verdict
from tests import builders

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
WIKI = "wiki.example"
ARTICLE = "Uhr am Kai"
TALK = "Diskussion:Uhr am Kai"
PLACE = "Benutzer:Ada/Beobachtet"
PLENTY = Limits(per_page=9_999, per_user=9_999, per_wiki=9_999, in_all=9_999)
REPORT = "Benutzer:Ada/Sidenote report"


def watch(**changes: object) -> ActiveWatch:
    """Return Ada's watch of one article, with a report of as many notes as she likes."""
    default = ActiveWatch(
        wiki=WIKI,
        place=PLACE,
        kind=WatcherKind.USER,
        watcher="Ada",
        pages=(ARTICLE,),
        checks=(Check.CITATIONS, Check.BETTER_SOURCES, Check.DRIFT),
        surfaces=(Surface.REPORT,),
        report=REPORT,
        most=Rate(1_000),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def found(number: int = 1, title: str = ARTICLE, **changes: object) -> Suggestion:
    """Return a flagged finding; its identity tells its number and article."""
    default = Suggestion(
        identity=f"{number:08x}{sha256(title.encode()).hexdigest()[:56]}",
        page=PageId(WIKI, title, 1, 100),
        claim=f"Claim {number} is made here.",
        section=("History",),
        source_keys=("https://news.example/a",),
        finding=CitationFinding(Verdict.NOT_SUPPORTED),
        probability=0.9,
        quote=None,
        quote_url=None,
        engine=builders.ENGINE,
        flag=Flag(CheckKind.NOT_SUPPORTED, 0.98, 0.97),
        place=number,
    )
    verdict = changes.pop("verdict", None)
    sure = changes.get("probability")
    if isinstance(sure, float) and "flag" not in changes:
        changes["flag"] = Flag(CheckKind.NOT_SUPPORTED, sure, 0.5)
    if isinstance(verdict, Verdict):
        is_offer = verdict is Verdict.SUPPORTED
        changes["finding"] = SourceFinding() if is_offer else CitationFinding(verdict)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def stored(one: Suggestion) -> StoredSuggestion:
    return StoredSuggestion(one, NOON, NOON, None)


def shown_note(one: Suggestion, state: NoteState = NoteState.OPEN) -> ShownNote:
    return ShownNote(one.identity, REPORT, one.page.title, state, NOON, NOON)


def stored_post(
    number: int, state: PostState = PostState.POSTED, **changes: object
) -> StoredPost:
    """Return a post to the report; later numbers are newer."""
    post = Post(
        name=sha256(f"{number}".encode()).hexdigest(),
        wiki=WIKI,
        title=REPORT,
        task="report",
        change=Append("text"),
        summary="",
        asked_at=NOON,
        plan=PlanKind.REPORT,
        subject=PLACE,
    )
    fields = {
        name: changes.pop(name) for name in ("adds", "settles") if name in changes
    }
    post = replace(post, **fields)  # type: ignore[arg-type]  # fields by name
    default = StoredPost(post, state, 1, NOON, NOON, revision_id=number)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name
