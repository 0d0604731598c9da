"""Which of two articles reads better, criterion by criterion, as a model judges it.

Wiki Writing (Wiki Live Challenge §3.2.1) shows a model two articles about one subject
and all criteria of one category, and asks for the better one by each. A model tends to
prefer what it is shown first, or last: each question is asked in both orders here, and
only an article that wins in both wins the criterion.

There is no embedded counterpart: a small model that counts words cannot measure how
well prose reads, and a number that pretended to would be worse than none.

A criterion scores 1 for a win, 0 for a loss, and a half for a tie or if the judge
changes its mind with the order. The win rate is the mean of these over all criteria of
all articles (Wiki Live Challenge §3.2.1); the other figures follow its §5.2.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from sklearn.feature_selection import f_classif

from bot.research.evaluation.metrics import UndefinedMetricError
from bot.research.evaluation.report import Findings
from handlers.model import Category, Criterion, ModelFailure, ModelUse
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.criteria import is_apparatus
from handlers.updates.questions import Few, Form, Line, Sizes, ask_model
from handlers.updates.roles import RoleAnswer

_RULES = """
You compare two encyclopaedia articles about the same subject, called A and B, as an \
experienced reviewer of Wikipedia's Good Articles would. You are given criteria, a line \
each: an id, and what is asked for.

Judge every criterion by itself, and from the two texts alone:

- Say for each id which article meets it better, and why in one short sentence that \
names what decided.
- Neither length, nor the order in which you see them, nor who may have written them \
counts. A longer article is better only where the criterion is about coverage.
- Footnotes were taken out of both. That one has none is no fault of it.
- Where the criterion forbids something, the article that does it less is better.
"""
_STRICT = """- There are no ties: where both are nearly alike, name the one that is \
better by however little.
"""
_TIES = """- Where neither is better, say "tie"; do not say so only because it is hard \
to tell.
"""
# For both articles, whole unless they are longer than a long Good Article.
SIZES = Sizes(input_bytes=160_000)


class Winner(Enum):
    GENERATED = "generated"
    REFERENCE = "reference"
    TIE = "tie"

    @property
    def score(self) -> float:
        """The generated article's score."""
        return {"generated": 1.0, "reference": 0.0, "tie": 0.5}[self.value]


@dataclass(frozen=True, slots=True)
class Choice:
    winner: Winner
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answers on one criterion: with the generated article first, and second.

    `None` if the model gave no usable answer.
    """

    criterion_id: str
    first: Choice | None
    second: Choice | None

    @property
    def score(self) -> float | None:
        """The generated article's score, 0 to 1; `None` if there was no answer."""
        scores = [one.winner.score for one in (self.first, self.second) if one]
        return sum(scores) / len(scores) if scores else None

    @property
    def winner(self) -> Winner | None:
        """The winner in both orders; a tie if they differ or one is missing."""
        if self.first is None and self.second is None:
            return None
        if self.first and self.second and self.first.winner is self.second.winner:
            return self.first.winner
        return Winner.TIE

    @property
    def holds_in_both_orders(self) -> bool | None:
        """Whether order made no difference; `None` if one order has no answer."""
        if self.first is None or self.second is None:
            return None
        return self.first.winner is self.second.winner


@dataclass(frozen=True, slots=True)
class Comparison:
    """All answers on two articles under one category."""

    category: Category
    verdicts: tuple[Verdict, ...]
    use: ModelUse
    failures: tuple[tuple[ModelFailure, str], ...] = ()
    is_cut: bool = False  # an article was too long for the question


class _Word(Form):
    criterion: str
    better: Literal["A", "B", "tie"]
    why: Line


class _Answer(Form):
    criteria: Annotated[list[_Word], Few]


class _StrictWord(_Word):
    better: Literal["A", "B"]


class _StrictAnswer(Form):
    criteria: Annotated[list[_StrictWord], Few]


class PairwiseJudge:
    """Has a model compare articles, one question for each category and order."""

    def __init__(
        self, model: LanguageModel, *, allows_ties: bool = False, sizes: Sizes = SIZES
    ) -> None:
        self._model = model
        self._allows_ties = allows_ties
        self._sizes = sizes

    async def compare(
        self,
        title: str,
        generated: str,
        reference: str,
        criteria: Sequence[Criterion],
    ) -> Comparison:
        """Return who does better by each of `criteria`, which are of one category."""
        first = await self._answer(title, (generated, reference), criteria)
        second = await self._answer(title, (reference, generated), criteria)
        ours = _choices(first, criteria, "A", "B")
        turned = _choices(second, criteria, "B", "A")
        longest = max(
            len(one.encode("utf-8", "replace")) for one in (generated, reference)
        )
        return Comparison(
            category=criteria[0].category,
            verdicts=tuple(
                Verdict(one.id, ours.get(one.id), turned.get(one.id))
                for one in criteria
            ),
            use=first.use + second.use,
            failures=tuple(
                (one.failure or ModelFailure.UNUSABLE, one.detail)
                for one in (first, second)
                if one.value is None
            ),
            is_cut=longest > self._sizes.input_bytes // 2,
        )

    async def _answer(
        self, title: str, articles: tuple[str, str], criteria: Sequence[Criterion]
    ) -> RoleAnswer[_Answer | None] | RoleAnswer[_StrictAnswer | None]:
        listed = "\n".join(f"{one.id}: {one.text}" for one in criteria)
        rules = (
            f"{_RULES}{_TIES if self._allows_ties else _STRICT}\nCriteria:\n{listed}"
        )
        most_bytes = self._sizes.input_bytes // 2
        content = (
            Excerpt("subject", title[:300]),
            Excerpt("article A", _cut(blinded(articles[0]), most_bytes)),
            Excerpt("article B", _cut(blinded(articles[1]), most_bytes)),
        )
        if self._allows_ties:
            return await ask_model(self._model, rules, content, _Answer)
        return await ask_model(self._model, rules, content, _StrictAnswer)


def _choices(
    reply: RoleAnswer[_Answer | None] | RoleAnswer[_StrictAnswer | None],
    criteria: Sequence[Criterion],
    generated: str,
    reference: str,
) -> dict[str, Choice]:
    """Return the choice for each criterion; the articles were named as given."""
    named = {
        generated: Winner.GENERATED,
        reference: Winner.REFERENCE,
        "tie": Winner.TIE,
    }
    known = {one.id for one in criteria}
    choices: dict[str, Choice] = {}
    for one in reply.value.criteria if reply.value else ():
        key = one.criterion.strip().casefold()
        if key in known:
            choices.setdefault(key, Choice(named[one.better], one.why))
    return choices


# What shows how a text was made (in only one of the two), and what both may have.
_MARKS = re.compile(
    r"<ref\b[^>]{0,300}/>|<ref\b[^>]{0,300}>[^<]{0,2000}</ref>|<!--(?:(?!<!--|-->).){0,2000}-->"
    r"|\^?\[\^?(?:\d{1,3}|[a-z]|note \d{1,3}|nb \d{1,3})\](?!\()|[\u00b9\u00b2\u00b3\u2070-\u2079]+"
    r"|\[(?:edit|citation needed|clarification needed|who\?|when\?)\]",
    re.DOTALL | re.IGNORECASE,
)
_CITED_LINK = re.compile(r"[(\[]?\[\[?\d{1,3}\]?\]\([^()\s]{1,2000}\)[)\]]?")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,2000}\)")
_HEADING = re.compile(r"(?:#{1,6}|={2,6})\s*([^#=\n]{1,200}?)\s*[#=]*")
_BEFORE_STOP = re.compile(r" ([.,;:!?])")
_CELLS = re.compile(r"[|\s:—–-]*")


def blinded(text: str) -> str:
    """Return an article without what gives away who wrote it.

    This removes footnote marks, link addresses, rows of empty cells and sections of
    references.
    """
    lines: list[str] = []
    skips = False
    for one in _LINK.sub(r"\1", _CITED_LINK.sub("", _MARKS.sub("", text))).splitlines():
        heading = _HEADING.fullmatch(one.strip())
        if heading:
            skips = is_apparatus((heading[1].strip("*: "),))
        is_empty = "|" in one and _CELLS.fullmatch(one)
        if not skips and not is_empty:
            indent = one[: len(one) - len(one.lstrip())]
            lines.append(indent + _BEFORE_STOP.sub(r"\1", " ".join(one.split())))
    return "\n".join(lines).strip()


def _cut(text: str, max_bytes: int) -> str:
    """Return the beginning of `text` that fits, cut at the end of a line."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= max_bytes:
        return text
    beginning = raw[:max_bytes].decode("utf-8", "ignore")
    return beginning[: beginning.rfind("\n")] if "\n" in beginning else beginning


_LEAST_TOPICS = 2
_DIGITS = 4
_DUST = 1e-12  # the difference that rounding may leave between equal sums
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Row:
    """A judge's score for one criterion of one article; see `Winner.score`.

    `holds` is whether both orders agree, `None` if one of them has no answer.
    """

    system: str
    title: str
    criterion: Criterion
    score: float
    winner: Winner
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person said of one criterion of one article."""

    system: str
    title: str
    criterion: str
    winner: Winner


def figures(
    rows: Sequence[Row],
    *,
    topics: Mapping[str, str],
    annotations: Sequence[Annotation] = (),
) -> dict[str, Any]:
    systems = grouped(rows, lambda row: row.system)
    return {
        "systems": {name: _of_system(some) for name, some in systems.items()},
        "difficulty": _difficulty(rows, topics),
        "robustness": {
            name: _robustness(name, rows, topics).to_dict() for name in systems
        },
        "human_agreement": _agreement(rows, annotations).to_dict(),
    }


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Return rows by `key`, in the order in which keys occur."""
    found: dict[K, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def win_rate(rows: Sequence[Row]) -> float:
    """Return the mean score."""
    if not rows:
        raise UndefinedMetricError("no criterion was judged")
    return float(np.mean([row.score for row in rows]))


def _of_system(rows: Sequence[Row]) -> dict[str, Any]:
    found = Findings()
    found.add_measured(
        "win_rate",
        [row.title for row in rows],
        lambda at: win_rate([rows[one] for one in at]),
    )
    both = [row.holds for row in rows if row.holds is not None]
    found.add_share("same_in_both_orders", sum(both), len(both))
    counted = {
        f"{one.value}_wins" if one is not Winner.TIE else "ties": sum(
            row.winner is one for row in rows
        )
        for one in Winner
    }
    return {
        **found.to_dict(),
        "articles": len({row.title for row in rows}),
        "criteria_judged": len(rows),
        **counted,
        "by_category": {
            one.value: round(win_rate(some), _DIGITS)
            for one, some in grouped(rows, lambda row: row.criterion.category).items()
        },
        "by_group": _rates(rows, lambda row: row.criterion.group),
        "by_criterion": _rates(rows, lambda row: row.criterion.id),
    }


def _rates(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, float]:
    return {
        name: round(win_rate(some), _DIGITS)
        for name, some in grouped(rows, key).items()
    }


def _difficulty(rows: Sequence[Row], topics: Mapping[str, str]) -> dict[str, Any]:
    """Return the mean win rate of all systems by topic, the hardest first (Table 10)."""
    known = [row for row in rows if row.title in topics]
    by_topic = grouped(known, lambda row: topics[row.title])
    return {
        topic: {
            "win_rate": round(win_rate(some), _DIGITS),
            "articles": len({row.title for row in some}),
        }
        for topic, some in sorted(by_topic.items(), key=lambda one: win_rate(one[1]))
    }


def _robustness(
    system: str, rows: Sequence[Row], topics: Mapping[str, str]
) -> Findings:
    """Return whether a system does better in some topics than in others (Table 11).

    This is an analysis of variance of how far its articles score above the mean of
    their topic over all systems: a high p and a low eta squared mean that it does not.
    """
    found = Findings()
    known = [row for row in rows if row.title in topics]
    means = {
        topic: win_rate(some)
        for topic, some in grouped(known, lambda row: topics[row.title]).items()
    }
    own = grouped((row for row in known if row.system == system), lambda row: row.title)
    labels = [topics[title] for title in own]
    above = np.array(
        [win_rate(some) - means[topics[title]] for title, some in own.items()]
    )
    names, codes = np.unique(labels, return_inverse=True)
    why = ""
    total = between = 0.0
    if len(names) < _LEAST_TOPICS or len(above) <= len(names):
        why = "it takes articles of two topics, and more articles than topics"
    else:
        total = float(np.sum((above - above.mean()) ** 2))
        of_topics = np.array([above[codes == at].mean() for at in range(len(names))])
        between = float(np.sum((of_topics[codes] - above.mean()) ** 2))
        if total - between <= _DUST * max(total, 1.0):
            why = "the articles of a topic do not differ at all"
    if why:
        for name in ("f", "p", "eta_squared"):
            found.omit(name, why)
        return found
    f, p = f_classif(above.reshape(-1, 1), codes)
    found.put("f", float(f[0]))
    found.put("p", float(p[0]))
    found.put("eta_squared", between / total)
    return found


def _agreement(rows: Sequence[Row], annotations: Sequence[Annotation]) -> Findings:
    """Return the pairwise agreement rate of the judge with people (Table 4)."""
    judged = {(row.system, row.title, row.criterion.id): row.winner for row in rows}
    both = [
        judged[key] is one.winner
        for one in annotations
        for key in [(one.system, one.title, one.criterion)]
        if key in judged
    ]
    found = Findings()
    if not both:
        found.omit("pairwise_agreement_rate", "no annotation of a person is at hand")
        return found
    found.add_share("pairwise_agreement_rate", sum(both), len(both))
    return found
