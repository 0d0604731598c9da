"""Notes for the tests of pages, and what a wiki makes of what we post."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime

from bot.surfaces.note import Note
from bot.surfaces.report_page import ReportFacts
from bot.surfaces.talk_page import TalkFacts
from handlers.model import Engine, PageId, Verdict
from tests.bot.wiki.markup.makers import BOT

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
        claim=f"Claim {number} is made here.",
        section=("History", "Early years"),
        verdict=Verdict.NOT_SUPPORTED,
        probability=0.93,
        sources=("https://news.example/a",),
        quote=f"Quote {number} stands there.",
        quote_url="https://news.example/a",
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
        claim=raw,
        section=(raw,),
        sources=(raw, f"https://a.example/{raw}"),
        quote=raw,
        quote_url=f"https://b.example/?{raw}",
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
