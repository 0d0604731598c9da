"""What stands on a page of reports, as the panel fills it in and people answer it."""

import pytest

from bot.records.accounts import ProblemReport, ReportAnswer
from bot.surfaces.problem_reports import read_reports, reports_of
from bot.wiki.pages import PageText
from handlers.ports import TemporaryError
from tests.bot.store.runs import NOON

NAME = "0f" * 16
NOTE = "ab" * 32


def report(answer: str = "", name: str = NAME, revision: str = "12") -> str:
    return (
        "== Problem with a note on [[:Clock]] ==\n"
        f"<!-- sidenote report {name} note={NOTE} revision={revision} -->\n"
        "* Revision: [[Special:PermanentLink/12|12]]\n"
        f"* Answer: <!-- right, wrong or fixed -->{answer}\n\n"
        "The source does say so, on page 3. [[User:Ada|Ada]] 12:00\n\n"
    )


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("", None),
        (" wrong", ReportAnswer.WRONG),
        (" '''Fixed''' --[[User:Op|Op]]", ReportAnswer.FIXED),
        ("right, see above", ReportAnswer.RIGHT),
        (" wrongly reported", None),
        (" not sure", None),
    ],
)
def test_an_answer_stands_behind_the_question(
    written: str, answer: ReportAnswer | None
) -> None:
    [found] = reports_of(report(written))

    assert found == ProblemReport(NAME, NOTE, 12, answer)


def test_an_answer_counts_for_its_own_section_alone() -> None:
    other = "1e" * 16
    page = report() + "== Something else ==\n<!-- right, wrong or fixed --> wrong\n"
    page += report(" right", other, "-")

    assert [(one.name, one.revision, one.answer) for one in reports_of(page)] == [
        (NAME, 12, None),
        (other, None, ReportAnswer.RIGHT),
    ]


def test_a_report_that_stands_there_twice_counts_once() -> None:
    assert len(list(reports_of(report() * 3))) == 1


async def test_a_wiki_that_is_away_keeps_no_other_from_being_read() -> None:
    stored: dict[str, list[ProblemReport]] = {}

    class Ledger:
        def keep(self, wiki: str, reports: list[ProblemReport], now: object) -> int:
            assert now == NOON
            stored[wiki] = reports
            return len(reports)

    class Reader:
        def __init__(self, wiki: str) -> None:
            self.wiki = wiki

        async def text_of(
            self, title: str, revision_id: int | None = None
        ) -> PageText | None:
            assert (title, revision_id) == ("User:Bot/Reports", None)
            if self.wiki == "away":
                raise TemporaryError("it is away", retry_in_s=1.0)
            if self.wiki == "empty":
                return None
            return PageText(title, 2, 1, 1, report(" wrong"), "wikitext", False, NOON)

    await read_reports(
        Ledger(),  # type: ignore[arg-type]  # a list is what it is given
        ["away", "empty", "there"],
        Reader,
        "Bot",
        lambda: NOON,
    )

    assert {wiki: len(found) for wiki, found in stored.items()} == {"there": 1}
