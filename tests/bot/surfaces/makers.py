"""Notes for the tests of pages, and what a wiki makes of what we post."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime

from bot.report.notes import UNMEASURED, Note, NoteQuote
from bot.surfaces.report_page import ReportFacts
from bot.surfaces.talk_page import TalkFacts
from handlers.findings import CitationFinding
from handlers.model import Engine, Message, PageId, Verdict
from tests.bot.wiki.markup.makers import BOT

_FACTS = CitationFinding(Verdict.NOT_SUPPORTED).facts
POST = "ab" * 32
OTHER_POST = "cd" * 32
REPORT = ReportFacts(BOT, datetime(2026, 11, 21, 20, 0, tzinfo=UTC))
TALK = TalkFacts(BOT, date(2026, 11, 21), POST)
_SUBSTITUTION = re.compile(r"\{\{subst:(User:[^|{}]*?) ?(\|[^{}]*)?\}\}")


def note(number: int = 1, **changes: object) -> Note:
    """Return a note whose identity begins with its number."""
    default = Note(
        identity=f"{number:024x}" + "f" * 40,
        page=PageId("en.wikipedia.org", "Oslo", 1, 1_234_567),
        kind="citation",
        headline=_FACTS.headline,
        section=("History", "Early years"),
        place=number,
        text_label=_FACTS.text_label,
        text=f"Claim {number} is made here.",
        marked=(),
        quotes_label=_FACTS.quotes_label,
        quotes=(
            NoteQuote(f"Quote {number} stands there.", "https://news.example/a", "A"),
        ),
        sources=("https://news.example/a",),
        certainty=UNMEASURED,
        is_flagged=True,
        urgency=(2, -0.93),
        engine=Engine("lexical", "1.0"),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def name(number: int) -> str:
    """Return the short identity of `note(number)`."""
    return f"{number:024x}"


def hostile(raw: str) -> Note:
    """Return a note in which everything from outside is `raw`."""
    return note(
        page=PageId("en.wikipedia.org", raw, 1, None),
        text=raw,
        marked=(),
        cell=(raw, raw),
        section=(raw,),
        sources=(raw, f"https://a.example/{raw}"),
        quotes=(NoteQuote(raw, f"https://b.example/?{raw}", raw),),
        reason=Message("difference", "$1 and $2", (raw, raw)),
        lines=(Message("", raw),),
        guideline=raw,
        engine=Engine(raw, raw),
        citation=raw,
        fact=raw,
        wording=raw,
    )


def saved(text: str) -> str:
    """Return what a wiki keeps of `text`: templates substituted, signatures made."""
    substituted = _SUBSTITUTION.sub(r"words of \1 \2", text)
    signature = f"[[User:{BOT}|{BOT}]] 20:00, 21 November 2026 (UTC)"
    return substituted.replace("~~~~", signature).strip()
