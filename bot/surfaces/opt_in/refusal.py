"""Who refuses what: the one place that decides it, for all surfaces. Pure.

A page refuses by `{{bots|optout=sidenote-updates}}` (`-citations`, `-drafts`,
`-writing`, or all by `sidenote`, `suggestions` and `all`), a person by the same on
their user page or user talk page, and a wiki by its configuration page: everywhere, on
pages, for people, or on pages with a template. `{{nobots}}` and `deny=` keep the bot
from writing to a page, but do not affect what is shown elsewhere: see `exclusion`.
"""

from collections.abc import Iterable

from bot.records.refusals import NoteKind, PageSays
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.exclusion import MESSAGE_TYPES
from bot.wiki.template_calls import find_calls
from handlers.findings import Finding

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
    said = {_folded(each) for each in types.split(",")}
    if said & MESSAGE_TYPES:
        return _ALL
    return frozenset(kind for kind in NoteKind if f"sidenote-{kind.value}" in said)


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
