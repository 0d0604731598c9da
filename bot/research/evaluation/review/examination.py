"""Judges one article of a system against its Good Article and the pages it cites.

As in the paper (§3.2.2), each fact of the Good Article is compared with the ten most
similar statements of the system that do not cite that article; each statement with
the ten most similar facts; and each statement with all the pages it cites together.

The benchmark's pages come from a reader that writes Markdown: links around every other
word, pictures, menus, footnote marks, table rules. A verifier that compares words must
not see them. Cells that ran together ("1[15:00](…)NYG") are separated. Texts in the
data are cut after 30,000 characters, which on some sites is nothing but menus.
"""

import asyncio
import re
import time
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter

from bot.research.evaluation.datasets import FEWEST_WORDS
from bot.research.evaluation.review.articles import (
    CitedPage,
    Generated,
    Reference,
    Statement,
    shown,
)
from bot.research.evaluation.review.judge import Judge, Question, StatementVerdict
from bot.sources.extraction.page_kinds import VisibleText, classify
from handlers.model import ModelUse
from handlers.ports import TextEncoder
from handlers.sources.addresses import host_of, normal_key

_WIKIPEDIA = re.compile(r"(?:^|\.)wikipedia\.org$")
_NO_LETTERS = re.compile(r"[\W_]+")
# Sites that show copies of Wikipedia's articles under the same titles, from the English
# Wikipedia's list of mirrors and forks.
_COPIES = frozenset(
    [
        "alchetron.com",
        "dbpedia.org",
        "en-academic.com",
        "encyclopedia.thefreedictionary.com",
        "everipedia.org",
        "infogalactic.com",
        "justapedia.org",
        "kiddle.co",
        "wiki2.org",
        "wikimili.com",
        "wikitia.com",
        "wikiwand.com",
        "wikizero.com",
    ]
)


def is_wikipedia(address: str) -> bool:
    """Return whether an address is on Wikipedia, in any language."""
    return bool(_WIKIPEDIA.search(_host(address)))


def is_leak(address: str, title: str) -> bool:
    """Return whether an address is that of the article, or of a copy of it.

    The task forbids Wikipedia; before measuring coverage, the paper filters out
    statements that cite the article itself, and reports how many there were (§5.2.4).
    Here the article with that title in another language and copies on known mirrors
    count as well, by the title in their address. Wikis with their own texts, such as
    fan wikis, do not.
    """
    parts = _host(address).split(".")
    is_copy = any(".".join(parts[at:]) in _COPIES for at in range(len(parts)))
    if not is_wikipedia(address) and not is_copy:
        return False
    return _folded(title) in {_folded(one) for one in _named(address)}


def _named(address: str) -> list[str]:
    """Return the parts of an address that may be a title: end of path, and query."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return []
    path = unquote(parts.path).rstrip("/")
    after_wiki = path.split("/wiki/", 1)[-1]
    query = [unquote(one.split("=", 1)[-1]) for one in parts.query.split("&")]
    return [after_wiki, path.rsplit("/", 1)[-1].removesuffix(".html"), *query]


def _folded(title: str) -> str:
    return _NO_LETTERS.sub(" ", title.replace("_", " ")).strip().casefold()


def _host(address: str) -> str:
    try:
        return host_of(address) or ""
    except ValueError:
        return ""


LIKEST = 10
_AT_ONCE = 10  # statements about the same pages that are judged together
T = TypeVar("T")
_FOLLOWING_MARK = re.compile(r"\[\d{1,3}\]$")
_SAME = 0.8  # cosine from which two statements are about the same thing
_BEFORE = 2  # preceding statements, which show a judge who "he" is


class Unread(Enum):
    NO_CITATION = "the statement cites nothing"
    NOT_FETCHED = "the text of what it cites was not fetched"
    FAILED = "the page could not be fetched"
    ERROR_PAGE = "an error message or a wall stands in the page's place"
    CUT_BEFORE_TEXT = "the text was cut before its beginning: menus only"
    LITTLE_TEXT = "hardly any text: an error message or an empty shell"


class Library:
    """The cited pages of one article, each made readable once."""

    def __init__(self, article: Generated) -> None:
        self._pages = {key: readable(page) for key, page in article.pages.items()}
        self._by_address = {
            _key(page.url): number
            for number, page in reversed(list(article.pages.items()))
            if page.url
        }
        self._addresses: Mapping[str, str] = article.citation_urls

    @property
    def read(self) -> int:
        return sum(isinstance(one, str) for one in self._pages.values())

    def cited(self, statement: Statement) -> tuple[str, ...] | Unread:
        """Return the texts of the pages that a statement cites, or why there is none."""
        if not statement.refs and not statement.urls:
            return Unread.NO_CITATION
        found = [
            self._pages.get(ref) or self._at(self._addresses.get(ref, ""))
            for ref in statement.refs
        ] or [self._at(address) for address in statement.urls]
        texts = tuple(dict.fromkeys(one for one in found if isinstance(one, str)))
        reasons = (one for one in found if isinstance(one, Unread))
        return texts or next(reasons, Unread.NOT_FETCHED)

    def _at(self, address: str) -> str | Unread | None:
        number = self._by_address.get(_key(address)) if address else None
        return self._pages[number] if number is not None else None


@dataclass(frozen=True, slots=True)
class FactResult:
    """A fact of the Good Article, and whether the system's statements support it.

    `nearest` is the index of the most similar statement that does not leak, if any.
    """

    text: str
    verdict: StatementVerdict
    nearest: int | None = None


@dataclass(frozen=True, slots=True)
class StatementResult:
    """A statement of a system.

    `by_wiki` is the verdict on it by the Good Article's facts, `by_pages` that by the
    pages it cites; if nothing was read, `unread` says why. `is_leaked`: it cites
    the article itself; `cites_wikipedia`: that or another article of Wikipedia.
    """

    text: str
    refs: tuple[str, ...]
    urls: tuple[str, ...]
    is_leaked: bool
    cites_wikipedia: bool
    by_wiki: StatementVerdict
    by_pages: StatementVerdict | None = None
    unread: Unread | None = None


@dataclass(frozen=True, slots=True)
class ArticleResult:
    """All verdicts on one article of one system."""

    system: str
    title: str
    facts: tuple[FactResult, ...]
    statements: tuple[StatementResult, ...]
    citations: int = 0  # numbers in its list of references
    pages: int = 0  # how many of these could be read
    took_s: float = 0.0
    cpu_s: float = 0.0
    use: ModelUse = field(default_factory=ModelUse)
    unanswered: int = 0


class Examiner:
    """Judges articles with one engine."""

    def __init__(self, judge: Judge, encoder: TextEncoder) -> None:
        self.judge = judge
        self._encoder = encoder

    async def result(
        self, system: str, reference: Reference, article: Generated
    ) -> ArticleResult:
        began, worked = time.monotonic(), time.process_time()
        self.judge.taken()
        title = shown(reference.title)
        article = replace(
            article, statements=tuple(one for one in article.statements if one.text)
        )
        leaked = [
            any(is_leak(url, title) for url in _addresses(one, article))
            for one in article.statements
        ]
        texts = [one.text for one in article.statements]
        by_wiki = await self._by_statements(title, texts, reference.facts)
        library = Library(article)
        by_pages = await self.by_pages(title, article.statements, library)
        counted = [at for at, is_leaked in enumerate(leaked) if not is_leaked]
        facts = await self._by_statements(
            title, reference.facts, [texts[at] for at in counted]
        )
        use, unanswered = self.judge.taken()
        return ArticleResult(
            system=system,
            title=reference.title,
            facts=tuple(
                FactResult(fact, verdict, None if likest is None else counted[likest])
                for fact, (verdict, likest) in zip(reference.facts, facts, strict=True)
            ),
            statements=tuple(
                StatementResult(
                    one.text,
                    one.refs,
                    one.urls,
                    is_leaked=leaked[at],
                    cites_wikipedia=any(map(is_wikipedia, _addresses(one, article))),
                    by_wiki=by_wiki[at][0],
                    by_pages=by_pages[at][0],
                    unread=by_pages[at][1],
                )
                for at, one in enumerate(article.statements)
            ),
            citations=len(article.citation_urls),
            pages=library.read,
            took_s=round(time.monotonic() - began, 3),
            cpu_s=round(time.process_time() - worked, 3),
            use=use,
            unanswered=unanswered,
        )

    async def _by_statements(
        self, title: str, texts: Sequence[str], others: Sequence[str]
    ) -> list[tuple[StatementVerdict, int | None]]:
        """Return the verdict on each text by the most similar others, and the first."""
        cosines = (
            await self._encoder.likeness(texts, others) if others else [()] * len(texts)
        )
        near = [
            sorted(range(len(row)), key=lambda at, row=row: -row[at])[:LIKEST]  # type: ignore[misc] # its default is a row
            for row in cosines
        ]
        verdicts = await self._answers(
            self.judge.by_statements(
                title,
                Question(
                    text,
                    twin=others[of[0]] if of and row[of[0]] >= _SAME else "",
                ),
                tuple(others[at] for at in of),
            )
            for text, row, of in zip(texts, cosines, near, strict=True)
        )
        return [
            (one, of[0] if of else None) for one, of in zip(verdicts, near, strict=True)
        ]

    async def _answers(self, questions: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """Put questions to the judge, as many at once as it allows."""
        coming = iter(questions)
        answers: list[T] = []
        while some := list(islice(coming, self.judge.at_once)):
            answers.extend(await asyncio.gather(*some))
        return answers

    async def by_pages(
        self, title: str, statements: Sequence[Statement], library: Library
    ) -> list[tuple[StatementVerdict | None, Unread | None]]:
        """Return for each statement the verdict by its pages, or why there is none."""
        cited = [library.cited(one) for one in statements]
        groups: dict[tuple[str, ...], list[int]] = {}
        for at, one in enumerate(cited):
            if not isinstance(one, Unread):
                groups.setdefault(one, []).append(at)
        parts = [
            (texts, all_[first : first + _AT_ONCE])
            for texts, all_ in groups.items()
            for first in range(0, len(all_), _AT_ONCE)
        ]

        def question(at: int) -> Question:
            before = statements[max(0, at - _BEFORE) : at]
            return Question(statements[at].text, " ".join(one.text for one in before))

        answers = await self._answers(
            self.judge.by_pages(title, [question(at) for at in some], texts)
            for texts, some in parts
        )
        by_statement = {
            at: verdict
            for (_, some), verdicts in zip(parts, answers, strict=True)
            for at, verdict in zip(some, verdicts, strict=True)
        }
        return [
            (by_statement.get(at), one if isinstance(one, Unread) else None)
            for at, one in enumerate(cited)
        ]


def _addresses(statement: Statement, article: Generated) -> list[str]:
    cited = [article.citation_urls.get(ref, "") for ref in statement.refs]
    return [one for one in (*statement.urls, *cited) if one]


def _key(address: str) -> str:
    """Return a key for an address; some end in the footnote mark that follows them."""
    return normal_key(_FOLLOWING_MARK.sub("", address))


CUT_AFTER = 30_000  # characters, in every text of the shared data
_NEARLY = 29_900
_FEWEST_OF_CUT = 120  # a cut page with fewer words was cut before its text began
_MOST_CHARS = 200_000  # of a page that are read
_LONGEST_MENU = 12  # words in a line of links that may be dropped
_TARGET = r'\((?:[^()\s"]|\([^()\s]*\)){0,3000}\*?(?:\s*"[^"\n]*")?\)'
_IMAGE = re.compile(r"!\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,400}\]" + _TARGET)
_MARK = r"(?:\d{1,3}|[a-z]|(?:note|nb|lower-alpha) \d+|edit|citation needed)"
_NOTE = re.compile(
    rf"\[\\?\[?{_MARK}\\?\]?\]{_TARGET}|\\?\[(?:\d{{1,3}}|edit|citation needed)\\?\]"
)
_LINK = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\]){0,600})\]" + _TARGET)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_BARE = re.compile(r"https?://\S{20,}")
_ESCAPED = re.compile(r"\\([\[\]().*_#+!-])")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.,!?])[*_](?!\w)")
_RULE = re.compile(r"[\s=\-*_|:#>+.]{2,}|[\s*+|>#-]")
_BULLET = re.compile(r"(?:#{1,6}\s+|>\s*|[*+-]\s+(?:\[[ x]\]\s*)?)")
_NO_WORDS = " *+-•|·>#.,:/\\[]x\t0123456789"
# A judge that is shown these says that the page does not support the statement.
SHOWN_TO_A_JUDGE = frozenset({Unread.ERROR_PAGE, Unread.LITTLE_TEXT})


def readable(page: CitedPage) -> str | Unread:
    """Return what a person would read of a fetched page, or why there is nothing."""
    text = plain(page.content)
    count = len(text.split())
    visible = VisibleText(page.title, text, text, outside=len(text), main=len(text))
    if not page.content.strip():
        return Unread.FAILED
    if len(page.content) >= _NEARLY and count < _FEWEST_OF_CUT:
        return Unread.CUT_BEFORE_TEXT
    if classify(visible) is not None:
        return Unread.ERROR_PAGE
    return Unread.LITTLE_TEXT if count < FEWEST_WORDS else text


def plain(markdown: str) -> str:
    """Return the words of Markdown without links, pictures, menus and footnote marks.

    Rows of tables stay, a line each, with bars between the cells. Only the beginning of
    a very long page is read.
    """
    lines_read = markdown[:_MOST_CHARS].split("\n")
    text = "\n".join("" if _is_menu(one) else one for one in lines_read)
    text = _NOTE.sub("", _IMAGE.sub(" ", text))
    for _ in range(2):  # a link may hold another one in its text
        text = _LINK.sub(_words_of_link, text)
    text = _BARE.sub(" ", _TAG.sub(" ", text))
    text = _EMPHASIS.sub("", _ESCAPED.sub(r"\1", text))
    lines = "\n".join(map(_line, text.split("\n")))
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


def _is_menu(line: str) -> bool:
    """Return whether a line holds only links with few words."""
    if "](" not in line or line.lstrip().startswith("|"):
        return False
    bare = _NOTE.sub("", _IMAGE.sub("", line))
    if _LINK.sub("", bare).strip(_NO_WORDS):
        return False
    return len(_LINK.sub(r" \1 ", bare).split()) < _LONGEST_MENU


def _words_of_link(link: re.Match[str]) -> str:
    """Return the words of a link, with spaces where they ran into their neighbours.

    The rest of a word that a link begins ("[Giant](…)s") stays with it.
    """
    words = link[1].strip()
    if not words:
        return " "
    text = link.string
    before = text[link.start() - 1] if link.start() else " "
    after = text[link.end()] if link.end() < len(text) else " "
    parted = before.isalnum() and (
        before.isdigit() or words[0].isdigit() or words[0].isupper()
    )
    goes_on = after.isalnum() and (
        after.isdigit() or words[-1].isdigit() or after.isupper()
    )
    left = " " if parted or before in ")]" else ""
    right = " " if goes_on or after in "([" else ""
    return left + words + right


def _line(line: str) -> str:
    words = " ".join(line.split())
    if _RULE.fullmatch(words):
        return ""
    words = _BULLET.sub("", words, count=1) if _BULLET.match(words) else words
    if not words.startswith("|"):
        return words
    cells = (cell.strip() for cell in words.strip("|").split("|"))
    row = " | ".join(cell for cell in cells if cell)
    return row if not row or row[-1] in ".!?" else f"{row}."


RESULT = TypeAdapter(ArticleResult)
