"""What a Wikipedia editor can do about a source that was not read. Pure.

One fixed sentence for each outcome, written by people: a report about an article
should never hold machine-written prose.
"""

from collections.abc import Mapping

from bot.report.page_report import Standing, standing_of
from handlers.model import ClaimCheck, SourceOutcome

ADVICE: Mapping[SourceOutcome, str] = {
    SourceOutcome.READ: "Read the source yourself: its text was there, but the check came to no verdict.",
    SourceOutcome.EMPTY_SHELL: "Open the page in a browser, which runs its scripts, and compare the words yourself.",
    SourceOutcome.LOGIN_WALL: "Look for a free copy, or read it through the Wikipedia Library; then mark the citation with url-access=subscription.",
    SourceOutcome.COOKIE_WALL: "Open the page in a browser, answer its cookie question, and compare the words yourself.",
    SourceOutcome.BOT_CHECK: "Open the page in a browser, where it lets people through, and compare the words yourself.",
    SourceOutcome.REFUSED: "Open the page in a browser; a site that refuses programs often lets people read.",
    SourceOutcome.ROBOTS: "Open the page in a browser; the site asks programs to stay away, not people.",
    SourceOutcome.GONE: "Look for an archived copy and add it as archive-url, or tag the citation as a dead link.",
    SourceOutcome.SOFT_404: "The page no longer shows the cited text: look for an archived copy and add it as archive-url.",
    SourceOutcome.UNREACHABLE: "Try again in a few days before calling the link dead; the site may only be down for now.",
    SourceOutcome.TOO_LARGE: "Open the document yourself, and add the page number to the citation so that others find the place.",
    SourceOutcome.NOT_TEXT: "Look at it or listen to it yourself; name the minute or the place in the citation.",
    SourceOutcome.FOREIGN_LANGUAGE: "Ask somebody who reads the language to compare the words; without a language model, Sidenote judges by sources in English alone.",
    SourceOutcome.BOILERPLATE: "Open the page in a browser: only menus, contact details or a banner were found, so the cited text may have moved or be shown otherwise.",
    SourceOutcome.INCOMPLETE: "Open the source yourself; only a part of its text could be taken out, too little to judge by.",
    SourceOutcome.FORBIDDEN_ADDRESS: "Check the address in the citation: it is malformed, or leads to no public website.",
    SourceOutcome.OFFLINE: "Look it up in a library, or ask at the Resource Exchange (WP:RX); a page number helps the next reader.",
    SourceOutcome.NOT_IN_FOLDER: "Run the check again with the web switched on, or put the page into the folder of sources.",
}

WITHOUT_SOURCE = "Repair the citation: its marker leads to no source, so readers find nothing behind it either."
UNCITED = "Add a source that says this, or remove the words if none can be found."


def advice_for(check: ClaimCheck) -> tuple[str, ...]:
    """Return what to do about a claim without a verdict, one sentence per obstacle.

    The check's own advice stands before the general one.
    """
    own = (check.advice,) if check.advice else ()
    match standing_of(check):
        case Standing.NO_CITATION:
            return own or (UNCITED,)
        case Standing.COULD_NOT_CHECK:
            return (*own, *_about_the_sources(check))
        case _:
            return own


def _about_the_sources(check: ClaimCheck) -> tuple[str, ...]:
    outcomes = dict.fromkeys(reading.outcome for reading in check.readings)
    unread = [one for one in outcomes if one is not SourceOutcome.READ]
    return tuple(ADVICE[one] for one in unread or outcomes) or (WITHOUT_SOURCE,)
