"""Our one section on a talk page: what to write there, and when to keep away. Pure.

Each note is one line: its hidden identity, a substituted template of the community's,
and a state of ours. As long as the section is byte for byte as our last edit left it,
we may add to it and remove what is settled; once anyone has written in it, we only set
states. What is planned is an edit of that section only, never of the page.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import NamedTuple

from bot.records.watches import Policy
from bot.report.notes import Note, allowed
from bot.surfaces.messages import LANGUAGES, SOURCE, Words
from bot.surfaces.note import (
    MARK,
    cell_words,
    claim_words,
    diff_link,
    mark,
    quote_words,
    revision_link,
    section_words,
    source_words,
    sources_of,
    words_before,
)
from bot.wiki.escaping import WikiSafe, filled, joined, text
from bot.wiki.keys import TOKEN, Keys, Purpose, short_name
from handlers.model import Section, Span
from handlers.page.markup import Kind
from handlers.page.scan import scan
from handlers.page.sections import find_sections

_POST = re.compile(rf"<!-- sidenote post ({TOKEN}) -->")
_STATE = re.compile(r"<!-- sidenote state -->([^<>\n]{0,200})<!-- sidenote end -->")


class State(Enum):
    """What became of a note; the value is the key of the message on the page."""

    OPEN = "state-open"
    FIXED = "state-fixed"
    DISMISSED = "state-dismissed"

    def shown(self, words: Words) -> WikiSafe:
        """Return the text on the page."""
        return WikiSafe(f"({words.say(self.value)})")


@dataclass(frozen=True, slots=True)
class TalkSection:
    """Our section of a talk page, including subsections.

    `number` is its number for MediaWiki's `section` parameter. `states` has the short
    identity of each note that is still there; `None` if a person replaced its state
    with something else.
    """

    number: int
    text: str
    states: Mapping[str, State | None]


class NotePlace(NamedTuple):
    """Where a note is in a section, and where its state is."""

    name: str
    start: int
    state: Span


def find_section(page: str, keys: Keys) -> TalkSection | None:
    """Return the last section of a talk page that contains a post or note of ours."""
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
    text = page[start : end_of_section(sections, number)]
    return TalkSection(number, text, _states(text, keys))


def by_note(text: str, keys: Keys) -> Iterator[tuple[str | None, str]]:
    """Split a section into the lines of each note and what is between them."""
    done = 0
    for place in note_places(text, keys):
        line_start = text.rfind("\n", 0, place.start) + 1
        line_end = text.find("\n", place.state.end) + 1 or len(text)
        if line_start < done:
            continue
        yield None, text[done:line_start]
        yield place.name, text[line_start:line_end]
        done = line_end
    yield None, text[done:]


def note_places(text: str, keys: Keys) -> Iterator[NotePlace]:
    """Yield each note once, in order."""
    seen: set[str] = set()
    marks = [
        (each.start, found[1])
        for each in scan(text).elements
        if each.kind is Kind.COMMENT
        and (found := MARK.fullmatch(text, each.start, each.end))
    ]
    ends = [*(start for start, _ in marks), len(text)][1:]
    for (start, token), end in zip(marks, ends, strict=False):
        name = keys.name_in(Purpose.NOTE, token)
        state = _STATE.search(text, start, end)
        if name and state and name not in seen:
            seen.add(name)
            yield NotePlace(name, start, Span(*state.span(1)))


def _states(text: str, keys: Keys) -> dict[str, State | None]:
    # In every language: the wiki's language was not always supported.
    known = {
        each.shown(Words(language)): each for language in LANGUAGES for each in State
    }
    places = note_places(text, keys)
    return {each.name: known.get(WikiSafe(each.state.of(text))) for each in places}


def _is_ours(page: str, start: int, end: int, keys: Keys) -> bool:
    """Return whether a comment marks a post or note of ours: people may lose either."""
    for pattern, purpose in ((_POST, Purpose.POST), (MARK, Purpose.NOTE)):
        found = pattern.fullmatch(page, start, end)
        if found and keys.name_in(purpose, found[1]):
            return True
    return False


def end_of_section(sections: tuple[Section, ...], number: int) -> int:
    """Return where a section ends as MediaWiki counts, including its subsections.

    The lead, which has the number 0, has none.
    """
    level = sections[number].level
    if number == 0:
        return sections[0].span.end
    for each in sections[number + 1 :]:
        if each.level <= level:
            return each.span.start
    return sections[-1].span.end


# The wording known on wikis that have adapted the template.
_KINDS = {
    "kind-partially-supported": "partly supported",
    "kind-update": "outdated",
    "kind-pointer": "source worth reading",
}
_HEADING = "== $words =="
_POST_MARK = "<!-- sidenote post $token -->"
_INTRO = "{{subst:User:$bot/notice}}"
_NOTE_CALL = "{{subst:User:$bot/note $arguments}}"
_LINE = "* $mark$call <!-- sidenote state -->$state<!-- sidenote end -->"
_SIGNATURE = WikiSafe("~~~~")


class EditKind(Enum):
    """How a talk page is to be edited."""

    NEW_SECTION = "append to the page"
    ADD = "append to the section"
    REPLACE = "replace the section"
    REMOVE = "remove the section"


@dataclass(frozen=True, slots=True)
class TalkFacts:
    """The facts for a post.

    `linkable` are the addresses that the wiki's spam blacklist allows.
    """

    bot: str
    today: date
    post: str  # identity of this write: a hexadecimal hash, new for each
    policy: Policy = Policy.POINTER
    linkable: frozenset[str] = frozenset()
    language: str = SOURCE


@dataclass(frozen=True, slots=True)
class TalkEdit:
    """An edit of a talk page that is due.

    Args:
        kind: how it is made.
        section: its number, `None` for the page.
        expected: the section as it must be at the base revision.
        text: what to append, or the new section.
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
    """What to do on a talk page: at most one edit; `why` says what is held back."""

    edit: TalkEdit | None
    why: str = ""


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
        page: its wikitext, empty if there is no page yet.
        due: notes that were never posted here.
        settled: what became of notes that were posted, by identity.
        facts: about the post.
        keys: sign the post and its notes.
        own: the section as our last edit left it, read back from the wiki (its
            templates substituted); `None` if it was never posted or is unknown, in
            which case a section counts as answered.
    """
    notes = [allowed(note, facts.policy) for note in due]
    closing = {short_name(name): state for name, state in settled.items()}
    section = find_section(page, keys)
    if section is None or section.number == 0:
        return TalkPlan(_new_section(notes, facts, keys) if notes else None)
    notes = [each for each in notes if each.identity[:24] not in section.states]
    is_due = bool(notes or set(closing) & set(section.states))
    if page.count(section.text.rstrip()) > 1:  # the gate would refuse every edit
        return TalkPlan(None, "people have copied the section" if is_due else "")
    if own is None or section.text.rstrip() != own.rstrip():
        why = "people have written in the section" if notes else ""
        words = Words(facts.language)
        return TalkPlan(_with_states(section, closing, keys, words), why)
    if not set(closing) & set(section.states):
        return TalkPlan(_added(section, notes, facts, keys) if notes else None)
    return TalkPlan(_tidied(section, notes, closing, facts, keys))


def _new_section(notes: list[Note], facts: TalkFacts, keys: Keys) -> TalkEdit:
    words, today = Words(facts.language), facts.today
    month = words.say("months").split()[today.month - 1]
    date = WikiSafe(f"{month} {today.year}")
    lines = (
        filled(_HEADING, words=words.say("talk-heading", date)),
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
    # The wiki strips white space from the end of a section before it appends.
    lines = _later_lines(notes, facts, keys).rstrip("\n")
    text = f"\n{lines}"
    added = tuple(note.identity for note in notes)
    return TalkEdit(EditKind.ADD, section.number, section.text, text, added, ())


def _later_lines(notes: list[Note], facts: TalkFacts, keys: Keys) -> str:
    """Each line is signed, so that it can be removed alone."""
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
    """Remove what is settled; nobody has answered, so nobody will miss it."""
    gone = tuple(name for name in section.states if name in closing)
    if not notes and len(gone) == len(section.states):
        number, text = section.number, section.text
        return TalkEdit(EditKind.REMOVE, number, text, "", (), gone)
    rest = "".join(
        line
        for name, line in by_note(section.text, keys)
        if name is None or name not in closing
    )
    rest = rest.rstrip("\n") + "\n" if notes else rest
    text = f"{rest}{_later_lines(notes, facts, keys)}"
    added = tuple(note.identity for note in notes)
    return TalkEdit(EditKind.REPLACE, section.number, section.text, text, added, gone)


def _with_states(
    section: TalkSection, closing: Mapping[str, State], keys: Keys, words: Words
) -> TalkEdit | None:
    """Set states in a section that people wrote in, and change nothing else there."""
    parts: list[str] = []
    done: list[str] = []
    at = 0
    for place in note_places(section.text, keys):
        state, standing = closing.get(place.name), section.states.get(place.name)
        if state and standing and standing is not state:
            parts += (section.text[at : place.state.start], state.shown(words))
            at = place.state.end
            done.append(place.name)
    if not done:
        return None
    text = "".join((*parts, section.text[at:]))
    return TalkEdit(
        EditKind.REPLACE, section.number, section.text, text, (), tuple(done)
    )


def _line(note: Note, facts: TalkFacts, keys: Keys) -> WikiSafe:
    state = State.OPEN.shown(Words(facts.language))
    call = _call(note, facts)
    return filled(_LINE, mark=mark(note, keys), call=call, state=state)


def _call(note: Note, facts: TalkFacts) -> WikiSafe:
    sources = (source_words(each, facts.linkable) for each in sources_of(note))
    quote = next(iter(note.quotes), None)
    dated, words = quote.dated if quote else None, Words(facts.language)
    values = (
        ("kind", WikiSafe(_kind(note))),
        ("headline", words.of(note.headline)),
        ("section", section_words(note)),
        ("says", words.of(note.text_label)),
        ("cell", cell_words(note)),
        ("claim", claim_words(note)),
        ("before", words_before(note)),
        ("diff", diff_link(note, words.say("link-diff"))),
        ("dated", WikiSafe(str(dated)) if dated else None),
        ("quoted", words.of(note.quotes_label)),
        ("quote", quote_words(quote) if quote else None),
        ("difference", words.of(note.reason) if note.reason else None),
        ("certainty", words.of(note.certainty)),
        ("advice", joined(" ", map(words.of, note.what_to_do))),
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


def _kind(note: Note) -> str:
    key = note.headline.key
    return _KINDS.get(key, key.removeprefix("kind-").replace("-", " "))


def _bot(facts: TalkFacts) -> WikiSafe:
    # The name of our own account, from the operator's settings.
    return WikiSafe(facts.bot)


def _post_mark(facts: TalkFacts, keys: Keys) -> WikiSafe:
    token = WikiSafe(keys.token(Purpose.POST, facts.post))
    return filled(_POST_MARK, token=token)
