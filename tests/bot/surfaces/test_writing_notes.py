"""A note about the wording has the words, the advice and a link to the guideline."""

from dataclasses import replace

import pytest

from bot.report.notes import Note, note_of
from bot.surfaces import report_page
from bot.surfaces.note import guideline_link
from handlers.findings import Suggestion, WritingFinding
from handlers.model import IssueKind, PageId
from tests import writing_runs as runs
from tests.bot.surfaces.makers import REPORT
from tests.bot.wiki.markup.makers import KEYS


def _note(found: Suggestion | None = None) -> Note:
    return note_of(found or runs.suggestion())


def test_a_report_says_what_to_do_and_who_asks_for_it() -> None:
    lines = report_page.report([_note()], REPORT, KEYS).splitlines()

    headline = "'''Praise in the article’s own voice.'''"
    assert any(f"{headline} Section “Tower”." in line for line in lines)
    assert (
        "*: The article says: “" + runs.PRAISED.replace("iconic", "<u>iconic</u>") + "”"
        in lines
    )
    [advice] = [line for line in lines if "Say what shows it." in line]
    assert advice.startswith("*: “iconic” praises the subject.")
    assert advice.endswith("([[:MOS:PUFFERY|MOS&#58;PUFFERY]])")
    assert not any("Sources:" in line for line in lines)
    assert not any("verdict" in line for line in lines)


@pytest.mark.parametrize(
    ("wiki", "link"),
    [
        ("en.wikipedia.org", "[[:MOS:LEAD|MOS&#58;LEAD]]"),
        ("simple.wikipedia.org", "[[:en:MOS:LEAD|MOS&#58;LEAD]]"),
        ("wiki.example", "[https://en.wikipedia.org/wiki/MOS:LEAD MOS&#58;LEAD]"),
    ],
)
def test_a_guideline_is_linked_from_every_wiki(wiki: str, link: str) -> None:
    note = replace(_note(), page=PageId(wiki, "Oslo"))

    assert guideline_link(note, "MOS:LEAD") == link


def test_what_stands_in_the_article_means_nothing_in_a_report() -> None:
    raw = "]] {{delete}} <!-- --> [[Category:X]] ~~~~ <script>\n== H =="
    hostile = WritingFinding(IssueKind.TONE, raw, raw, raw)
    found = runs.suggestion(claim=raw, section=(raw,))
    note = _note(
        replace(found, finding=hostile),
    )

    text = report_page.report([note], REPORT, KEYS)

    for markup in ("{{", "[[Category", "~~~", "<script", "\n== H"):
        assert markup not in text
