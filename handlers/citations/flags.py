"""Which claims are flagged, and which confirmed: operating points chosen for precision.

A verdict is the likeliest of four, so it may be little more than a guess. A claim is
flagged if the engine's calibrated probability that it fails reaches a threshold. The
threshold was chosen on rows that the engine had not seen, so that few of the claims
above it are flagged wrongly. Claims that fail a little less certainly come lower in the
list, as doubtful.

A claim is confirmed only from a threshold on, too: between a value and a slightly
changed one the engine often hesitates, and "supported" is taken at its word. Below the
threshold the claim has no verdict, and the closest passage is shown. Pure.

There is an operating point for each engine (name and version: a threshold must not
outlive its model), wiki and kind of check. An engine or a language that was never
measured gets thresholds that only near certainty reaches.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from handlers.model import (
    CELLS,
    CITATION_CHECKS,
    CheckKind,
    ClaimCheck,
    Engine,
    ExpectedPrecision,
    Flag,
    Probabilities,
    Verdict,
)
from handlers.text.difference import difference

ANY_WIKI = "*"
LEAST_THRESHOLD = 0.5  # below it the claim is more likely right than wrong
_UNMEASURED = 0.97  # without a measurement, only near certainty counts

_LANGUAGE = re.compile(
    r"([a-z]{2,3}(?:-[a-z]{2,10})*)\.(?:m\.)?wik[a-z]+\.org", re.ASCII
)
_NO_LANGUAGE = frozenset({"www", "test", "commons", "meta", "simple"})


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a threshold flags, and on what that was measured.

    `precision` is the share of the flagged rows that fail, `recall` the share of the
    failing rows that are flagged, `false_alarms` the share of the other rows that are
    flagged. The last two give the precision on a wiki, for the share of its claims that
    fail; `base_rate` is that share among the rows measured. `files` are the files of
    the rows, with their fingerprints.
    """

    files: Mapping[str, str]
    sets: tuple[str, ...]
    rows: int
    flagged: int
    base_rate: float
    precision: float
    precision_ci95: tuple[float, float] | None
    recall: float
    recall_ci95: tuple[float, float] | None
    false_alarms: float

    def precision_at(self, base_rate: float) -> float:
        """Return the share of flags that are right where `base_rate` of claims fail.

        Args:
            base_rate: more than 0 and less than 1.
        """
        others = self.rows * (1 - self.base_rate)
        wrong = self.false_alarms * others
        return precision_at(base_rate, self.recall, wrong, others)

    def expected(self) -> ExpectedPrecision:
        """Return how many flags are right among citations as they occur in articles."""
        return ExpectedPrecision(
            one_in_10=self.precision_at(1 / 10),
            one_in_40=self.precision_at(1 / 40),
            file=", ".join(self.files),
            sets=self.sets,
            rows=self.rows,
        )


def precision_at(base_rate: float, recall: float, wrong: float, others: float) -> float:
    """Return the share of flags that are right where `base_rate` of claims fail.

    Half a row is added to the `wrong` flags among the `others`, the claims that do not
    fail: that none was seen does not mean that there are none (Jeffreys).
    """
    right = recall * base_rate
    false_alarms = (wrong + 0.5) / (others + 1)
    return right / (right + false_alarms * (1 - base_rate))


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The probability from which a claim is flagged for one kind of fault.

    Without a threshold nothing is flagged for this kind: none was precise enough, and
    `measured` describes the most precise one.
    """

    kind: CheckKind
    threshold: float | None
    measured: Measured | None = None


@dataclass(frozen=True, slots=True)
class ConfirmedShares:
    """What share of the claims of one set is confirmed from a threshold on.

    `supported` is the share of its supported claims, `others` that of all others.
    """

    file: str
    set: str
    rows: int
    supported: float
    supported_ci95: tuple[float, float] | None
    others: float
    others_ci95: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ConfirmingPoint:
    """The probability of "supported" from which a claim is confirmed.

    `chosen` tells people the rule by which it was chosen.
    """

    threshold: float
    chosen: str
    measured: tuple[ConfirmedShares, ...]


@dataclass(frozen=True, slots=True)
class EnginePoints:
    """The points of one engine, by wiki; `ANY_WIKI` holds those of all others.

    `languages` are those of the claims that were measured; `chosen` tells people the
    rule by which the thresholds were chosen. Without a `confirming` point, every claim
    for which "supported" is likeliest is confirmed.
    """

    engine: Engine
    languages: frozenset[str]
    by_wiki: Mapping[str, tuple[OperatingPoint, ...]]
    chosen: str = ""
    confirming: ConfirmingPoint | None = None


@dataclass(frozen=True, slots=True)
class OperatingPoints:
    """All known thresholds; `overrides` are a bot operator's own, by wiki."""

    engines: tuple[EnginePoints, ...] = ()
    overrides: Mapping[str, Mapping[CheckKind, float]] | None = None

    def at(self, engine: Engine, wiki: str) -> tuple[OperatingPoint, ...]:
        """Return the points of `engine` on `wiki`, the most specific kind first."""
        points = {point.kind: point for point in self._measured(engine, wiki)}
        own = self.overrides or {}
        chosen = {**own.get(ANY_WIKI, {}), **own.get(wiki, {})}
        for kind, threshold in chosen.items():
            # The measurement was made at another threshold, so it is dropped.
            if kind in points and points[kind].threshold != threshold:
                points[kind] = OperatingPoint(kind, threshold)
        return tuple(points[kind] for kind in CITATION_CHECKS)

    def confirms_from(self, engine: Engine) -> float:
        """Return the probability of "supported" from which `engine` confirms a claim."""
        for one in self.engines:
            if one.engine == engine and one.confirming:
                return one.confirming.threshold
        return 0.0

    def _measured(self, engine: Engine, wiki: str) -> tuple[OperatingPoint, ...]:
        for one in self.engines:
            if one.engine == engine and _speaks(one, wiki):
                return one.by_wiki.get(wiki) or one.by_wiki[ANY_WIKI]
        return UNMEASURED


# How far a source's table is trusted; no other cell gets such a probability.
TABLE_TRUST = 0.95
# Measured on the cells of 42 articles and their own tables as a web page has them, with
# the right values and with the values of another row.
_OF_CELLS = (
    OperatingPoint(
        CheckKind.CONTRADICTED,
        TABLE_TRUST,
        Measured(
            files={"wikitext_articles/text": ""},
            sets=("cells of tables",),
            rows=4691,
            flagged=309,
            base_rate=2324 / 4691,
            precision=306 / 309,
            precision_ci95=None,
            recall=306 / 2324,
            recall_ci95=None,
            false_alarms=3 / 2367,
        ),
    ),
)
UNMEASURED = tuple(OperatingPoint(kind, _UNMEASURED) for kind in CITATION_CHECKS)


def language_of(wiki: str) -> str | None:
    """Return the language of a Wikimedia wiki by its host, if that names one."""
    found = _LANGUAGE.fullmatch(wiki)
    return found[1] if found and found[1] not in _NO_LANGUAGE else None


def _speaks(points: EnginePoints, wiki: str) -> bool:
    """Return whether the engine was measured in the language of `wiki`.

    A file or a private wiki does not name its language, and is given the benefit of the
    doubt.
    """
    language = language_of(wiki)
    return wiki in points.by_wiki or language is None or language in points.languages


def fails(likely: Probabilities, kind: CheckKind) -> float:
    """Return the probability that a claim fails in the way of `kind`."""
    return {
        CheckKind.CONTRADICTED: likely.contradicted,
        CheckKind.NOT_SUPPORTED: likely.not_supported + likely.contradicted,
        CheckKind.NOT_FULLY_SUPPORTED: 1 - likely.supported,
    }[kind]


def is_due(verdict: Verdict, kind: CheckKind) -> bool:
    """Return whether a claim with this true `verdict` fails in the way of `kind`."""
    return (
        verdict
        in {
            CheckKind.CONTRADICTED: (Verdict.CONTRADICTED,),
            CheckKind.NOT_SUPPORTED: (Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED),
            CheckKind.NOT_FULLY_SUPPORTED: (
                Verdict.PARTIALLY_SUPPORTED,
                Verdict.NOT_SUPPORTED,
                Verdict.CONTRADICTED,
            ),
        }[kind]
    )


def flagged(
    check: ClaimCheck, points: OperatingPoints, wiki: str, *, stood_for: int = 0
) -> ClaimCheck:
    """Return `check` with its flag: the most specific kind whose point it reaches.

    A claim without a verdict is never flagged, nor is one that is called supported; but
    it loses this verdict if the engine is not sure enough and no language model has
    confirmed it. Cells are only flagged if a table of the source or a language model
    contradicts them: the points were measured on sentences, and correct cells are
    mistaken for wrong ones more often. A sentence that stands before the one with the
    footnote may be nobody's, so it is only flagged if the source says otherwise.
    The footnote is taken to be also for as many sentences before its own as it
    `stood_for`, in any case.
    """
    if check.verdict is None or check.verification is None:
        return replace(check, flag=None)
    likely = check.verification.probabilities
    opinion = check.opinion
    is_cell = check.claim.kind in CELLS
    if check.verdict is Verdict.SUPPORTED:
        least = points.confirms_from(check.verification.engine)
        is_sure = likely.supported >= least
        return replace(check, verdict=check.verdict if is_sure else None, flag=None)
    if opinion is None or opinion.failure is not None:
        at = _OF_CELLS if is_cell else points.at(check.verification.engine, wiki)
        if check.claim.sentences_before > stood_for:
            at = _of_earlier(at)
        return replace(check, flag=_flag(likely, check.verdict, at))
    # A language model's answer was weighed into the verifier's probabilities. The
    # verifier's thresholds still apply, but how often they are right was not measured
    # for this. A contradiction whose quote was found only has to be more likely than
    # not.
    at = () if is_cell else points.at(opinion.verifier, wiki)
    if check.claim.sentences_before > stood_for:
        at = _of_earlier(at)
    if is_confirmed(check):
        at = ()
    if opinion.verdict is Verdict.CONTRADICTED:
        at = (OperatingPoint(CheckKind.CONTRADICTED, LEAST_THRESHOLD), *at)
    flag = _flag(likely, check.verdict, at)
    return replace(check, flag=replace(flag, expected=None) if flag else None)


def _of_earlier(points: tuple[OperatingPoint, ...]) -> tuple[OperatingPoint, ...]:
    """Return the points for a sentence that its footnote does not follow directly."""
    return tuple(one for one in points if one.kind is CheckKind.CONTRADICTED)


def named(check: ClaimCheck) -> ClaimCheck:
    """Return a flagged check as "contradicted" if one value differs from its source's.

    What it is flagged for, and how often that is right, stays as it was measured.
    """
    found = check.verification
    fails = check.verdict in {Verdict.NOT_SUPPORTED, Verdict.PARTIALLY_SUPPORTED}
    if check.flag is None or found is None or not fails or not found.evidence:
        return check
    is_shown = difference(check.claim.text, found.evidence[0].quote) is not None
    return replace(check, verdict=Verdict.CONTRADICTED) if is_shown else check


def is_confirmed(check: ClaimCheck) -> bool:
    """Return whether a language model says that the sources support it.

    Its answer counts only if the words it quotes were found in a source.
    """
    said = check.opinion
    if said is None or said.failure is not None:
        return False
    return said.verdict is Verdict.SUPPORTED


def is_unsure(check: ClaimCheck) -> bool:
    """Return whether the sources seem to support it, but not surely enough to say so."""
    found = check.verification
    return (
        check.verdict is None
        and not check.claim.missing
        and found is not None
        and found.verdict is Verdict.SUPPORTED
    )


def _flag(
    likely: Probabilities, verdict: Verdict | None, points: Iterable[OperatingPoint]
) -> Flag | None:
    for point in points:
        probability = fails(likely, point.kind)
        fits = verdict is not None and is_due(verdict, point.kind)
        if fits and point.threshold is not None and probability >= point.threshold:
            expected = point.measured.expected() if point.measured else None
            return Flag(point.kind, probability, point.threshold, expected)
    return None
