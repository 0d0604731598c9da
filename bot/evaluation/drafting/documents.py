"""The documents of an event as a draft takes them.

What an article cites was scraped in lower case without full stops: where its sentences
begin and end can only be guessed.
"""

from bot.evaluation.drafting.sentence_breaks import with_breaks
from bot.evaluation.drafting.setups import Documents
from bot.evaluation.events import CitedPage, Event, FoundPage
from handlers.citations.addresses import normal_key
from handlers.citations.better.reliability import ReliabilityLists
from handlers.drafts.gather import Gathered, from_readings
from handlers.model import (
    Origin,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
)

WIKI = "en.wikipedia.org"  # where the articles come from


def documents_of(event: Event, which: Documents, lists: ReliabilityLists) -> Gathered:
    """Return an event's documents, each address once; sites that the wiki refuses out."""
    pages: list[FoundPage | CitedPage] = []
    if which is not Documents.CITED:
        pages += event.found
    if which is not Documents.SEARCH:
        pages += event.pages
    once = {normal_key(one.address): one for one in reversed(pages)}
    return from_readings(
        [_reading(one) for one in reversed(once.values())], WIKI, lists
    )


def _reading(page: FoundPage | CitedPage) -> SourceReading:
    title = page.title if isinstance(page, FoundPage) else page.citation
    text = page.text if isinstance(page, FoundPage) else with_breaks(page.text)
    return SourceReading(
        source=Source(SourceForm.URL, page.address, url=page.address, title=title),
        outcome=SourceOutcome.READ,
        detail="read from the data set",
        origin=Origin.DISK,
        url=page.address,
        document=SourceText(text, title=title or None),
    )
