"""Reads an article in Markdown with citations, as systems write them. Pure.

Read are numbered marks ("[1]", "[1, 2]", "[^1]", "【1】", "[[1]](address)",
"[1](address)") with a list of references at the end, and links in round brackets
("([site](address))"), which are numbered in their order. `normal` writes all of them
as "[1]" with a list under "## References", the form that the benchmark's steps read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.research.evaluation.atomic_facts import facts_of
from bot.research.evaluation.wiki_live.values import Statement
from handlers.citations.addresses import normal_key
from handlers.page.sentences import split

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
_SIGN = re.compile("\ue000(\\d+)\ue001")  # where a mark stood; of private use
# A run of blanks is tried once, from its beginning: else it takes quadratic time.
_SPACED_SIGN = re.compile("(?<!\\s)\\s*\ue000\\d+\ue001")
_BULLET = re.compile(r"^\s*(?:[*+-]|\d{1,3}[.)])\s+")
_MARKUP = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.,!?])[*_](?!\w)")
_FEWEST_WORDS = 3
_MOST_RANGE = 30  # citations in "[1-30]"


@dataclass(frozen=True, slots=True)
class CitedText:
    """An article: `text` without marks, `blocks` with a sign where one stood.

    `styles` names the ways in which it cites, as they were found.
    """

    title: str
    text: str
    blocks: tuple[str, ...]
    references: Mapping[str, str]
    styles: tuple[str, ...]


def read_markdown(markdown: str) -> CitedText:
    """Return what an article in Markdown says and cites."""
    body, listed = _parts(markdown)
    references = dict(_entries(listed, body))
    styles = ["list of references"] if references else []
    body = _DEFINITION.sub("", body)
    numbers = _Numbers(references)
    signed = _LINKED_MARK.sub(lambda one: numbers.sign_of(one[1], one[2]), body)
    styles += ["numbered links"] if signed != body else []
    bracketed = _LINK_IN_BRACKETS.sub(numbers.signs_of_links, signed)
    styles += ["links in brackets"] if bracketed != signed else []
    marked = _MARK.sub(lambda one: _signs(one[1] or one[2]), bracketed)
    styles += ["numbered marks"] if marked != bracketed else []
    plain = _LINK.sub(r"\1", marked)
    blocks = tuple(one for one in map(_block, plain.split("\n")) if one)
    return CitedText(
        _title(markdown),
        _SPACED_SIGN.sub("", plain).strip(),
        blocks,
        references,
        tuple(styles),
    )


def normal(markdown: str) -> str:
    """Return an article in the standard form: "[1]" and a list under References."""
    read = read_markdown(markdown)
    body, listed = _parts(markdown)
    numbers = _Numbers({})
    body = _DEFINITION.sub("", body)
    numbers = _Numbers(dict(_entries(listed, body)))
    body = _LINKED_MARK.sub(lambda one: numbers.sign_of(one[1], one[2]), body)
    body = _LINK_IN_BRACKETS.sub(numbers.signs_of_links, body)
    body = _MARK.sub(lambda one: _signs(one[1] or one[2]), body)
    text = _SIGN.sub(r" [\1]", re.sub("(?<!\\s)\\s*\ue000", "\ue000", body)).rstrip()
    if not read.references:
        return f"{text}\n"
    entries = "\n".join(f"[{key}] {one}" for key, one in read.references.items())
    return f"{text}\n\n## References\n\n{entries}\n"


def statements_by_rules(article: CitedText) -> tuple[Statement, ...]:
    """Return the facts that an article states, by rules, each with its citations.

    A mark stands for the sentences of its paragraph since the mark before it.
    """
    return tuple(
        Statement(fact, refs, tuple(_addresses(refs, article.references)))
        for block in article.blocks
        for sentence, refs in sentences_of(block)
        for fact in facts_of(sentence)
    )


def sentences_of(block: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the sentences of a paragraph, each with the numbers of its citations."""
    found: list[tuple[str, list[str]]] = []
    for span in split(_moved_in(block)):
        sentence = span.of(_moved_in(block))
        refs = _SIGN.findall(sentence)
        words = " ".join(_SIGN.sub("", sentence).split())
        if len(words.split()) >= _FEWEST_WORDS:
            found.append((words, refs))
        elif refs and found:
            found[-1][1].extend(refs)
    told: list[tuple[str, tuple[str, ...]]] = []
    following: list[str] = []
    for words, refs in reversed(found):
        following = refs or following
        told.append((words, tuple(dict.fromkeys(following))))
    return told[::-1]


def _moved_in(block: str) -> str:
    """Move marks behind a full stop before it, so that they end up in the sentence."""
    return re.sub(r"([.!?][\"”’)]*)((?:\s*\ue000\d+\ue001)+)", r"\2\1", block)


class _Numbers:
    """Gives numbers to citations that stand in the text with their address."""

    def __init__(self, references: dict[str, str]) -> None:
        self._references = references
        self._known = {normal_key(one): key for key, one in references.items()}

    def sign_of(self, number: str, address: str) -> str:
        """Return the sign of a numbered link; its address counts where none is known."""
        self._references.setdefault(number, address)
        self._known.setdefault(normal_key(address), number)
        return f"\ue000{number}\ue001"

    def signs_of_links(self, links: re.Match[str]) -> str:
        """Return the signs of links in brackets, numbered in their order."""
        return "".join(map(self._sign_of_link, _LINK.findall(links[0])))

    def _sign_of_link(self, link: tuple[str, str]) -> str:
        address = link[1]
        number = self._known.get(normal_key(address))
        if number is None:
            number = str(1 + max(map(int, self._references), default=0))
            self._references[number] = address
            self._known[normal_key(address)] = number
        return f"\ue000{number}\ue001"


def _parts(markdown: str) -> tuple[str, str]:
    """Part an article from the list of references at its end."""
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


def _signs(numbers: str) -> str:
    """Return a sign for each number of a mark such as "1, 3-5"."""
    told: list[str] = []
    for part in re.split(r"[,;]", numbers.replace("^", "")):
        ends = [int(one) for one in re.split(r"[–-]", part) if one.strip()]
        span = range(ends[0], ends[-1] + 1) if len(ends) > 1 else ends
        told += map(str, span if 0 < len(span) <= _MOST_RANGE else ends)
    return "".join(f"\ue000{one}\ue001" for one in told)


def _block(line: str) -> str:
    """Return a paragraph or item as plain words with signs; a heading or row is none."""
    if _HEADING.match(line) or line.lstrip().startswith("|") or not line.strip(" -=*_"):
        return ""
    return " ".join(_MARKUP.sub("", _BULLET.sub("", line)).split())


def _title(markdown: str) -> str:
    for line in markdown.split("\n"):
        found = _HEADING.match(line)
        if found:
            return found[2].rstrip("# \t")
    return ""


def _addresses(refs: Sequence[str], references: Mapping[str, str]) -> Iterator[str]:
    for ref in refs:
        if ref in references:
            yield references[ref]
