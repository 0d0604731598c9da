"""What a reader is shown beside a verdict, so that they can judge for themselves.

It is kept with a suggestion, since the text of a source is not: a panel that opens
months later still shows the quote in its surroundings. Pure.
"""

from dataclasses import dataclass
from datetime import date, datetime

from handlers.model.readings import Origin
from handlers.model.spans import Span
from handlers.model.update_notes import UpdateNote
from handlers.model.writing_notes import WritingNote


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote in its surroundings, and the source that it stands in.

    `before` and `after` are at most some 200 characters of the same passage;
    `cut_before` and `cut_after` say whether the passage goes on there. `href` leads to
    the words themselves where the source allows. `title`, `work` and `published` name
    the source as the article does, else as it names itself.
    """

    quote: str
    before: str
    after: str
    cut_before: bool
    cut_after: bool
    source_key: str
    title: str
    work: str | None = None
    published: str | None = None
    page: int | None = None
    href: str | None = None
    origin: Origin | None = None
    read_at: datetime | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class DatedQuote:
    """What a newer source says, and when it said so."""

    quote: Quoted
    dated: date | None


@dataclass(frozen=True, slots=True)
class Details:
    """What belongs to a suggestion beyond its verdict.

    `unsupported` are ranges of the claim's text whose words found no support;
    `occurrence` counts from 0 the sentences of the page with the same words before it.
    `news` is there for suggestions that the article is out of date, the newest first,
    and `update` tells what is known of those beside what newer sources say. `writing`
    is there for suggestions about the wording, whatever its sources say.
    """

    sentence: str = ""
    unsupported: tuple[Span, ...] = ()
    quotes: tuple[Quoted, ...] = ()
    occurrence: int = 0
    news: tuple[DatedQuote, ...] = ()
    update: UpdateNote | None = None
    writing: WritingNote | None = None
