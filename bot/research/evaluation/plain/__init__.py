"""Plain cases, in which any careful reader gives the same verdict: `evaluate plain`.

Small invented pages, built as real sources are, and claims and cells as editors write
them. Nothing that anybody knows of the world helps with them, so a verdict can only
come from the page. Each case is an article of its own that cites its page; it is
checked as `sidenote check` checks an article, from the page's bytes to the verdict.

The cases measure and nothing else: who works on the judge does not read them. They
come in two files: the second was written after the work that the first was a goal of,
so figures that differ between the two tell how far the first has been aimed at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bot.daemon.check import Checker
from bot.report import PageReport, Standing, standing_of
from bot.research.evaluation.plain.cases import Case, Cases, read_cases
from bot.research.evaluation.plain.figures import Answer, report_of
from bot.research.evaluation.progress import Progress
from handlers.model import PageId

__all__ = ["Answer", "Cases", "answer_all", "read_cases", "report_of", "shipped_cases"]

_WIKI = "en.wikipedia.org"
_FILES = ("cases.jsonl", "cases_second.jsonl")


def shipped_cases() -> tuple[Path, ...]:
    """Return the files of the cases that ship; their pages lie beside them."""
    folder = Path(str(files("bot.research.evaluation.plain")))
    return tuple(folder / name for name in _FILES)


async def answer_all(
    cases: Sequence[Case], checker: Checker, progress: Progress
) -> tuple[Answer, ...]:
    """Let `checker`, which reads sources from the folder of the pages, answer them all.

    A case of which the checker finds no claim to check could not be checked.
    """
    progress.started(len(cases))
    answers = []
    for case in cases:
        report = await checker.check(case.wikitext, PageId(_WIKI, case.title))
        answers.append(_Found(case, report).answer)
        progress.advance()
    return tuple(answers)


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of the one citation of a case."""

    case: Case
    report: PageReport

    @property
    def answer(self) -> Answer:
        if not self.report.checks:
            return Answer(self.case, Standing.COULD_NOT_CHECK)
        check = self.report.checks[-1]  # a claim may bring references of its own
        proof = check.verification.evidence if check.verification else ()
        return Answer(self.case, standing_of(check), proof[0].quote if proof else None)
