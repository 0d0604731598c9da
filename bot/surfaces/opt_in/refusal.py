"""Who refuses what: the one place that decides it, for all surfaces.

A page refuses by `{{bots|optout=sidenote-updates}}` (`-citations`, `-drafts`,
`-writing`, or all by `sidenote`, `suggestions` and `all`), a person by the same on
their user page or user talk page, and a wiki by its configuration page: everywhere, on
pages, for people, or on pages with a template. `{{nobots}}` and `deny=` keep the bot
from writing to a page, but do not affect what is shown elsewhere: see `exclusion`.
Every form in Pywikibot's own tests means the same here; if a form is unclear, or if
several parameters disagree, the page refuses.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.records.watches import NoteKind, PageSays
from bot.store import Store, StoredSuggestion
from bot.surfaces.opt_in.calls import MOST_CALLS, Argument, Call, find_calls
from bot.surfaces.opt_in.community import Community, in_force
from handlers.findings import Finding

PROGRAM = "sidenote"
"""What pages can call the program in `{{bots|denyscript=…}}`."""

MESSAGE_TYPES = frozenset({"all", "suggestions", "sidenote"})
"""What a page can name in `{{bots|optout=…}}` to get no posts of ours."""

_BOTS, _NOBOTS = "bots", "nobots"
_IN_USE = frozenset({"in use", "inuse"})  # keep all bots away for a while
_TEMPLATES = _IN_USE | {_BOTS, _NOBOTS}
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Whether a page lets this bot write, and if not, what forbids it."""

    reason: str = ""

    @property
    def may_write(self) -> bool:
        """Whether nothing on the page refuses this bot."""
        return not self.reason


def exclusion(text: str, bot: str, *, task: str = "") -> Exclusion:
    """Return whether the page with this wikitext refuses the bot.

    Ask this of the talk page and of the article, each time before writing.

    Args:
        text: the whole page, as it is now.
        bot: name of the account.
        task: another name that `{{bots|denyscript=…}}` can use.
    """
    calls = find_calls(text, _TEMPLATES.__contains__)
    if len(calls) >= MOST_CALLS:
        return Exclusion("it has too many exclusion templates")
    rules = _Rules(_folded(bot), _folded(task))
    for call in calls:
        refused = call.name in _IN_USE or rules.refuses(call)
        if refused:
            end = min(call.end, call.start + _SHOWN)
            cut = "…" if end < call.end else ""
            return Exclusion(f"the page says {text[call.start : end]}{cut}")
    return Exclusion()


@dataclass(frozen=True, slots=True)
class _Rules:
    bot: str
    task: str

    def refuses(self, call: Call) -> bool:
        if call.name == _NOBOTS:
            return self._nobots(call)
        return any(self._bots(argument) for argument in call.arguments)

    def _nobots(self, call: Call) -> bool:
        if not call.arguments:
            return True
        first = call.arguments[0]  # as in Pywikibot, any further ones are ignored
        if first.name is not None or not first.raw:
            return True  # an unknown form: better not write
        return self._names_me(first) or self._is_listed(first, {self.task})

    def _bots(self, argument: Argument) -> bool:
        refuses = self._refusals().get(argument.name or "")
        return bool(argument.raw and refuses and refuses(argument))

    def _refusals(self) -> dict[str, Callable[[Argument], bool]]:
        return {
            "deny": self._names_me,
            "allow": lambda allowed: not self._is_listed(allowed, {"all", self.bot}),
            "denyscript": self._names_task,
            "allowscript": lambda allowed: not self._names_task(allowed),
            "optout": lambda types: self._is_listed(types, MESSAGE_TYPES),
        }

    def _names_me(self, argument: Argument) -> bool:
        return self._is_listed(argument, {"all", self.bot}) or _is_unclear(argument)

    def _names_task(self, argument: Argument) -> bool:
        return self._is_listed(argument, {"all", self.task})

    def _is_listed(self, argument: Argument, wanted: Iterable[str]) -> bool:
        names = {_folded(name) for name in argument.text.split(",")}
        return bool((names - {""}) & set(wanted))


def _is_unclear(argument: Argument) -> bool:
    return "{{" in argument.raw


_ALL = frozenset(NoteKind)
_OF_CHECKS = {"better-sources": NoteKind.CITATIONS, "drift": NoteKind.CITATIONS}
_MOST_TEMPLATES = 300  # on a page; more are an attack
_NAME_CHARS = 255


def page_says(text: str) -> PageSays:
    """Return what a page says about notes."""
    names: set[str] = set()

    def is_bots(name: str) -> bool:
        if len(names) < _MOST_TEMPLATES and len(name) <= _NAME_CHARS:
            names.add(_folded(name))
        return name == "bots"

    refused: set[NoteKind] = set()
    for call in find_calls(text, is_bots):
        for argument in call.arguments:
            if argument.name == "optout":
                refused |= _named(argument.text)
    return PageSays(frozenset(refused), frozenset(names))


def _named(types: str) -> frozenset[NoteKind]:
    names = {_folded(each) for each in types.split(",")}
    if names & MESSAGE_TYPES:
        return _ALL
    return frozenset(kind for kind in NoteKind if f"sidenote-{kind.value}" in names)


def refused(
    community: Community,
    title: str = "",
    page: PageSays = PageSays(),  # noqa: B008 - frozen
    *,
    person: str = "",
    of_person: Iterable[NoteKind] = (),
) -> frozenset[NoteKind]:
    """Return what nobody, or not this person, is to be shown about a page.

    Args:
        community: what its wiki decided.
        title: of the page; empty if it is about all pages.
        page: what the page says itself.
        person: who would be shown it; empty for anyone.
        of_person: what they refuse themselves.
    """
    rules = community.refuse
    found = {*rules.everywhere, *page.optout, *of_person}
    named = ((rules.pages, {title}), (rules.people, {person}))
    for listed, names in (*named, (rules.templates, page.templates)):
        wanted = {_folded(name) for name in names} - {""}
        for name, kinds in listed.items():
            if _folded(name) in wanted:
                found |= set(kinds)
    return frozenset(found)


def kind_of_check(asked_as: str) -> NoteKind:
    """Return the kind of note that a check makes."""
    return _OF_CHECKS.get(asked_as) or NoteKind(asked_as)


def kind_of(finding: Finding | type[Finding]) -> NoteKind:
    """Return the kind of note for a finding."""
    return kind_of_check(finding.asked_as)


def _folded(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()


@dataclass(frozen=True, slots=True)
class Refusals:
    """Asks the store; everything here blocks."""

    store: Store
    now: Callable[[], datetime]

    def of(self, wiki: str, title: str, person: str = "") -> frozenset[NoteKind]:
        """Return what is refused on a page, by its editors, its wiki or this person."""
        return self.of_pages(wiki, [title], person)[title]

    def of_pages(
        self, wiki: str, titles: Collection[str], person: str = ""
    ) -> Mapping[str, frozenset[NoteKind]]:
        """Return the same for several pages."""
        community = in_force(self.store.communities.get(wiki))
        known = self.store.refusals.of_pages(wiki, titles)
        watches = self.store.watches.of_user(wiki, person) if person else ()
        own = {kind for watch in watches for kind in watch.refuses}
        return {
            title: refused(
                community,
                title,
                known.get(title, PageSays()),
                person=person,
                of_person=own,
            )
            for title in titles
        }

    def shown(
        self,
        found: tuple[StoredSuggestion, ...],
        wiki: str,
        title: str,
        person: str = "",
        *,
        also: Collection[NoteKind] = (),
    ) -> tuple[StoredSuggestion, ...]:
        """Return those suggestions of a page whose kind is not refused.

        `also` is what is refused by the page that they would be written to.
        """
        if not found:
            return found
        kinds = self.of(wiki, title, person) | frozenset(also)
        return tuple(
            one for one in found if kind_of(one.suggestion.finding) not in kinds
        )

    def read(self, wiki: str, title: str, text: str) -> frozenset[NoteKind]:
        """Store what a page says now; return what is refused there."""
        self.store.refusals.keep(wiki, title, page_says(text), self.now())
        return self.of(wiki, title)
