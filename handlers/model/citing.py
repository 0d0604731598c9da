"""What an article cites, and how it points there from the running text."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from handlers.model.spans import Span


class SourceForm(Enum):
    """How the source is written down."""

    TEMPLATE = "citation template"
    URL = "bare URL"
    TEXT = "plain text"


class UrlStatus(Enum):
    """`url-status` of a citation template: what the cited address serves today."""

    LIVE = "live"
    DEAD = "dead"
    DEVIATED = "deviated"
    UNFIT = "unfit"
    USURPED = "usurped"


@dataclass(frozen=True, slots=True)
class Source:
    """What is cited, as the article gives it. Absent fields are `None`.

    `raw` is the wikitext of the template, link or text, unchanged.
    """

    form: SourceForm
    raw: str
    template: str | None = None  # normalised name, such as "cite web"
    url: str | None = None
    archive_url: str | None = None
    archive_date: date | None = None
    url_status: UrlStatus | None = None
    access_date: date | None = None
    doi: str | None = None
    pmid: str | None = None
    pmc: str | None = None
    arxiv: str | None = None
    isbn: str | None = None
    pages: str | None = None
    quote: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    work: str | None = None  # newspaper, journal, website or publisher
    published: str | None = None  # the date as written
    language: str | None = None  # as written: a name, a code, or several of them

    @property
    def key(self) -> str:
        """Identify the source across citations and revisions.

        The first of URL, archive URL, DOI, PMC, PMID, arXiv, ISBN; else the raw
        text with white space folded. Never a footnote number.
        """
        named = (
            ("doi", self.doi),
            ("pmc", self.pmc),
            ("pmid", self.pmid),
            ("arxiv", self.arxiv),
            ("isbn", self.isbn),
        )
        if self.url or self.archive_url:
            return self.url or self.archive_url or ""
        for name, value in named:
            if value:
                return f"{name}:{value}"
        return " ".join(self.raw.split())


class CitationForm(Enum):
    """How the article points at its source from the running text."""

    REF = "ref"  # <ref>…</ref>
    NAMED_REUSE = "named reuse"  # <ref name="x" />
    R_TEMPLATE = "r template"  # {{r|x}}
    FOOTNOTE_TEMPLATE = "footnote template"  # {{refn|…}}, {{efn|…}}
    SHORT_FOOTNOTE = "short footnote"  # {{sfn|…}}, {{harvnb|…}}
    INLINE_TEMPLATE = "inline template"  # {{cite …}} in running text


@dataclass(frozen=True, slots=True)
class Citation:
    """One marker in the running text and the sources it leads to.

    `sources` is empty where the marker leads nowhere; `problem` then says why
    (for instance "no reference is named 'smith'").
    """

    form: CitationForm
    marker: Span  # where the marker stands in the wikitext
    sources: tuple[Source, ...]
    name: str | None = None
    group: str | None = None
    pages: str | None = None  # from {{sfn|p=}}, {{rp}}: narrower than the source's own
    problem: str | None = None
