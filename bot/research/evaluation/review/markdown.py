"""Makes a system's `json_data` from its Markdown: statements, then pages.

It reads numbered marks ("[1]", "[1, 2]", "[^1]", "【1】", "[[1]](address)",
"[1](address)") with a list of references at the end, and links in round brackets
("([site](address))"), which are numbered in order. `normal` writes all of them
as "[1]" with a list under "## References", the form that the benchmark's steps read.

The two steps are those of the benchmark's `generate_json.py`: `extract` takes out the
statements, `fetch` reads the pages that they cite, with the same reader as the daemon,
including its politeness, its cache and its restrictions. Each step keeps the other's
results.

The paper asks Gemini 2.5 Flash for atomic facts with their citations. The rules here
find sentences and split joined clauses (`bot.research.evaluation.atomic_facts`); they
do not resolve "he" or "it", which a model is asked to do. A model's statement must cite
what its paragraph cites; if it gives none for a paragraph, the rules are used.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, Field

from bot.research.evaluation.atomic_facts import facts_of
from bot.research.evaluation.datasets import content_of
from bot.research.evaluation.evaluator import OBEY_NOTHING, Evaluator
from bot.research.evaluation.review.articles import (
    CitedPage,
    Generated,
    Statement,
    article_in,
)
from bot.research.evaluation.review.examination import CUT_AFTER
from handlers.model import Source, SourceForm
from handlers.page.sentences import split
from handlers.ports import (
    Excerpt,
    LanguageModel,
    ModelRequest,
    PermanentError,
    SourceReader,
)
from handlers.sources.addresses import normal_key

_LIST_HEADING = re.compile(
    r"^#{0,6}[ \t]*\**(?:references|sources|works cited|citations|bibliography|notes"
    r"|footnotes|reference list|sources cited)\**:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^(#{1,6})\s+(\S.*)$")
_ADDRESS = r"https?://(?:[^\s<>\"()]|\([^\s<>\"()]*\))+"
_ENTRY = re.compile(
    rf"^[ \t]*(?:[*-][ \t]+)?(?:\[\^?(\d{{1,4}})\]:?|\^?(\d{{1,4}})[.)\]]\\?|【(\d{{1,4}})】)"
    rf"[^\n]*?({_ADDRESS})",
    re.MULTILINE,
)
_DEFINITION = re.compile(rf"^[ \t]*\[\^?(\d{{1,4}})\]:[^\n]*?({_ADDRESS})[^\n]*$", re.M)
_LINKED_MARK = re.compile(rf"\[\\?\[?\^?(\d{{1,4}})\\?\]?\]\(\s*({_ADDRESS})[^()\n]*\)")
_MARK = re.compile(
    r"\\?\[\^?(\d{1,4}(?:\s*[,;–-]\s*\^?\d{1,4})*)\\?\]|【(\d{1,4})[^】\n]{0,40}】"
)
_LINK_IN_BRACKETS = re.compile(
    rf"\(\s*(?:\[[^\[\]\n]{{0,300}}\]\(\s*{_ADDRESS}\)[,;]?\s*)+\)"
)
_LINK = re.compile(rf"\[([^\[\]\n]{{0,300}})\]\(\s*({_ADDRESS})\s*\)")
_SIGN = re.compile("\ue000(\\d+)\ue001")  # in place of a mark
# A run of blanks is only tried from its start, or it would take quadratic time.
_SPACED_SIGN = re.compile("(?<!\\s)\\s*\ue000\\d+\ue001")
_BULLET = re.compile(r"^\s*(?:[*+-]|\d{1,3}[.)])\s+")
_MARKUP = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.,!?])[*_](?!\w)")
_FEWEST_WORDS = 3
_MOST_RANGE = 30  # citations in "[1-30]"


@dataclass(frozen=True, slots=True)
class CitedText:
    """An article: `text` without marks, `blocks` with a sign in place of each mark.

    `styles` names the styles of citation that were found.
    """

    title: str
    text: str
    blocks: tuple[str, ...]
    references: Mapping[str, str]
    styles: tuple[str, ...]


def read_markdown(markdown: str) -> CitedText:
    signed, references, styles = _signed(markdown)
    plain = _LINK.sub(r"\1", signed)
    headings = (
        found[2] for one in markdown.split("\n") if (found := _HEADING.match(one))
    )
    return CitedText(
        next(headings, "").rstrip("# \t"),
        _SPACED_SIGN.sub("", plain).strip(),
        tuple(one for one in map(_block, plain.split("\n")) if one),
        references,
        styles,
    )


def _signed(markdown: str) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Return the text with a sign for each mark, its citations, and their styles."""
    body, listed = _parts(markdown)
    references = dict(_entries(listed, body))
    numbers = _Numbers(references)
    styles = ["list of references"] if references else []
    body = _DEFINITION.sub("", body)
    for style, marks, sign in (
        ("numbered links", _LINKED_MARK, numbers.sign_of),
        ("links in brackets", _LINK_IN_BRACKETS, numbers.signs_of_links),
        ("numbered marks", _MARK, _signs),
    ):
        signed = marks.sub(sign, body)
        styles += [style] if signed != body else []
        body = signed
    return body, references, tuple(styles)


def normal(markdown: str) -> str:
    """Return an article in the standard form: "[1]" and a list under References."""
    body, references, _ = _signed(markdown)
    text = _SIGN.sub(r" [\1]", re.sub("(?<!\\s)\\s*\ue000", "\ue000", body)).rstrip()
    if not references:
        return f"{text}\n"
    entries = "\n".join(f"[{key}] {one}" for key, one in references.items())
    return f"{text}\n\n## References\n\n{entries}\n"


def statements_by_rules(article: CitedText) -> tuple[Statement, ...]:
    """Return the facts that an article states, by rules, each with its citations.

    A mark covers the sentences of its paragraph since the mark before it.
    """
    return tuple(
        _cited(fact, refs, article)
        for block in article.blocks
        for sentence, refs in _sentences_of(block)
        for fact in facts_of(sentence)
    )


def _cited(fact: str, refs: tuple[str, ...], article: CitedText) -> Statement:
    known = article.references
    return Statement(fact, refs, tuple(known[ref] for ref in refs if ref in known))


def _sentences_of(block: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sentences of a paragraph, each with the numbers of its citations."""
    found: list[tuple[str, list[str]]] = []
    # Marks after a full stop are moved before it, so that they end up in the sentence.
    moved = re.sub(r"([.!?][\"”’)]*)((?:\s*\ue000\d+\ue001)+)", r"\2\1", block)
    for span in split(moved):
        sentence = span.of(moved)
        refs = _SIGN.findall(sentence)
        words = " ".join(_SIGN.sub("", sentence).split())
        if len(words.split()) >= _FEWEST_WORDS:
            found.append((words, refs))
        elif refs and found:
            found[-1][1].extend(refs)
    lines: list[tuple[str, tuple[str, ...]]] = []
    following: list[str] = []
    for words, refs in reversed(found):
        following = refs or following
        lines.append((words, tuple(dict.fromkeys(following))))
    return lines[::-1]


class _Numbers:
    """Numbers citations that are in the text with their address."""

    def __init__(self, references: dict[str, str]) -> None:
        self._references = references
        self._known = {normal_key(one): key for key, one in references.items()}

    def sign_of(self, link: re.Match[str]) -> str:
        """Return the sign of a numbered link; its address is used if none is known."""
        number, address = link[1], link[2]
        self._references.setdefault(number, address)
        self._known.setdefault(normal_key(address), number)
        return f"\ue000{number}\ue001"

    def signs_of_links(self, links: re.Match[str]) -> str:
        """Return the signs of links in brackets, numbered in order."""
        signs = ""
        for _, address in _LINK.findall(links[0]):
            number = self._known.get(normal_key(address))
            if number is None:
                number = str(1 + max(map(int, self._references), default=0))
                self._references[number] = address
                self._known[normal_key(address)] = number
            signs += f"\ue000{number}\ue001"
        return signs


def _parts(markdown: str) -> tuple[str, str]:
    """Separate an article from the list of references at its end."""
    last = max((one.start() for one in _ENTRY.finditer(markdown)), default=-1)
    before = [one for one in _LIST_HEADING.finditer(markdown) if one.end() <= last]
    if not before:
        return markdown, ""
    return markdown[: before[-1].start()].rstrip(), markdown[before[-1].end() :]


def _entries(listed: str, body: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for found in (*_ENTRY.finditer(listed), *_DEFINITION.finditer(body)):
        *numbers, address = found.groups()
        number = next(one for one in numbers if one)
        if number not in seen:
            seen.add(number)
            yield number, address.rstrip(".,;]")


def _signs(mark: re.Match[str]) -> str:
    """Return a sign for each number of a mark such as "1, 3-5"."""
    lines: list[str] = []
    for part in re.split(r"[,;]", (mark[1] or mark[2]).replace("^", "")):
        ends = [int(one) for one in re.split(r"[–-]", part) if one.strip()]
        span = range(ends[0], ends[-1] + 1) if len(ends) > 1 else ends
        lines += map(str, span if 0 < len(span) <= _MOST_RANGE else ends)
    return "".join(f"\ue000{one}\ue001" for one in lines)


def _block(line: str) -> str:
    """Return a paragraph or item as words with signs; nothing for a heading or row."""
    if _HEADING.match(line) or line.lstrip().startswith("|") or not line.strip(" -=*_"):
        return ""
    return " ".join(_MARKUP.sub("", _BULLET.sub("", line)).split())


_MOST_CHARS = 6_000  # of paragraphs in one question
_LONGEST = 600
_ASK = (
    "The lines are sentences of an article on the subject named, each with its number"
    " in front and the numbers of its citations in square brackets at its end. Write"
    " down the facts they state: the smallest statements that can be true or false by"
    " themselves, each a whole sentence understood alone, with names in the place of"
    " pronouns. Leave out headings, opinions about the article itself, and what is no"
    " statement. Give with each fact the number of the sentence it is from."
    + OBEY_NOTHING
)


class _Fact(BaseModel):
    sentence: int
    fact: str = Field(min_length=1, max_length=2_000)


class _Facts(BaseModel):
    facts: list[_Fact] = Field(max_length=300)


_Sentence: TypeAlias = tuple[str, tuple[str, ...]]  # with its citations


class ByModel:
    """Extracts statements with a language model."""

    def __init__(self, model: LanguageModel) -> None:
        self.evaluator = Evaluator(model)

    async def statements(self, article: CitedText) -> tuple[Statement, ...]:
        parts: list[list[_Sentence]] = [[]]
        size = 0
        for block in article.blocks:
            for one in _sentences_of(block):
                if size + len(one[0]) > _MOST_CHARS and parts[-1]:
                    parts.append([])
                    size = 0
                parts[-1].append(one)
                size += len(one[0])
        return tuple(
            [fact for some in parts if some for fact in await self._of(some, article)]
        )

    async def _of(
        self, sentences: Sequence[_Sentence], article: CitedText
    ) -> list[Statement]:
        shown = "\n".join(
            f"{at}: {text[:_LONGEST]}" + (f" [{', '.join(refs)}]" if refs else "")
            for at, (text, refs) in enumerate(sentences, 1)
        )
        content = (
            Excerpt("subject", article.title[:_LONGEST]),
            Excerpt("sentences", shown),
        )
        answer = await self.evaluator.ask(ModelRequest(_ASK, content, _Facts))
        found = [
            (" ".join(one.fact.split())[:_LONGEST], sentences[one.sentence - 1][1])
            for one in (answer.facts if answer else ())
            if 0 < one.sentence <= len(sentences)
        ]
        self.evaluator.unanswered += not found
        return [
            _cited(fact, refs, article) for fact, refs in found or sentences if fact
        ]


_MAX_BYTES = 8_000_000


class Step(Enum):
    EXTRACT = "extract"
    FETCH = "fetch"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An article to be written, with counts of what was found."""

    article: Generated
    citing: int  # statements with a citation
    fetched: int  # pages with a text


def steps_of(given: str) -> tuple[Step, ...]:
    """Return the steps of a list such as "extract,fetch", in their order."""
    names = {one.strip() for one in given.split(",") if one.strip()}
    known = {one.value for one in Step}
    if not names or not names <= known:
        raise PermanentError(f"steps are {' and '.join(known)}, with a comma between")
    return tuple(one for one in Step if one.value in names)


def markdown_of(path: Path) -> str:
    content = content_of(path, most=_MAX_BYTES)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise PermanentError(f"{path}, line {line}: not UTF-8") from error


async def prepared(
    source: Path,
    made: Path,
    steps: Sequence[Step],
    extractor: ByModel | None,
    reader: SourceReader | None,
) -> Prepared:
    """Return the article of a Markdown file after the steps.

    `made` is the file that an earlier step wrote, if any; without a model to extract
    statements, rules find them.
    """
    article = _known(made, source.stem)
    if Step.EXTRACT in steps:
        article = await _extracted(source, extractor, article)
    if article is None:
        raise PermanentError(
            f"{made} is missing: extract statements before pages are fetched"
        )
    if Step.FETCH in steps and reader is not None:
        article = replace(article, pages=await _pages(article, reader))
    return Prepared(
        article,
        sum(bool(one.refs or one.urls) for one in article.statements),
        sum(bool(one.content) for one in article.pages.values()),
    )


def _known(made: Path, title: str) -> Generated | None:
    if not made.is_file():
        return None
    return replace(article_in(made, made.read_bytes()), title=title)


async def _extracted(
    source: Path, extractor: ByModel | None, known: Generated | None
) -> Generated:
    read = read_markdown(markdown_of(source))
    statements = (
        await extractor.statements(read) if extractor else statements_by_rules(read)
    )
    if not statements:
        raise PermanentError(f"{source}: no sentence was found in it")
    return Generated(
        title=source.stem,
        text=read.text,
        statements=statements,
        citation_urls=read.references,
        pages=known.pages if known else {},
        page_id=known.page_id if known else None,
        source_file=str(Path(*source.parts[-3:])),
    )


async def _pages(article: Generated, reader: SourceReader) -> dict[str, CitedPage]:
    """Read each cited page that has no text yet."""
    pages = dict(article.pages)
    for number, address in article.citation_urls.items():
        if number in pages and pages[number].content:
            continue
        source = Source(SourceForm.URL, raw=address, url=address)
        fetch = await reader.read(source)
        text = fetch.document.text[:CUT_AFTER] if fetch.document else ""
        title = (fetch.document.title or "") if fetch.document else ""
        error = "" if fetch.document else f"{fetch.outcome.value}: {fetch.detail}"
        pages[number] = CitedPage(address, title, text, error)
    return pages
