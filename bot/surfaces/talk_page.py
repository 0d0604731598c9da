"""Our one section on a talk page: what to write there, and when to keep away. Pure.

Each note is one line: its hidden identity, a substituted template of the community's,
and a state of ours. While the section is byte for byte what our last edit left, we may
add to it and take out what is settled; once anybody wrote in it, only the states are
still set. What is planned is an edit of that section alone, never of the page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from bot.on_wiki.escaping import WikiSafe, filled, joined, text
from bot.on_wiki.keys import TOKEN, Keys, Purpose, short_name
from bot.opt_in.values import Policy
from bot.surfaces.note import (
    Note,
    allowed,
    claim_words,
    mark,
    quote_words,
    revision_link,
    section_words,
    source_words,
    sources_of,
)
from handlers.model import Section, Verdict
from handlers.wikitext.scanning.scan import Kind, scan
from handlers.wikitext.scanning.sections import find_sections

_POST = re.compile(rf"<!-- sidenote post ({TOKEN}) -->")
_NOTE = re.compile(rf"<!-- sidenote note ({TOKEN}) -->")
_STATE = re.compile(r"<!-- sidenote state -->([^<>\n]{0,200})<!-- sidenote end -->")
_STATE_PLACE = ("<!-- sidenote state -->", "<!-- sidenote end -->")
_KINDS = {
    Verdict.CONTRADICTED: "contradicted",
    Verdict.NOT_SUPPORTED: "not supported",
    Verdict.PARTIALLY_SUPPORTED: "partly supported",
    Verdict.SUPPORTED: "supported",
}
_HEADING = "== Statements that may need a check ($month) =="
_POST_MARK = "<!-- sidenote post $token -->"
_INTRO = "{{subst:User:$bot/notice}}"
_NOTE_CALL = "{{subst:User:$bot/note $arguments}}"
_LINE = "* $mark$call <!-- sidenote state -->$state<!-- sidenote end -->"
_SIGNATURE = WikiSafe("~~~~")


class State(Enum):
    """What became of a note; the value is what stands on the page."""

    OPEN = "(open)"
    FIXED = "(the sentence has been changed)"
    DISMISSED = "(dismissed)"


class EditKind(Enum):
    """How a talk page is to be edited."""

    NEW_SECTION = "append to the page"
    ADD = "append to the section"
    REPLACE = "replace the section"
    REMOVE = "remove the section"


@dataclass(frozen=True, slots=True)
class TalkFacts:
    """What a post is made with.

    `linkable` are the addresses that the wiki's spam blacklist lets through.
    """

    bot: str
    today: date
    post: str  # identity of this write: a hash in hexadecimal, new for each
    policy: Policy = Policy.POINTER
    linkable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TalkSection:
    """Our section of a talk page, subsections included.

    `number` is what MediaWiki's `section` parameter calls it. `states` has the short
    identity of each note that still stands there; `None` where a person wrote
    something else into the place of its state.
    """

    number: int
    text: str
    states: Mapping[str, State | None]


@dataclass(frozen=True, slots=True)
class TalkEdit:
    """An edit of a talk page that is due.

    Args:
        kind: how it is made.
        section: its number, `None` for the page.
        expected: the section as it has to be at the base revision.
        text: what to append, or the section as it is to be.
        added: identities of the notes it adds.
        settled: short identities of the notes it removes, or whose state it sets.
    """

    kind: EditKind
    section: int | None
    expected: str
    text: str
    added: tuple[str, ...]
    settled: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TalkPlan:
    """What to do on a talk page: at most one edit; `why` tells what is held back."""

    edit: TalkEdit | None
    why: str = ""


def find_section(page: str, keys: Keys) -> TalkSection | None:
    """Return the last section of a talk page that holds a post of ours."""
    found = scan(page)
    posts = [
        each.start
        for each in found.elements
        if each.kind is Kind.COMMENT and _is_ours(page, each.start, each.end, keys)
    ]
    if not posts:
        return None
    sections = find_sections(found)
    number, start = next(
        (number, each.span.start)
        for number, each in enumerate(sections)
        if each.span.start <= posts[-1] < each.span.end
    )
    text = page[start : _end(sections, number)]
    return TalkSection(number, text, _states(text, keys))


def plan(
    page: str,
    due: Sequence[Note],
    settled: Mapping[str, State],
    facts: TalkFacts,
    keys: Keys,
    *,
    own: str | None,
) -> TalkPlan:
    """Return the edit that is due on a talk page.

    Args:
        page: its wikitext, empty where there is no page yet.
        due: notes that were never posted here.
        settled: what became of notes that were, by identity.
        facts: what a post is made with.
        keys: sign the post and its notes.
        own: the section as our last edit left it, read back from the wiki (its
            templates substituted); `None` if it was never posted or is not known,
            and then a section counts as answered.
    """
    notes = [allowed(note, facts.policy) for note in due]
    closing = {short_name(name): state for name, state in settled.items()}
    section = find_section(page, keys)
    if section is None or section.number == 0:
        return TalkPlan(_new_section(notes, facts, keys) if notes else None)
    notes = [each for each in notes if each.identity[:24] not in section.states]
    if own is None or section.text.rstrip() != own.rstrip():
        why = "people have written in the section" if notes else ""
        return TalkPlan(_with_states(section, closing, keys), why)
    if not set(closing) & set(section.states):
        return TalkPlan(_added(section, notes, facts, keys) if notes else None)
    return TalkPlan(_tidied(section, notes, closing, facts, keys))


def _new_section(notes: list[Note], facts: TalkFacts, keys: Keys) -> TalkEdit:
    month = WikiSafe(f"{facts.today:%B %Y}")
    lines = (
        filled(_HEADING, month=month),
        WikiSafe(f"{_post_mark(facts, keys)}{filled(_INTRO, bot=_bot(facts))}"),
        *(_line(note, facts, keys) for note in notes),
        _SIGNATURE,
    )
    added = tuple(note.identity for note in notes)
    text = f"\n\n{joined(chr(10), lines)}"
    return TalkEdit(EditKind.NEW_SECTION, None, "", text, added, ())


def _added(
    section: TalkSection, notes: list[Note], facts: TalkFacts, keys: Keys
) -> TalkEdit:
    gap = "" if section.text.endswith("\n") else "\n"
    text = f"{gap}{_later_lines(notes, facts, keys)}"
    added = tuple(note.identity for note in notes)
    return TalkEdit(EditKind.ADD, section.number, section.text, text, added, ())


def _later_lines(notes: list[Note], facts: TalkFacts, keys: Keys) -> str:
    """Each line is signed, so that it can go alone."""
    lines = [f"{_line(note, facts, keys)} {_SIGNATURE}" for note in notes]
    return "".join(
        f"{line}{'' if at else _post_mark(facts, keys)}\n"
        for at, line in enumerate(lines)
    )


def _tidied(
    section: TalkSection,
    notes: list[Note],
    closing: Mapping[str, State],
    facts: TalkFacts,
    keys: Keys,
) -> TalkEdit:
    """Take out what is settled; nobody has answered, so nobody misses it."""
    gone = tuple(name for name in section.states if name in closing)
    if not notes and len(gone) == len(section.states):
        number, text = section.number, section.text
        return TalkEdit(EditKind.REMOVE, number, text, "", (), gone)
    kept = "".join(
        line
        for name, line in _by_note(section.text, keys)
        if name is None or name not in closing
    )
    kept = kept.rstrip("\n") + "\n" if notes else kept
    text = f"{kept}{_later_lines(notes, facts, keys)}"
    added = tuple(note.identity for note in notes)
    return TalkEdit(EditKind.REPLACE, section.number, section.text, text, added, gone)


def _with_states(
    section: TalkSection, closing: Mapping[str, State], keys: Keys
) -> TalkEdit | None:
    """Set states in a section that people wrote in, and change nothing else there."""
    parts: list[str] = []
    done: list[str] = []
    for name, part in _by_note(section.text, keys):
        state = closing.get(name) if name else None
        standing = section.states.get(name) if name else None
        if name and state and standing and standing is not state:
            done.append(name)
            parts.append(_with_state(part, state))
        else:
            parts.append(part)
    if not done:
        return None
    text = "".join(parts)
    return TalkEdit(
        EditKind.REPLACE, section.number, section.text, text, (), tuple(done)
    )


def _with_state(part: str, state: State) -> str:
    start, end = _STATE_PLACE
    before, _, rest = part.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}{state.value}{end}{after}"


def _by_note(text: str, keys: Keys) -> Iterator[tuple[str | None, str]]:
    """Cut a section into the lines of each note and what stands between them."""
    done = 0
    for name, start, state_end in _places(text, keys):
        line_start = text.rfind("\n", 0, start) + 1
        line_end = text.find("\n", state_end) + 1 or len(text)
        if line_start < done:
            continue
        yield None, text[done:line_start]
        yield name, text[line_start:line_end]
        done = line_end
    yield None, text[done:]


def _places(text: str, keys: Keys) -> Iterator[tuple[str, int, int]]:
    """Yield each note once: its name, where its mark begins, where its state ends."""
    seen: set[str] = set()
    marks = [
        (each.start, found[1])
        for each in scan(text).elements
        if each.kind is Kind.COMMENT
        and (found := _NOTE.fullmatch(text, each.start, each.end))
    ]
    ends = [start for start, _ in marks[1:]]
    for (start, token), end in zip(marks, [*ends, len(text)], strict=True):
        name = keys.name_in(Purpose.NOTE, token)
        state = _STATE.search(text, start, end)
        if name and state and name not in seen:
            seen.add(name)
            yield name, start, state.end()


def _states(text: str, keys: Keys) -> dict[str, State | None]:
    known = {each.value: each for each in State}
    found = {}
    for name, start, end in _places(text, keys):
        state = _STATE.search(text, start, end)
        found[name] = known.get(state[1].strip()) if state else None
    return found


def _is_ours(page: str, start: int, end: int, keys: Keys) -> bool:
    found = _POST.fullmatch(page, start, end)
    return bool(found and keys.name_in(Purpose.POST, found[1]))


def _end(sections: tuple[Section, ...], number: int) -> int:
    """Return where a section ends, its subsections included."""
    level = sections[number].level
    for each in sections[number + 1 :]:
        if each.level <= level:
            return each.span.start
    return sections[-1].span.end


def _line(note: Note, facts: TalkFacts, keys: Keys) -> WikiSafe:
    state = WikiSafe(State.OPEN.value)
    call = _call(note, facts)
    return filled(_LINE, mark=mark(note, keys), call=call, state=state)


def _call(note: Note, facts: TalkFacts) -> WikiSafe:
    sources = (source_words(each, facts.linkable) for each in sources_of(note))
    values = (
        ("kind", WikiSafe(_KINDS[note.verdict])),
        ("section", section_words(note)),
        ("claim", claim_words(note)),
        ("quote", quote_words(note)),
        ("sources", joined("; ", sources)),
        ("revision", revision_link(note)),
        ("citation", text(note.citation, most=1_000) if note.citation else None),
        ("fact", text(note.fact) if note.fact else None),
        ("wording", text(note.wording) if note.wording else None),
    )
    arguments = joined(
        " ", (WikiSafe(f"|{name}={value}") for name, value in values if value)
    )
    return filled(_NOTE_CALL, bot=_bot(facts), arguments=arguments)


def _bot(facts: TalkFacts) -> WikiSafe:
    # The name of our own account, from the operator's settings.
    return WikiSafe(facts.bot)


def _post_mark(facts: TalkFacts, keys: Keys) -> WikiSafe:
    token = WikiSafe(keys.token(Purpose.POST, facts.post))
    return filled(_POST_MARK, token=token)
