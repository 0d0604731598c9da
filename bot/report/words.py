"""Makes untrusted text safe to print, and puts figures, times and enums into words.

Control characters could move a terminal's cursor, and lone surrogates cannot be
encoded; each becomes one replacement character, so that offsets stay correct. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from bot.report.page_report import ClaimState, claim_state
from handlers.citations.quote_links import Piece, head, host_of
from handlers.model import (
    ClaimCheck,
    Message,
    MissingKind,
    Origin,
    Probabilities,
    SourceFetch,
    SourceOutcome,
    Verdict,
)
from handlers.sources.links import AccessKind, accesses_to

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_OTHER = re.compile("[^a-z0-9]+")  # than what names of messages are made of
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Without markup around it, a change of direction would run on to the next line.
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return `text`, as long as before, with characters that do not belong replaced."""
    return _CONTROL.sub(_REPLACEMENT, text)


def clean_for_terminal(text: str) -> str:
    """Return `text` without controls and direction marks, white space folded."""
    return " ".join(_DIRECTION.sub("", clean(text)).split())


def clipped(words: Iterable[Piece], most: int) -> tuple[Piece, ...]:
    """Return the first `most` characters of `words`, with an ellipsis if cut."""
    pieces: list[Piece] = []
    for piece in words:
        if len(piece.text) > most:
            return (*pieces, Piece(head(piece.text, most)[0], piece.marked), Piece("…"))
        pieces.append(piece)
        most -= len(piece.text)
    return tuple(pieces)


def shortened(text: str, most: int) -> str:
    """Return `text` on one line, cut between words to at most `most` characters."""
    folded = " ".join(text.split())
    if len(folded) <= most:
        return folded
    words, _, _ = folded[:most].rpartition(" ")
    return f"{words or folded[: most - 1]}…"


_ALMOST = 0.995

MEANINGS: Mapping[ClaimState, str] = {
    ClaimState.CONTRADICTED: "A source says otherwise. Correct the words, or cite a source that says them.",
    ClaimState.NOT_SUPPORTED: "The sources were read and do not seem to say this. Read the closest passage; if it does not support the claim, change the words or the citation.",
    ClaimState.PARTIALLY_SUPPORTED: "The sources support part of it. The words without support are underlined.",
    ClaimState.SUPPORTED: "A source says this; the quote shows where.",
    ClaimState.TO_COMPARE: "The source was read, and it is not sure that it says this. Read both side by side; the words that differ are marked.",
    ClaimState.COULD_NOT_CHECK: "A source was not read. This does not mean that the claim is wrong.",
    ClaimState.NO_CITATION: "The article itself asks for a citation here.",
}


def probability_of(verdict: Verdict, shares: Probabilities) -> float:
    """Return the probability of `verdict` itself."""
    return dict(shares_by_verdict(shares))[verdict]


def shares_by_verdict(shares: Probabilities) -> tuple[tuple[Verdict, float], ...]:
    """Return the four probabilities with their verdicts."""
    return (
        (Verdict.SUPPORTED, shares.supported),
        (Verdict.PARTIALLY_SUPPORTED, shares.partially_supported),
        (Verdict.NOT_SUPPORTED, shares.not_supported),
        (Verdict.CONTRADICTED, shares.contradicted),
    )


def percent(probability: float) -> str:
    """Return a probability as a percentage that never claims certainty."""
    if probability >= _ALMOST:
        return "over 99%"
    if probability < 1 - _ALMOST:
        return "under 1%"
    return f"{probability:.0%}"


def moment(when: datetime) -> str:
    """Return a point in time to the minute, in UTC if its zone is known."""
    if when.tzinfo is None:
        return when.strftime("%Y-%m-%d %H:%M")
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


_MISSING = {
    MissingKind.TEMPLATE: "what a template shows not known",
    MissingKind.FRAME: "text in a frame not read",
    MissingKind.SCAN: "pages that are pictures not read",
    MissingKind.PICTURE: "words in a picture not read",
    MissingKind.LEFT_OUT: "some of its words not read",
    MissingKind.COLUMNS: "columns read across",
    MissingKind.CUT_OFF: "only its beginning read",
    MissingKind.HIDDEN: "words that it hides from readers left out",
    MissingKind.RECOGNISED: "words recognised in a picture of the page",
}


def provenance(fetch: SourceFetch) -> str:
    """Return where the text of a source came from, and when; and what it lacks."""
    missing = fetch.document.missing if fetch.document else ()
    kinds = dict.fromkeys(one.kind for one in missing)
    facts = (_origin(fetch), *(_MISSING[one] for one in kinds))
    return "; ".join(filter(None, facts))


def _origin(fetch: SourceFetch) -> str:
    day = fetch.read_at.strftime("%Y-%m-%d") if fetch.read_at else None
    match fetch.origin:
        case Origin.ARCHIVE:
            return f"archived copy of {day}" if day else "archived copy"
        case Origin.DISK:
            return f"copy on disk, captured {day}" if day else "copy on disk"
        case Origin.OPEN_ACCESS:
            at = f"open-access copy at {host_of(fetch.url)}"
            return f"{at}, read {day}" if day else at
        case Origin.SUPPLIED:
            return "the text you supplied"
        case Origin.LIVE:
            return f"live page, read {day}" if day else "live page"
        case None:
            return ""


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: "1 claim", "2 claims"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Return a time span as a person would say it."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


_ADVICE: Mapping[SourceOutcome, str] = {
    SourceOutcome.READ: "Read the source yourself: it may say this, but the check is not certain.",
    SourceOutcome.EMPTY_SHELL: "Open the page in a browser, which runs its scripts, and compare the words yourself.",
    SourceOutcome.LOGIN_WALL: "Look for a free copy, or read it through the Wikipedia Library; then mark the citation with url-access=subscription.",
    SourceOutcome.COOKIE_WALL: "Open the page in a browser, answer the cookie banner, and compare the words yourself.",
    SourceOutcome.BOT_CHECK: "Open the page in a browser, which it does not block, and compare the words yourself.",
    SourceOutcome.REFUSED: "Open the page in a browser; a site that refuses programs often admits people.",
    SourceOutcome.ROBOTS: "Open the page in a browser; the site only asks bots not to read it.",
    SourceOutcome.GONE: "Look for an archived copy and add it as archive-url; tag the link as dead only if it still fails in a week.",
    SourceOutcome.SOFT_404: "The page no longer shows the cited text: look for an archived copy and add it as archive-url.",
    SourceOutcome.PARKED: "The site no longer belongs to its publisher: look for an archived copy, add it as archive-url, and set url-status=usurped.",
    SourceOutcome.UNREACHABLE: "Try again in a few days before calling the link dead; the site may be down only briefly.",
    SourceOutcome.TOO_LARGE: "Open the document yourself, and add the page number to the citation so that others can find the passage.",
    SourceOutcome.NOT_TEXT: "Watch or listen to it yourself, and give the time or place in the citation.",
    SourceOutcome.FOREIGN_LANGUAGE: "Ask someone who reads the language to compare the words: without a language model, Sidenote only compares English articles with English sources.",
    SourceOutcome.BOILERPLATE: "Open the page in a browser: only menus, contact details or a banner were found, so the cited text may have moved.",
    SourceOutcome.INCOMPLETE: "Open the source yourself; only part of its text could be extracted, too little for a verdict.",
    SourceOutcome.FORBIDDEN_ADDRESS: "Check the address in the citation: it is malformed, or not on the public web.",
    SourceOutcome.OFFLINE: "Look it up in a library, or ask at the Resource Exchange (WP:RX); a page number helps the next reader.",
    SourceOutcome.NOT_IN_FOLDER: "Run the check again with access to the web, or add the page to the folder of sources.",
}
ADVICE: Mapping[SourceOutcome, Message] = {
    outcome: Message(f"advice-outcome-{_OTHER.sub('-', outcome.value)}", english)
    for outcome, english in _ADVICE.items()
}
"""What a person can do about a source, by what came of reading it."""

_WAYS: Mapping[AccessKind, str] = {
    AccessKind.OPEN_COPY: "A free copy may be here",
    AccessKind.ARCHIVE: "Archived copies",
    AccessKind.LIBRARY: "Through the Wikipedia Library",
    AccessKind.SCAN: "A scan may be here",
}
SUPPLY = (
    "If you have the text, check against it: sidenote check … --source CITATION FILE."
)
WITHOUT_SOURCE = "Repair the citation: its footnote leads to no source."
UNCITED = "Add a source that says this, or remove the words if none can be found."


def advice_for(check: ClaimCheck) -> tuple[str, ...]:
    """Return what to do about a claim without a verdict, one sentence per obstacle.

    The check's own advice comes before the general advice.
    """
    own = (str(check.advice),) if check.advice else ()
    match claim_state(check):
        case ClaimState.NO_CITATION:
            return own or (UNCITED,)
        case ClaimState.COULD_NOT_CHECK:
            return (*own, *_about_the_sources(check))
        case _:
            return own


def _about_the_sources(check: ClaimCheck) -> tuple[str, ...]:
    outcomes = dict.fromkeys(fetch.outcome for fetch in check.fetches)
    unread = [one for one in outcomes if one is not SourceOutcome.READ]
    advice = tuple(str(ADVICE[one]) for one in unread or outcomes) or (WITHOUT_SOURCE,)
    ways = (
        f"{_WAYS[each.kind]}: {each.address}"
        for fetch in check.fetches
        for each in accesses_to(fetch.source, fetch.outcome)
    )
    # A text would not help if it is there but in a language that nobody here reads.
    can_supply = any(one is not SourceOutcome.FOREIGN_LANGUAGE for one in unread)
    return (*advice, *dict.fromkeys(ways), *((SUPPLY,) if can_supply else ()))
