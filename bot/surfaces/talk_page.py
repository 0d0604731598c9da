"""Our one section on a talk page: what to write there, and when to keep away. Pure.

Each note is one line: its hidden identity, a substituted template of the community's,
and a state of ours. As long as the section is byte for byte as our last edit left it,
we may add to it and remove what is settled; once anyone has written in it, we only set
states. What is planned is an edit of that section only, never of the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from bot.records.watches import Policy
from bot.report.notes import Note, allowed
from bot.surfaces.messages import SOURCE, Words
from bot.surfaces.note import (
    cell_words,
    claim_words,
    mark,
    quote_words,
    revision_link,
    section_words,
    source_words,
    sources_of,
)
from bot.surfaces.talk_section import (
    State,
    TalkSection,
    by_note,
    find_section,
    note_places,
)
from bot.wiki.escaping import WikiSafe, filled, joined, text
from bot.wiki.keys import Keys, Purpose, short_name

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
    kept = "".join(
        line
        for name, line in by_note(section.text, keys)
        if name is None or name not in closing
    )
    kept = kept.rstrip("\n") + "\n" if notes else kept
    text = f"{kept}{_later_lines(notes, facts, keys)}"
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
            parts += (section.text[at : place.state.start], state.said(words))
            at = place.state.end
            done.append(place.name)
    if not done:
        return None
    text = "".join((*parts, section.text[at:]))
    return TalkEdit(
        EditKind.REPLACE, section.number, section.text, text, (), tuple(done)
    )


def _line(note: Note, facts: TalkFacts, keys: Keys) -> WikiSafe:
    state = State.OPEN.said(Words(facts.language))
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
        ("says", words.of(note.said_as)),
        ("cell", cell_words(note)),
        ("claim", claim_words(note)),
        ("dated", WikiSafe(str(dated)) if dated else None),
        ("quoted", words.of(note.quoted_as)),
        ("quote", quote_words(quote) if quote else None),
        ("difference", words.of(note.difference) if note.difference else None),
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
