"""Plain cases, in which any careful reader gives the same verdict: `evaluate plain`.

Small invented pages, built like real sources, with claims and cells as editors write
them. Knowledge of the world does not help, so a verdict can only come from the page.
Each case is an article by itself that cites its page; it is checked as `sidenote check`
checks an article, from the page's bytes to the verdict.

The cases are only for measuring: nobody who works on the judge reads them. They
come in two files. The second was written after the work that aimed at the first, so a
difference between their figures shows how much that work was tuned to the first.

`right` is the share of cases with exactly the verdict that a reader gives. A false
claim is one that is contradicted, not supported or only partially supported; it is
`confirmed` if it is called supported. A false alarm is a supported claim that is called
contradicted or not supported. On a page in a foreign language the right verdict is
"could not check", unless a language model judged the case: then it is `read`.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from bot.daemon.check import Checker
from bot.report import ATTENTION, ClaimState, claim_state
from bot.research.evaluation.contest import figures_of_use
from bot.research.evaluation.datasets import WIKI, Data, content_of, first_fault
from bot.research.evaluation.report import EvaluationReport, Findings, Progress, named
from bot.sources.folder import Entry, entries
from handlers.model import Engine, ModelUse, Opinion, PageId
from handlers.ports import PermanentError

_FILES = ("cases.jsonl", "cases_second.jsonl")


def shipped_cases() -> tuple[Path, ...]:
    """Return the files of the cases that ship; their pages are beside them."""
    folder = Path(str(files("bot.research.evaluation.citations")))
    return tuple(folder / "plain_cases" / name for name in _FILES)


class Header(BaseModel):
    """The names of the cell: the infobox's field, or the table's row and column."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: str | None = Field(None, min_length=1)
    row: str | None = Field(None, min_length=1)
    column: str | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _names_one_cell(self) -> Self:
        in_table = self.row is not None and self.column is not None
        in_part = self.row is not None or self.column is not None
        if (self.field is not None) == in_table or in_table != in_part:
            raise ValueError("give either a field, or a row and a column")
        return self


@dataclass(frozen=True, slots=True)
class Case:
    """A claim or a cell, and the verdict on it; `kind` is what makes it hard."""

    id: str
    file: str  # the case was read from
    kind: str
    claim: str
    title: str  # of the article
    page: str  # file name of the page
    header: Header | None
    verdict: ClaimState
    read: ClaimState | None  # the verdict of someone who reads the page's language
    wikitext: str  # of an article that holds only this claim and cites the page


@dataclass(frozen=True, slots=True)
class Answer:
    """A case with the state that the check gave its claim, and the first quote, if any.

    If a language model was asked, `opinion` is what it said of the claim, and `use`
    what asking it took.
    """

    case: Case
    given: ClaimState
    quote: str | None = None
    opinion: Opinion | None = None
    use: ModelUse = field(default_factory=ModelUse)

    @property
    def expected(self) -> ClaimState:
        """The right verdict; on a foreign page, that of someone who can read it."""
        reads = self.opinion is not None and self.opinion.failure is None
        return (self.case.read if reads else None) or self.case.verdict

    @property
    def is_right(self) -> bool:
        return self.given is self.expected

    @property
    def is_false_claim(self) -> bool:
        return self.expected in ATTENTION

    @property
    def confirms(self) -> bool:
        return self.is_false_claim and self.given is ClaimState.SUPPORTED

    @property
    def is_false_alarm(self) -> bool:
        return self.expected is ClaimState.SUPPORTED and self.given in _ALARMS


async def answer_all(
    cases: Sequence[Case], checker: Checker, progress: Progress
) -> tuple[Answer, ...]:
    """Check all cases with `checker`, which reads sources from the folder of pages.

    If the checker finds no claim in a case, the case could not be checked.
    """

    async def answer(case: Case) -> Answer:
        report = await checker.check(case.wikitext, PageId(WIKI, case.title))
        progress.advance()
        if not report.checks:
            return Answer(case, ClaimState.COULD_NOT_CHECK)
        check = report.checks[-1]  # a claim may contain references
        proof = check.verification.evidence if check.verification else ()
        consultation = report.consultation
        return Answer(
            case,
            claim_state(check),
            proof[0].quote if proof else None,
            check.opinion,
            consultation.use if consultation else ModelUse(),
        )

    progress.started(len(cases))
    return tuple(await asyncio.gather(*map(answer, cases)))


_PAGES = "pages"


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    page: str
    claim: str = Field(min_length=1)
    verdict: ClaimState
    read: ClaimState | None = None
    kind: str = Field(min_length=1)
    title: str = "Plain case"
    section: str | None = None
    header: Header | None = None

    @field_validator("verdict", "read")
    @classmethod
    def _about_a_source(cls, verdict: ClaimState | None) -> ClaimState | None:
        if verdict is ClaimState.NO_CITATION:
            raise ValueError("every case has a citation")
        return verdict


@dataclass(frozen=True, slots=True)
class Cases:
    data: Data
    cases: tuple[Case, ...]
    pages: Path


def read_cases(first: Path, *others: Path) -> Cases:
    """Read all cases of files; their pages are in the folder `pages` beside the first."""
    contents = {path: content_of(path) for path in (first, *others)}
    folder = first.resolve().parent / _PAGES
    if not folder.is_dir():
        raise PermanentError(f"{first}: there is no folder {_PAGES} beside it")
    pages = {entry.file.name: entry for entry in entries(folder)}
    lines: dict[str, str] = {}  # by the case's id
    cases: list[Case] = []
    for path, content in contents.items():
        found = tuple(_cases(path, content, pages, lines))
        if not found:
            raise PermanentError(f"{path} has no cases")
        cases += found
    data = Data(
        ", ".join(path.name for path in contents),
        sha256(b"".join(contents.values())).hexdigest(),
        len(cases),
        (),
    )
    return Cases(data, tuple(cases), folder)


def _cases(
    path: Path, content: bytes, pages: Mapping[str, Entry], lines: dict[str, str]
) -> Iterator[Case]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            written = _Written.model_validate(json.loads(line))
            if written.page not in pages:
                raise ValueError(f"the index of pages lists no file {written.page!r}")
            if written.id in lines:
                raise ValueError(
                    f"the id {written.id!r} is that of {lines[written.id]}"
                )
        except (ValueError, RecursionError) as error:
            raise PermanentError(
                f"{path}: line {number}: {_described(error)}"
            ) from error
        lines[written.id] = f"line {number} of {path.name}"
        entry = pages[written.page]
        title = (entry.title or entry.file.name).replace("|", "{{!}}")
        template = f"{{{{cite web |url={entry.url} |title={title}}}}}"
        cited = f"{written.claim}<ref>{template}</ref>"
        heading = f"== {written.section} ==\n" if written.section else ""
        yield Case(
            id=written.id,
            file=path.name,
            kind=written.kind,
            claim=written.claim,
            title=written.title,
            page=written.page,
            header=written.header,
            verdict=written.verdict,
            read=written.read,
            wikitext=f"{heading}{_placed(cited, written.header)}\n",
        )


def _described(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return f"is not JSON in UTF-8 ({error})"
    if not isinstance(error, ValidationError):
        return str(error)
    return first_fault(error)


def _placed(cited: str, header: Header | None) -> str:
    if header is None:
        return cited
    if header.field is not None:
        return f"{{{{Infobox\n| {header.field} = {cited}\n}}}}"
    return (
        '{| class="wikitable"\n'
        f"! !! {header.column}\n|-\n! {header.row}\n| {cited}\n|}}"
    )


_ALARMS = frozenset({ClaimState.CONTRADICTED, ClaimState.NOT_SUPPORTED})


def report_of(
    cases: Cases,
    answers: Sequence[Answer],
    engine: Engine,
    alone: Sequence[Answer] = (),
    *,
    with_wrong: bool = False,
) -> EvaluationReport:
    """Return the figures of `answers`, one answer for each of `cases`.

    `alone` are the answers of the engine by itself, if a language model was asked too.
    """
    wrong = [one for one in answers if not one.is_right] if with_wrong else []
    return EvaluationReport(
        "plain",
        cases.data,
        named(engine),
        _metrics(answers) | ({"model": _of_model(answers, alone)} if alone else {}),
        rows=tuple(_row(one) for one in wrong),
    )


def _of_model(answers: Sequence[Answer], alone: Sequence[Answer]) -> dict[str, Any]:
    """Return what the model was asked, the outcome, and the figures without it."""
    opinions = [one.opinion for one in answers if one.opinion]
    failures = Counter(one.failure.value for one in opinions if one.failure)
    use = sum((one.use for one in answers), ModelUse())
    return {
        "name": opinions[0].engine.version if opinions else None,
        "asked": len(opinions),
        "counted": len(opinions) - failures.total(),
        "setbacks": dict(failures.most_common()),
        "took": figures_of_use(use),
        "without": _shares(alone),
    }


def _metrics(answers: Sequence[Answer]) -> dict[str, Any]:
    files = dict.fromkeys(one.case.file for one in answers)
    return {
        **_shares(answers),
        "files": {
            file: _shares([one for one in answers if one.case.file == file])
            for file in files
        },
        "verdicts": _verdicts(answers),
        "kinds": {
            kind: _kind([one for one in answers if one.case.kind == kind])
            for kind in sorted({one.case.kind for one in answers})
        },
    }


def _counts(answers: Sequence[Answer]) -> dict[str, int]:
    return {
        "cases": len(answers),
        "right": sum(one.is_right for one in answers),
        "false_claims": sum(one.is_false_claim for one in answers),
        "false_claims_confirmed": sum(one.confirms for one in answers),
        "supported": sum(one.expected is ClaimState.SUPPORTED for one in answers),
        "false_alarms": sum(one.is_false_alarm for one in answers),
    }


def _shares(answers: Sequence[Answer]) -> dict[str, Any]:
    counts, findings = _counts(answers), Findings()
    for hits, tries in (
        ("right", "cases"),
        ("false_claims_confirmed", "false_claims"),
        ("false_alarms", "supported"),
    ):
        findings.add_share(hits, counts[hits], counts[tries])
    return {"counts": counts, **findings.to_dict()}


def _verdicts(answers: Sequence[Answer]) -> Mapping[str, Mapping[str, int]]:
    """Count the verdicts given, for each verdict of the reader's."""
    counts = Counter((one.expected, one.given) for one in answers)
    return {
        expected.value: {
            given.value: counts[expected, given]
            for given in ClaimState
            if counts[expected, given]
        }
        for expected in ClaimState
        if any(one.expected is expected for one in answers)
    }


def _kind(answers: Sequence[Answer]) -> Mapping[str, int]:
    counts = _counts(answers)
    return {name: count for name, count in counts.items() if name != "supported"}


def _row(answer: Answer) -> Mapping[str, Any]:
    case = answer.case
    header = case.header.model_dump(exclude_none=True) if case.header else None
    opinion: Mapping[str, Any] = {}
    if one := answer.opinion:
        opinion = {
            "said": one.verdict.value if one.verdict else None,
            "setback": one.failure.value if one.failure else None,
        }
    return {
        "id": case.id,
        "page": case.page,
        "kind": case.kind,
        "claim": case.claim,
        **({"header": header} if header else {}),
        "verdict": answer.expected.value,
        "given": answer.given.value,
        "quote": answer.quote,
        **opinion,
    }
