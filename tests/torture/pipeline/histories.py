"""Reads what became of each page from the wiki itself, and judges each edit of the bot.

Of a page, everything is people's but the bot's blocks, and its section of a talk page.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from bot.wiki.keys import Keys, posts_in
from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.people import BOT, TakenAway, our_section

_BLOCK = re.compile(
    r"<!-- sidenote begin (report|state) .*?<!-- sidenote end \1 -->", re.DOTALL
)
_NOTE = re.compile(r"<!-- sidenote note ([0-9a-f]{24})\.")
_LINE = re.compile(r"^.*Human line \d+\..*$", re.MULTILINE)
_LONE = re.compile(r"^Human line \d+\.$", re.MULTILINE)
_SHOWN = 800


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of a page."""

    id: int
    parent: int
    user: str
    comment: str
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the bot's, as the list of its contributions has it."""

    title: str
    namespace: int
    revision: int


def edits_of_the_bot(reader: Editor) -> list[Edit]:
    """Return all that the bot ever saved."""
    found: list[Edit] = []
    more: dict[str, str] = {}
    while True:
        content = reader.get(
            action="query",
            list="usercontribs",
            ucuser=BOT,
            uclimit="500",
            ucprop="ids|title",
            **more,
        )
        found += [
            Edit(each["title"], each["ns"], each["revid"])
            for each in content["query"]["usercontribs"]
        ]
        if "continue" not in content:
            return found
        more = content["continue"]


def people_wrote_in_section(states: Sequence[Revision]) -> bool:
    """Tell whether people changed the bot's section that stands on the page at the end.

    Taking a note away is enough: the bot then leaves the section to people.
    """
    before, changed = "", False
    for state in states:
        start, end = our_section(state.text)
        section = state.text[start:end].rstrip() if start >= 0 else ""
        if not before:
            changed = False
        elif section != before and state.user != BOT:
            changed = True
        before = section
    return changed and bool(before)


def history(reader: Editor, title: str) -> list[Revision]:
    """Return all states of a page, the oldest first."""
    found: list[Revision] = []
    more: dict[str, str] = {}
    while True:
        content = reader.get(
            action="query",
            titles=title,
            prop="revisions",
            rvprop="ids|user|comment|content",
            rvslots="main",
            rvlimit="50",
            rvdir="newer",
            **more,
        )
        [page] = content["query"]["pages"]
        for each in page.get("revisions", ()):
            text = each["slots"]["main"]["content"]
            found.append(
                Revision(
                    each["revid"], each["parentid"], each["user"], each["comment"], text
                )
            )
        if "continue" not in content:
            return found
        more = content["continue"]


def notes_in(text: str) -> list[str]:
    """Return the short identities of all notes on a page."""
    return _NOTE.findall(text)


def faults_of(
    title: str, states: Sequence[Revision], taken: Sequence[TakenAway]
) -> Iterator[str]:
    """Yield what is wrong with the bot's edits of a page."""
    texts = {each.id: each.text for each in states}
    gone = [each for each in taken if each.title == title]
    for each in states:
        if each.user != BOT:
            continue
        before = texts.get(each.parent, "")
        where = f"{title}, revision {each.id}"
        if not _keeps_people(before, each.text):
            difference = _difference(before, each.text)
            yield f"{where}: what people wrote was changed: {difference}"
        old, new = _lines(before), _lines(each.text)
        if old != new:
            difference = f"lost {list(old - new)}, added {list(new - old)}"
            yield f"{where}: lines of people's are others: {difference}"
        text = notes_in(each.text)
        if len(set(text)) != len(text):
            yield f"{where}: a note stands there twice"
        back = [one.note for one in gone if one.revision < each.id and one.note in text]
        if back:
            yield f"{where}: a note came back that people had taken away"


def _lines(text: str) -> Counter[str]:
    return Counter(_LINE.findall(text))


def _difference(before: str, after: str) -> str:
    """Return what differs of people's parts, in short."""
    old, new = ("\n".join(_of_people(text)).split("\n") for text in (before, after))
    return " / ".join(unified_diff(old, new, n=0, lineterm=""))[:_SHOWN]


def _keeps_people(before: str, after: str) -> bool:
    """Tell whether an edit left all but our own parts as it was.

    Line ends that touch a part of ours may come and go with it.
    """
    few, many = sorted((_of_people(before), _of_people(after)), key=len)
    if len(few) == len(many):
        return few == many
    pattern = r"\n*".join(re.escape(part.strip("\n")) for part in many)
    return bool(re.fullmatch(rf"\n*{pattern}\n*", "\n".join(few)))


def _of_people(text: str) -> list[str]:
    """Return what stands before, between and after our parts, line ends there aside."""
    parts = list(_parts_of_people(text))
    last = len(parts) - 1
    for at, part in enumerate(parts):
        open_end = part.rstrip("\n") if at < last else part
        parts[at] = open_end.lstrip("\n") if at else open_end
    return parts


def _parts_of_people(text: str) -> Iterator[str]:
    at, moved = 0, ""
    for start, end in _ours(text):
        yield moved + text[at:start]
        is_block = text.startswith("<!--", start)
        # What people write within a block goes below it when the block is rewritten.
        lone = _LONE.findall(text, start, end) if is_block else ()
        moved, at = "".join(f"\n{line}" for line in lone), end
    yield moved + text[at:]


def _ours(text: str) -> list[tuple[int, int]]:
    found = [each.span() for each in _BLOCK.finditer(text)]
    start, end = our_section(text)
    return sorted([*found, *([(start, end)] if start >= 0 else [])])


def names_in(states: Sequence[Revision], keys: Keys) -> Iterator[tuple[int, str]]:
    """Yield each revision of the bot's with the name of its post; empty without one."""
    for each in states:
        if each.user == BOT:
            names = posts_in(each.comment, keys)
            yield each.id, next(iter(names)) if len(names) == 1 else ""
