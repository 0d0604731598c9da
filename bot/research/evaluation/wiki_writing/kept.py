"""What was said of each article, as files in the benchmark's own places and forms.

`<folder>/<system>/writing/<Article>_writing.json` holds one article, and `_summary.json`
beside them what comes of all. The files are the memory of a run that was stopped, too:
one whose fingerprint is another's (other texts, criteria or judge) is asked for anew.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.sources.files import replacing, unwritten
from handlers.model import Criterion, Engine
from handlers.review.pairwise import Winner

_NAMES = {Winner.GENERATED: "Gen", Winner.REFERENCE: "Wiki", Winner.TIE: "Tie"}
_LONGEST_NAME = 180  # bytes; file systems take 255


class OrderRuling(BaseModel):
    """Who won in one order, and why."""

    model_config = ConfigDict(frozen=True)

    winner: Winner
    reason: str


class CriterionResult(BaseModel):
    """One criterion of one article."""

    model_config = ConfigDict(frozen=True)

    criterion_id: str
    winner: str  # Gen, Wiki or Tie, as the benchmark has it; "" where nothing was said
    score: float | None
    first: OrderRuling | None
    second: OrderRuling | None


class ArticleResult(BaseModel):
    """One article. `troubles` are lines for a person, each of one question."""

    model_config = ConfigDict(frozen=True)

    title: str
    fingerprint: str
    engine: str
    is_cut: bool
    calls: int
    tokens: int
    cost: str  # in the currency of the budget
    troubles: tuple[str, ...]
    results: tuple[CriterionResult, ...]


def winner_name(winner: Winner | None) -> str:
    """Return what the benchmark calls a winner; "" for none."""
    return _NAMES[winner] if winner else ""


def winner_named(name: str) -> Winner:
    """Return the winner that the benchmark calls `name`, in any case.

    Raises:
        ValueError: it has no such winner.
    """
    for winner, known in _NAMES.items():
        if name.strip().casefold() == known.casefold():
            return winner
    raise ValueError(f"{name!r} is none of {', '.join(_NAMES.values())}")


def fingerprint(
    engine: Engine, texts: Sequence[str], criteria: Sequence[Criterion], *, ties: bool
) -> str:
    """Return what names a question: its texts, its criteria and who is asked."""
    parts = [engine.name, engine.version, str(ties), *texts]
    parts += [f"{one.id} {one.text}" for one in criteria]
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()


def load(folder: Path, title: str, expected: str) -> ArticleResult | None:
    """Return what was kept of an article; `None` if nothing, or of another question."""
    try:
        kept = ArticleResult.model_validate_json(_place(folder, title).read_bytes())
    except (OSError, ValidationError):
        return None
    return kept if kept.fingerprint == expected else None


def save(folder: Path, result: ArticleResult) -> None:
    """Keep what was said of an article.

    Raises:
        PermanentError: the folder cannot be written to.
        TemporaryError: the disk is full.
    """
    _write(_place(folder, result.title), result.model_dump(mode="json"))


def save_summary(folder: Path, results: Sequence[ArticleResult]) -> Mapping[str, Any]:
    """Write and return the benchmark's summary of a system.

    Raises:
        PermanentError: the folder cannot be written to.
        TemporaryError: the disk is full.
    """
    said = [one for article in results for one in article.results]
    wins = sum(one.winner == "Gen" for one in said)
    losses = sum(one.winner == "Wiki" for one in said)
    scores = [one.score for one in said if one.score is not None]
    summary = {
        "total_articles": len(results),
        "total_gen_wins": wins,
        "total_gt_wins": losses,
        "total_ties": sum(one.winner == "Tie" for one in said),
        "gen_win_rate": round(sum(scores) / len(scores), 4) if scores else None,
    }
    _write(folder / "_summary.json", summary)
    return summary


def _place(folder: Path, title: str) -> Path:
    safe = "".join("_" if sign in '/\\:*?"<>|\0 ' else sign for sign in title)
    raw = safe.encode("utf-8", "replace")
    if len(raw) > _LONGEST_NAME or safe.startswith("."):
        digest = sha256(raw).hexdigest()[:12]
        safe = f"{raw[:_LONGEST_NAME].decode('utf-8', 'ignore').lstrip('.')}-{digest}"
    return folder / f"{safe}_writing.json"


def _write(path: Path, value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        with replacing(path, text):
            pass
    except OSError as error:
        raise unwritten(str(path), error) from error
