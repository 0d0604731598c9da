"""Reads `{{User:<Bot>/watch |pages= |categories= …}}` from the page it is on.

The watcher is whoever's user space the page is in. A mistake never stops the rest: each
fault is a value with its parameter and its remedy, and what it concerns falls back to
the wiki's default. Pure.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from bot.records.dossiers import is_code
from bot.records.watches import Check, Rate, Surface, WatcherKind
from bot.surfaces.messages import message
from bot.surfaces.opt_in import values
from bot.surfaces.opt_in.calls import LONGEST_VALUE, Argument, Call, find_calls
from bot.surfaces.opt_in.values import Fault
from bot.wiki.pages import PROJECT_TALK, USER, USER_TALK, Namespaces, Title
from handlers.model import Message


class ListKind(Enum):
    """The kind of a list of pages; the value is the parameter that names it."""

    PETSCAN = "petscan"  # what a saved query of PetScan finds
    PAGEPILE = "pagepile"
    WIKIPROJECT = "wikiproject"  # whose talk pages have the project's template
    SEARCH = "search"  # what the wiki's own search finds
    CREATED = "created"  # pages that the watcher created
    WATCHLIST = "watchlist"  # the watcher's own


@dataclass(frozen=True, slots=True)
class PageList:
    """A list of pages that is kept elsewhere, and looked up now and then.

    `name` is its number, the title of the template, or the search; empty for the
    watcher's own list.
    """

    kind: ListKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Watch:
    """An opt-in template as it was understood.

    What is `None` or empty was not given or not understood: `faults` says which.
    `answer_at` is the offset in the page for the answer, after the template; `None` if
    the template is inside other markup.
    """

    place: Title
    kind: WatcherKind
    watcher: str  # the user's name, or the title of the page or project
    answer_at: int | None
    pages: tuple[Title, ...] = ()
    categories: tuple[Title, ...] = ()
    depth: int = 0  # levels of subcategories that are included
    lists: tuple[PageList, ...] = ()
    drafts: tuple[Title, ...] = ()  # articles that someone is about to write
    checks: tuple[Check, ...] = ()
    surfaces: tuple[Surface, ...] = ()
    report: Title | None = None
    interval_s: int | None = None
    most: Rate | None = None
    min_confidence: float | None = None  # in [0.5, 1]
    languages: tuple[str, ...] = ()  # languages of sources; empty for any
    faults: tuple[Fault, ...] = ()


PARAMETERS = (
    "pages",
    "categories",
    "subcategories",
    "petscan",
    "pagepile",
    "wikiproject",
    "search",
    "created",
    "watchlist",
    "drafts",
    "checks",
    "surface",
    "report",
    "interval",
    "max",
    "min-confidence",
    "languages",
)
_SUBJECTS = ("pages", "categories", "lists", "drafts")
_OWN = (ListKind.CREATED, ListKind.WATCHLIST)  # the person who asks
_TOKEN = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)
_SHOWN = 80  # how many characters of a value a fault repeats


def read_watch(
    text: str, place: Title, bot: str, namespaces: Namespaces
) -> Watch | None:
    """Return what the page asks for; `None` if it does not call the template.

    The bot's own pages (where the template and its documentation live) ask for
    nothing.

    Args:
        text: the wikitext of the page.
        place: its title.
        bot: name of the bot's account.
        namespaces: of the wiki.
    """
    if place.namespace in {USER, USER_TALK} and place.root.lower() == bot.lower():
        return None
    names = template_names(bot, "watch", namespaces)
    calls = find_calls(text, names.__contains__)
    if not calls:
        return None
    watch = _watcher(place, calls[0], namespaces)
    values, faults = _values(calls[0], watch, namespaces)
    return replace(watch, **values, faults=(*watch.faults, *_doubled(calls), *faults))


def template_names(bot: str, page: str, namespaces: Namespaces) -> frozenset[str]:
    """Return the names, in lower case, by which pages can call one of our templates."""
    prefixes = [name for name, number in namespaces.names.items() if number == USER]
    return frozenset(f"{each}:{bot}/{page}".lower() for each in prefixes)


def _watcher(place: Title, call: Call, namespaces: Namespaces) -> Watch:
    at = None if call.is_nested else call.end
    if place.namespace in {USER, USER_TALK}:
        return Watch(place, WatcherKind.USER, place.root, at)
    subject = namespaces.subject_of(place) or place
    kind = WatcherKind.PROJECT if place.namespace == PROJECT_TALK else WatcherKind.PAGE
    watch = Watch(place, kind, subject.text, at)
    if not place.is_talk:
        return replace(watch, faults=(_whole("fault-misplaced", "remedy-misplaced"),))
    if kind is WatcherKind.PROJECT:
        return watch
    if place.name.rpartition("/")[2].lower().startswith("archive"):
        return replace(watch, faults=(_whole("fault-archive", "remedy-archive"),))
    return replace(watch, pages=(subject,))


def _whole(problem: str, remedy: str) -> Fault:
    """Return what is wrong with the template as a whole."""
    return Fault("", "", message(problem), message(remedy))


def _doubled(calls: tuple[Call, ...]) -> Iterator[Fault]:
    if len(calls) > 1:
        problem = message("fault-doubled", len(calls))
        yield Fault("", "", problem, message("remedy-doubled"))


def _values(
    call: Call, watch: Watch, namespaces: Namespaces
) -> tuple[dict[str, Any], tuple[Fault, ...]]:
    reader = _Reader(watch, namespaces)
    for argument in call.arguments:
        reader.read(argument)
    if watch.kind is not WatcherKind.PAGE:
        reader.ask_for_pages()
    return reader.values, tuple(reader.faults)


class _Reader:
    """Reads the arguments of one call, one after another."""

    def __init__(self, watch: Watch, namespaces: Namespaces) -> None:
        self.values: dict[str, Any] = {}  # fields of `Watch`
        self.faults: list[Fault] = []
        self._watch = watch
        self._namespaces = namespaces
        self._seen: set[str] = set()
        self._readers: dict[str, Callable[[Argument], None]] = {
            "pages": self._pages,
            "categories": self._categories,
            "subcategories": self._with("depth", values.depth),
            "petscan": self._numbered(ListKind.PETSCAN),
            "pagepile": self._numbered(ListKind.PAGEPILE),
            "wikiproject": self._projects,
            "search": self._search,
            **{kind.value: self._own(kind) for kind in _OWN},
            "drafts": self._drafts,
            "checks": self._with("checks", lambda text: values.choices(text, Check)),
            "surface": self._with(
                "surfaces", lambda text: values.choices(text, Surface)
            ),
            "report": self._with("report", self._report),
            "interval": self._with("interval_s", values.span_s),
            "max": self._with("most", values.rate),
            "min-confidence": self._with("min_confidence", values.confidence),
            "languages": self._with("languages", values.languages),
        }

    def read(self, argument: Argument) -> None:
        """Read one argument; an empty one is ignored."""
        if not argument.raw:
            return
        if argument.name is None:
            self._unnamed(argument)
        elif argument.name.lower() not in self._readers:
            self._unknown(argument)
        else:
            self._known(argument.name.lower(), argument)

    def ask_for_pages(self) -> None:
        """Record a fault if nothing is left to watch."""
        if not any(self.values.get(each) for each in _SUBJECTS):
            remedy = message("write-pages", "pages = Oslo; Bergen")
            self._fault("pages", "", message("fault-nothing-named"), remedy)

    def _known(self, name: str, argument: Argument) -> None:
        if name in self._seen:
            problem, remedy = message("fault-twice"), message("remedy-twice")
            self._fault(name, argument.text, problem, remedy)
        self._seen.add(name)
        if len(argument.raw) >= LONGEST_VALUE - len(name) - 1:
            problem = message("fault-long", LONGEST_VALUE)
            self._fault(name, argument.text, problem, message("write-category"))
            return
        try:
            self._readers[name](argument)
        except values.NotUnderstoodError as error:
            problem = message("fault-not-understood")
            self._fault(name, argument.text, problem, error.remedy)

    def _with(
        self, field: str, parse: Callable[[str], Any]
    ) -> Callable[[Argument], None]:
        def read(argument: Argument) -> None:
            self.values.pop(field, None)
            self.values[field] = parse(argument.text)

        return read

    def _pages(self, argument: Argument) -> None:
        self._titles("pages", argument, values.pages)

    def _categories(self, argument: Argument) -> None:
        self._titles("categories", argument, values.categories)

    def _numbered(self, kind: ListKind) -> Callable[[Argument], None]:
        def read(argument: Argument) -> None:
            self._lists(argument, kind, values.numbers)

        return read

    def _search(self, argument: Argument) -> None:
        def read(text: str) -> tuple[str, ...]:
            return (values.query(text),)

        self._lists(argument, ListKind.SEARCH, read)

    def _lists(
        self,
        argument: Argument,
        kind: ListKind,
        parse: Callable[[str], tuple[str, ...]],
    ) -> None:
        if self._is_of_page(kind.value, argument):
            return
        self._add(kind, parse(argument.text))

    def _projects(self, argument: Argument) -> None:
        kind = ListKind.WIKIPROJECT
        if self._is_of_page(kind.value, argument):
            return
        found = values.projects(argument.raw, self._namespaces)
        self._add(kind, (title.text for title in found.titles))
        for each in found.faults:
            self._fault(kind.value, each.given, each.problem, each.remedy)

    def _own(self, kind: ListKind) -> Callable[[Argument], None]:
        def read(argument: Argument) -> None:
            if _TOKEN.search(argument.text):
                problem, remedy = message("fault-token"), message("remedy-token")
                self._fault(kind.value, "", problem, remedy)
            elif self._watch.kind is not WatcherKind.USER:
                problem, remedy = message("fault-own"), message("remedy-own")
                self._fault(kind.value, argument.text, problem, remedy)
            elif values.is_yes(argument.text):
                self._add(kind, ("",))

        return read

    def _add(self, kind: ListKind, names: Iterable[str]) -> None:
        """Set the lists of a kind: a parameter that occurs twice counts once."""
        others = (one for one in self.values.get("lists", ()) if one.kind is not kind)
        self.values["lists"] = (*others, *(PageList(kind, name) for name in names))

    def _is_of_page(self, name: str, argument: Argument) -> bool:
        """Return whether an article asks; it asks only about itself, so record a fault."""
        if self._watch.kind is not WatcherKind.PAGE:
            return False
        problem, remedy = message("fault-talk-page"), message("remedy-talk-page")
        self._fault(name, argument.text, problem, remedy)
        return True

    def _drafts(self, argument: Argument) -> None:
        if self._watch.kind is not WatcherKind.USER:
            problem, remedy = message("fault-drafts"), message("remedy-drafts")
            self._fault("drafts", argument.text, problem, remedy)
            return
        watcher, spaces = self._watch.watcher, self._namespaces
        found = values.topics(argument.raw, spaces, watcher)
        self._take("drafts", found)

    def _titles(
        self,
        name: str,
        argument: Argument,
        parse: Callable[[str, Namespaces], values.Titles],
    ) -> None:
        if self._is_of_page(name, argument):
            return
        self._take(name, parse(argument.raw, self._namespaces))

    def _take(self, name: str, found: values.Titles) -> None:
        self.values[name] = found.titles
        for each in found.faults:
            self._fault(name, each.given, each.problem, each.remedy)

    def _report(self, text: str) -> Title:
        title = self._namespaces.title(values.without_brackets(text))
        if title is None:
            raise values.NotUnderstoodError(message("write-own-page"))
        if self._watch.kind is WatcherKind.USER:
            is_own = title.namespace in {USER, USER_TALK}
            is_own = is_own and title.root == self._watch.watcher
            space = self._namespaces.of(USER, self._watch.watcher)
            parent = space.text if space else self._watch.watcher
        else:
            place = self._watch.place
            is_own = title.namespace == place.namespace
            is_own = is_own and title.name.startswith(f"{place.name}/")
            parent = place.text
        if not is_own or is_code(title.name):
            raise values.NotUnderstoodError(message("write-subpage", parent))
        return title

    def _unnamed(self, argument: Argument) -> None:
        problem = message("fault-unnamed", argument.text[:_SHOWN])
        self._fault("", "", problem, _names())

    def _unknown(self, argument: Argument) -> None:
        name = argument.name or ""
        like = values.meant(name.lower(), PARAMETERS)
        remedy = message("write-meant", like) if like else _names()
        self._fault(name[:_SHOWN], argument.text, message("fault-unknown"), remedy)

    def _fault(self, name: str, given: str, problem: Message, remedy: Message) -> None:
        self.faults.append(Fault(name, given[:_SHOWN], problem, remedy))


def _names() -> Message:
    return message("write-parameters", ", ".join(PARAMETERS))
