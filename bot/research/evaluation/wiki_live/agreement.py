"""How far the judge here agrees with the authors' judge, statement by statement.

The benchmark publishes one article's citation judgements, by Gemini 2.5 Flash; nobody
checked them. Their pages stand in the system's own file. Some judgements rest on an
error message that was fetched in the page's place, and then say `not_support`; so do
we of those (`of_judged_page`). Of others the text in the shared data was cut before it
began: their judge saw more than we do, and they cannot be compared. They count in the
figures that lead, as not supported, and left out of `both_saw_the_same`.

Cohen's kappa: (p - e) / (1 - e), with p the share of equal words and e that which the
shares of each judge's words bring by chance.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.research.evaluation.metrics import (
    Classes,
    UndefinedMetricError,
    accuracy,
    over,
)
from bot.research.evaluation.report import Findings
from bot.research.evaluation.wiki_live.examining import (
    Examiner,
    Library,
    of_judged_page,
)
from bot.research.evaluation.wiki_live.forms import JudgementForm, JudgementsForm
from bot.research.evaluation.wiki_live.judge import Word
from bot.research.evaluation.wiki_live.page_text import SHOWN_TO_A_JUDGE, Unread
from bot.research.evaluation.wiki_live.values import Generated, shown

_WORDS = tuple(one.value for one in Word)


@dataclass(frozen=True, slots=True)
class Compared:
    """A statement that two judges judged; `unread` is what kept ours from reading."""

    index: int
    statement: str
    page: str
    theirs: Word
    ours: Word
    supported: float
    because: str
    reason: str  # theirs
    unread: Unread | None

    @property
    def can_be_compared(self) -> bool:
        """Whether both saw the same."""
        return self.unread is None or self.unread in SHOWN_TO_A_JUDGE


@dataclass(frozen=True, slots=True)
class Comparison:
    """All statements that could be paired, and why the others could not."""

    title: str
    compared: tuple[Compared, ...]
    unpaired: tuple[str, ...]


def fits(judged: JudgementsForm, article: Generated) -> bool:
    """Tell whether judgements are about an article: its statements are theirs."""
    texts = [one.text for one in article.statements]
    return judged.title == article.title and all(
        one.statement_index < len(texts)
        and texts[one.statement_index] == one.statement.strip()
        for one in judged.results[:3]
    )


async def compare(
    judged: JudgementsForm, article: Generated, examiner: Examiner
) -> Comparison:
    """Judge the same statements again, by the pages as they were fetched."""
    library = Library(article)
    said = await examiner.by_pages(shown(article.title), article.statements, library)
    compared, unpaired = [], []
    for one in judged.results:
        why = _unpaired(one, article)
        if why:
            unpaired.append(f"statement {one.statement_index}: {why}")
            continue
        word, unread = said[one.statement_index]
        compared.append(
            Compared(
                index=one.statement_index,
                statement=one.statement,
                page=one.citation_url,
                theirs=Word(one.verdict),
                ours=of_judged_page(word, unread),
                supported=word.supported if word else 0.0,
                because=word.because if word else "",
                reason=one.reason,
                unread=unread,
            )
        )
    return Comparison(judged.title, tuple(compared), tuple(unpaired))


def _unpaired(judged: JudgementForm, article: Generated) -> str:
    if judged.verdict not in _WORDS:
        return f"verdict {judged.verdict!r} is none of {', '.join(_WORDS)}"
    at = judged.statement_index
    if at >= len(article.statements) or (
        article.statements[at].text != judged.statement.strip()
    ):
        return "the article has another statement in its place"
    return ""


def figures(comparison: Comparison) -> dict[str, Any]:
    """Return accuracy and kappa, of two words and of three, with what was left out."""
    rows = comparison.compared
    comparable = [one for one in rows if one.can_be_compared]
    read = [one for one in rows if one.unread is None]
    return {
        "n": len(rows),
        "article": shown(comparison.title),
        "classes": "support, or not",
        "error_pages": len(comparable) - len(read),
        "text_missing_here": len(rows) - len(comparable),
        "unpaired": len(comparison.unpaired),
        **_figures(rows, two=True),
        "three_classes": {"n": len(rows), **_figures(rows, two=False)},
        "both_saw_the_same": {
            "n": len(comparable),
            **_figures(comparable, two=True),
            "three_classes": {
                "n": len(comparable),
                **_figures(comparable, two=False),
                "confusion": _confusion(comparable),
            },
        },
        "pages_that_were_read": {"n": len(read), **_figures(read, two=True)},
    }


def _figures(rows: Sequence[Compared], *, two: bool) -> dict[str, Any]:
    theirs = np.array([_class(one.theirs, two=two) for one in rows], dtype=np.int64)
    ours = np.array([_class(one.ours, two=two) for one in rows], dtype=np.int64)
    findings = Findings()
    pages = [one.page for one in rows]
    findings.add_measured("accuracy", pages, over(accuracy, theirs, ours))
    findings.add_measured("kappa", pages, over(kappa, theirs, ours))
    return findings.to_dict()


def kappa(theirs: Classes, ours: Classes) -> float:
    """Return Cohen's kappa of two judges' classes.

    Raises:
        UndefinedMetricError: nothing was judged, or both said one thing only.
    """
    seen = accuracy(theirs, ours)
    most = int(max(theirs.max(), ours.max())) + 1
    shares = [np.bincount(one, minlength=most) / len(one) for one in (theirs, ours)]
    by_chance = float(shares[0] @ shares[1])
    if by_chance >= 1:
        raise UndefinedMetricError("all judgements are the same")
    return (seen - by_chance) / (1 - by_chance)


def _class(word: Word, *, two: bool) -> int:
    return int(word is Word.SUPPORT) if two else _WORDS.index(word.value)


def _confusion(rows: Sequence[Compared]) -> dict[str, dict[str, int]]:
    """Return how often each of our words stood for each of theirs."""
    counted = Counter((one.theirs.value, one.ours.value) for one in rows)
    return {
        f"theirs_{theirs}": {f"ours_{ours}": counted[theirs, ours] for ours in _WORDS}
        for theirs in _WORDS
    }


def rows_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the statements on which the judges differ, for people to read."""
    return [
        {
            "statement_index": one.index,
            "statement": one.statement,
            "page": one.page,
            "theirs": one.theirs.value,
            "ours": one.ours.value,
            "supported": round(one.supported, 4),
            "nearest_sentence": one.because,
            "their_reason": one.reason,
            "unread": one.unread.value if one.unread else None,
        }
        for one in comparison.compared
        if one.theirs is not one.ours
    ]
