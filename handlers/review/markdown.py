"""A draft in Markdown as wikitext, as far as a review needs it.

Headings, bold and italic marks, links, lists, quotations and footnotes are converted;
everything else stays as it is. A link whose text is a number, or that is in extra
brackets, is a citation. Table rows are left out, because they have no sentences.
"""

import re
from collections.abc import Iterator, Sequence

_HEADING = re.compile(r"(#{1,6})[ \t]")
_LONGEST_HEADING = 500  # characters
_NOTE = re.compile(r"\[\^([^\]\s]{1,60})\]:[ \t]*([^\n]{0,2000})")
_NOTE_MARK = re.compile(r"\[\^([^\]\s]{1,60})\]")
_LINK = re.compile(
    r"(?P<open>[(\[]?)\[(?P<label>[^\[\]\n]{0,300})\]"
    r"(?P<shut>\]?)\((?P<url>https?://[^\s()]{1,2000}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?)"
    r"(?: \"[^\"\n]{0,200}\")?\)(?P<close>[)]?)"
)
_BOLD = re.compile(r"(?:\*\*|__)(?=\S)([^*_\n]{1,300}?)(?:\*\*|__)")
_ITALIC = re.compile(r"(?<![\w*])[*_](?=\S)([^*_\n]{1,300}?)[*_](?![\w*])")
_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+]|(\d{1,3})[.)])[ \t]+")
_SAFE = re.compile(r"[<>{}|]")
_ROW = re.compile(r"[ \t]*\|[^\n]*\|[ \t]*")
_LONG = 160  # characters from which a line is taken for a whole paragraph
_ENDS = re.compile(r"[.!?:…][\"'”’)\]*_]*(?:\[\^[^\]\s]{1,60}\])*[ \t]*$")


def title_of(markdown: str) -> str | None:
    """Return the first top-level heading, if there is one."""
    for line in markdown.splitlines():
        rank, words = _heading(line)
        if rank == 1:
            return words
    return None


def wikitext_of(markdown: str) -> str:
    """Return `markdown` as wikitext, without its title. Linear in its length."""
    notes = dict(_NOTE.findall(markdown))
    lines = markdown.replace("\r\n", "\n").split("\n")
    has_title = title_of(markdown) is not None
    return "\n".join(_line(line, notes, has_title=has_title) for line in _parted(lines))


def has_footnotes(markdown: str) -> bool:
    """Return whether any statement carries a citation that can be read."""
    return "<ref>" in wikitext_of(markdown)


def _parted(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines, with an empty one added between paragraphs that have none."""
    before = ""
    for line in lines:
        is_long = max(len(before), len(line)) >= _LONG
        if is_long and line.strip() and _ENDS.search(before[-_LONG:]):
            yield ""
        yield line
        before = line


def _line(line: str, notes: dict[str, str], *, has_title: bool) -> str:
    rank, words = _heading(line)
    if rank:
        level = rank + (0 if has_title else 1)
        if level == 1:
            return ""
        signs = "=" * min(level, 6)
        return f"{signs} {words} {signs}"
    if _NOTE.match(line) or _ROW.fullmatch(line):
        return ""
    if line.startswith(">"):
        return f"<blockquote>{_inline(line.lstrip('> '), notes)}</blockquote>"
    item = _ITEM.match(line)
    if item:
        return ("# " if item[1] else "* ") + _inline(line[item.end() :], notes)
    return _inline(line, notes)


def _inline(text: str, notes: dict[str, str]) -> str:
    text = _LINK.sub(_linked, text)
    text = _NOTE_MARK.sub(lambda mark: _noted(mark, notes), text)
    text = _BOLD.sub(r"'''\1'''", text)
    return _ITALIC.sub(r"''\1''", text)


def _linked(found: re.Match[str]) -> str:
    label, url = found["label"].strip("[] "), _SAFE.sub("", found["url"])
    in_brackets = found["open"] == "(" and found["close"] == ")"
    before, after = found["open"], found["close"]
    if label.isdecimal() or in_brackets or found["shut"]:
        before = "" if in_brackets or found["shut"] else before
        after = "" if in_brackets else after
        return f"{before}<ref>[{url} {label}]</ref>{after}"
    return f"{before}[{url} {label}]{after}"


def _noted(mark: re.Match[str], notes: dict[str, str]) -> str:
    note = notes.get(mark[1], "").replace("<", "&lt;")
    note = _LINK.sub(lambda one: f"[{_SAFE.sub('', one['url'])} {one['label']}]", note)
    return f"<ref>{note}</ref>" if note else mark[0]


def _heading(line: str) -> tuple[int, str]:
    """Return the level of a heading and its words; 0 for any other line."""
    found = _HEADING.match(line)
    # No pattern searches for its end: one over spaces and "#" would take cubic time.
    words = line[found.end() :].strip(" \t").rstrip(" \t#") if found else ""
    if found is None or not 0 < len(words) <= _LONGEST_HEADING:
        return 0, ""
    return len(found[1]), _plain(words)


def _plain(heading: str) -> str:
    return " ".join(heading.replace("*", "").replace("=", "").split())
