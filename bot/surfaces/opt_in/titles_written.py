"""Reads the titles that a person lists: on lines, separated by ";", or as links. Pure.

Commas do not separate, because titles contain commas.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from bot.records.dossiers import name_of
from bot.surfaces.messages import message
from bot.wiki.titles import (
    ARTICLE,
    CATEGORY,
    PROJECT,
    TEMPLATE,
    USER,
    Namespaces,
    Title,
)
from handlers.findings import Message
from handlers.page.markup import plain_text, unescape

MOST_TITLES = 1_000
_PROJECT = "wikiproject"
_LINK = re.compile(r"\[\[([^\[\]{}<>\n|]{1,300})(?:\|[^\[\]\n]{0,300})?\]\]")
_BETWEEN = re.compile(r"[;\n]")
_BULLET = re.compile(r"\A[\s*#•,]+")
_SHOWN = 80
_MOST_BYTES = 255  # length of a title with namespace that can be written to


@dataclass(frozen=True, slots=True)
class Wrong:
    """An entry of a list that is not a title, and what to do about it."""

    given: str
    problem: Message
    remedy: Message


@dataclass(frozen=True, slots=True)
class Titles:
    """The titles in a list, each once, and the entries that are not titles."""

    titles: tuple[Title, ...]
    wrong: tuple[Wrong, ...]


def pages(raw: str, namespaces: Namespaces) -> Titles:
    """Return the pages in a list; a talk page means the page it is about."""

    def subject(written: str) -> Title | None:
        title = namespaces.title(written)
        return namespaces.subject_of(title) if title else None

    return _titles(raw, subject, "fault-no-page-title")


def categories(raw: str, namespaces: Namespaces) -> Titles:
    """Return the categories in a list, with or without their prefix."""

    def category(written: str) -> Title | None:
        title = namespaces.title(written)
        if title and title.namespace == ARTICLE:
            return namespaces.of(CATEGORY, title.name)
        return title if title and title.namespace == CATEGORY else None

    return _titles(raw, category, "fault-no-category-title")


def projects(raw: str, namespaces: Namespaces) -> Titles:
    """Return the templates of the WikiProjects in a list of projects or templates."""

    def template(written: str) -> Title | None:
        title = namespaces.title(written)
        if title and title.namespace == TEMPLATE:
            return title
        if title is None or title.namespace not in {ARTICLE, PROJECT}:
            return None
        name = title.name
        is_whole = name.lower().startswith(_PROJECT)
        return namespaces.of(TEMPLATE, name if is_whole else f"WikiProject {name}")

    return _titles(raw, template, "fault-no-project-title")


def topics(raw: str, namespaces: Namespaces, watcher: str) -> Titles:
    """Return the topics in a list for which drafts for `watcher` can be made."""

    def topic(written: str) -> Title | None:
        title = namespaces.title(written)
        if title is None or title.namespace != ARTICLE:
            return None
        return title if draft_page(title, watcher, namespaces) else None

    return _titles(raw, topic, "fault-no-draft-title", "write-short-titles")


def draft_page(topic: Title, watcher: str, namespaces: Namespaces) -> Title | None:
    """Return the page for a draft for `watcher`; `None` if its name is too long."""
    page = namespaces.of(USER, name_of(watcher, topic.name))
    return (
        page
        if page and len(page.text.encode("utf-8", "replace")) <= _MOST_BYTES
        else None
    )


def _titles(
    raw: str,
    parse: Callable[[str], Title | None],
    problem: str,
    remedy: str = "write-titles",
) -> Titles:
    found: dict[Title, None] = {}
    wrong = []
    for written in islice(_entries(raw), MOST_TITLES):
        title = parse(written)
        if title is None:
            given = written[:_SHOWN]
            wrong.append(Wrong(given, message(problem), message(remedy)))
        else:
            found[title] = None
    if next(islice(_entries(raw), MOST_TITLES, None), None):
        too_many = message("fault-many-titles", MOST_TITLES)
        wrong.append(Wrong("", too_many, message("write-category")))
    return Titles(tuple(found), tuple(wrong))


def without_brackets(written: str) -> str:
    """Return the target of a link, or the text as it is."""
    found = _LINK.fullmatch(written.strip())
    return found[1] if found else written


def _entries(raw: str) -> Iterator[str]:
    # The ";" of a character reference does not separate.
    for part in _BETWEEN.split(_LINK.sub(r";\1;", unescape(raw))):
        entry = _BULLET.sub("", plain_text(part)).strip().rstrip(",").strip()
        if entry and entry.lower() != "and":
            yield " ".join(entry.split())
