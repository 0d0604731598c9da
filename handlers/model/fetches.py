"""What came of fetching a source: its text and imprint, or why there is none."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from handlers.model.claims import Source
from handlers.model.missing import MissingPiece


class SourceOutcome(Enum):
    """What came of fetching a source. All but READ mean: could not check."""

    READ = "read"
    EMPTY_SHELL = "empty shell"  # a page that needs scripts to show its text
    LOGIN_WALL = "login wall"
    COOKIE_WALL = "cookie wall"
    BOT_CHECK = "bot check"
    REFUSED = "refused"  # 401, 403, 429, 451
    ROBOTS = "robots.txt forbids it"
    GONE = "gone"  # 404, 410, dead host
    SOFT_404 = "soft 404"  # says "not found" with status 200
    PARKED = "parked domain"  # for sale, or shows advertising
    UNREACHABLE = "unreachable"  # time-out, TLS or connection error, 5xx
    TOO_LARGE = "too large"
    NOT_TEXT = "not text"
    FOREIGN_LANGUAGE = "foreign language"  # one that the verifier cannot read
    BOILERPLATE = "boilerplate"  # menus, contact details or a banner, and no text
    INCOMPLETE = "incomplete"  # the text extractor stopped early or was killed
    FORBIDDEN_ADDRESS = "forbidden address"  # internal or malformed; never connected
    OFFLINE = "offline"  # a book, or no address at all
    NOT_IN_FOLDER = "not read"  # checking from disk, and the page is not there


class Origin(Enum):
    """Where the text of a source came from."""

    LIVE = "live"
    ARCHIVE = "archive"
    OPEN_ACCESS = "open access"  # a free copy of a paper, elsewhere than cited
    DISK = "disk"
    SUPPLIED = "supplied"  # by the person who asked for the check, for that check only


class DocumentKind(Enum):
    """What kind of document a page says it is."""

    NEWS = "news"
    JOURNAL = "journal article"
    BOOK = "book"
    CONFERENCE = "conference paper"
    REPORT = "report"
    THESIS = "thesis"


@dataclass(frozen=True, slots=True)
class Author:
    """An author as stated; the parts of the name only if the page separates them."""

    name: str
    family: str | None = None
    given: str | None = None


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a page states about itself in fields made for programs.

    Nothing in it is inferred from the page's looks or address.
    """

    kind: DocumentKind | None = None
    title: str | None = None
    authors: tuple[Author, ...] = ()
    site: str | None = None
    work: str | None = None  # the journal, newspaper or proceedings it is part of
    publisher: str | None = None
    published: str | None = None  # ISO, as precise as stated: year, month or day
    language: str | None = None
    doi: str | None = None
    isbn: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None


@dataclass(frozen=True, slots=True)
class LanguageShare:
    """How much of a text is in one language, by its words alone."""

    code: str  # as in BCP 47
    name: str  # in English
    share: float  # of the letters


@dataclass(frozen=True, slots=True)
class SourceText:
    """The readable text of a source and what it says about itself.

    `page_starts` holds the offset in `text` where each page of a PDF begins and is
    empty for other types. `title` to `published` are the best guess of the extractor;
    `imprint` holds what is stated and nothing else. `language` is what the page states;
    `languages` is what its words show, the largest share first, and empty if they show
    nothing. `missing` says how `text` differs from what a reader sees there.
    """

    text: str
    title: str | None = None
    site: str | None = None
    author: str | None = None
    published: str | None = None  # ISO date
    language: str | None = None
    page_starts: tuple[int, ...] = ()
    imprint: Imprint = Imprint()
    languages: tuple[LanguageShare, ...] = ()
    missing: tuple[MissingPiece, ...] = ()


class Seen(Enum):
    """What is at a cited address."""

    WORKS = "works"
    FRONT_PAGE = "front page"  # it leads to its site's front page
    GONE = "gone"  # 404, 410
    DEAD_HOST = "dead host"  # its name does not resolve
    NOT_FOUND_PAGE = "not found page"  # says so with status 200
    PARKED = "parked"  # the domain is for sale, or shows advertising
    WALL = "wall"  # asks to log in or to pay
    AWAY = "away"  # no answer, or a fault of the server
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class LinkVisit:
    """What was seen at a cited address, when, and from which machine."""

    address: str
    seen: Seen
    seen_at: datetime
    http_status: int | None = None
    led_to: str | None = None  # after redirects
    seen_from: str = ""


@dataclass(frozen=True, slots=True)
class SourceFetch:
    """What came of fetching one source: the text, or why there is none.

    `document` is present exactly if `outcome` is READ. `url` is the address the text
    came from, after redirects. `detail` is one plain line for a person (for instance
    "the server answered 403"). `withheld` is the text of a source in a foreign
    language: the verifier must not see it, but a language model may, and if the model's
    answer counts, the text becomes the `document`. `visit` is what was seen at the
    cited address, wherever the text was read from; `None` if the address was not
    requested.
    """

    source: Source
    outcome: SourceOutcome
    detail: str
    origin: Origin | None = None
    url: str | None = None
    read_at: datetime | None = None  # capture time for archives and disk
    http_status: int | None = None
    content_sha256: str | None = None
    document: SourceText | None = None
    withheld: SourceText | None = None
    visit: LinkVisit | None = None

    @property
    def key(self) -> str:
        """Identify the copy that was read: two copies of one address are two sources.

        It is the source's own key, unless the text is not that of the cited address.
        """
        is_elsewhere = self.origin in (Origin.ARCHIVE, Origin.OPEN_ACCESS, Origin.DISK)
        return self.url if is_elsewhere and self.url else self.source.key
