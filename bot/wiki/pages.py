"""Pages of a wiki as values: their texts, their titles and namespaces. Pure.

A prefix is only a namespace if the wiki says so ("Talk: a film" is an article on a
wiki whose talk pages have another name), so the names come from the wiki.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Protocol, runtime_checkable

from bot.wiki.escaping import one_line
from handlers.model import PageId
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class WikiPage:
    """One revision of a page with its wikitext, unchanged.

    `redirected_from` is the title that was asked for, if that page redirects to this
    one; `redirect_to` is then its target, with the section if there is one
    ("Thames#Tributaries"). `notes` are plain sentences for the reader of a report.
    """

    id: PageId
    wikitext: str
    redirect_to: str | None = None
    redirected_from: str | None = None
    notes: tuple[str, ...] = ()
    parent_id: int | None = None  # the revision before; `None` for the first


class NoSuchPageError(PermanentError):
    """The wiki has no page of this title; it may have had one."""


class NoSuchRevisionError(PermanentError):
    """The wiki has no revision of this number, or has lost its text."""


class OtherPageError(PermanentError):
    """The revision is one of another page."""


class HiddenTextError(PermanentError):
    """The wiki hides the text of the revision."""


class NotWikitextError(PermanentError):
    """The page is of another content model."""


@runtime_checkable
class RevisionReader(Protocol):
    """Reads many revisions of a wiki at a time."""

    async def revisions(
        self, numbers: Collection[int]
    ) -> Mapping[int, WikiPage | PermanentError]:
        """Return revisions by their numbers, or why one cannot be read.

        Raises:
            PermanentError, TemporaryError: the wiki does not answer.
        """
        ...


@dataclass(frozen=True, slots=True)
class PageText:
    """A page with its text at one revision; a redirect is the redirect itself."""

    title: str
    namespace: int
    page_id: int
    revision_id: int
    text: str
    content_model: str
    is_redirect: bool  # as the page is now
    revised_at: datetime


@dataclass(frozen=True, slots=True)
class ListedPage:
    """What is known about a page besides its text.

    Names of `categories` and `templates` come without their namespace; templates are
    those in the template namespace, even if called by another template.
    """

    title: str
    namespace: int
    categories: frozenset[str]
    templates: frozenset[str]
    is_redirect: bool
    revision_id: int


@dataclass(frozen=True, slots=True)
class ListedUser:
    """An account; a partial block does not count as `is_blocked`."""

    name: str
    edit_count: int
    is_blocked: bool
    last_edit_at: datetime | None = None  # of those that are not hidden


@dataclass(frozen=True, slots=True)
class AccountStanding:
    """What a wiki says of an account now.

    `number` is its own on this wiki, and `central_numbers` are those that it has on
    several wikis together. `is_locked` is only known where accounts are shared. A
    partial block does not count as `is_blocked`. `is_established` says that the account
    is old enough and has edits enough for what the wiki itself keeps from new ones (its
    right `autoconfirmed`).
    """

    name: str
    number: int
    central_numbers: frozenset[int]
    is_blocked: bool
    is_locked: bool
    is_established: bool


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page with edits since `since` that wait for review."""

    title: str
    reviewed_id: int  # the revision that was reviewed last
    revision_id: int
    since: datetime


ARTICLE, TALK, USER, USER_TALK, PROJECT, PROJECT_TALK = range(6)
CATEGORY, TEMPLATE = 14, 10
_MOST_BYTES = 255
_FORBIDDEN = re.compile(r"[#<>\[\]|{}\ufffd]|~~~|%[0-9A-Fa-f]{2}|&[#\w]+;")
_RELATIVE = re.compile(r"(?:\A|/)\.{1,2}(?:/|\Z)")


@dataclass(frozen=True, slots=True)
class Title:
    """A page's title; `text` is all of it, `name` the part after the namespace."""

    text: str
    namespace: int
    name: str

    @property
    def root(self) -> str:
        """The name of the page that this is a subpage of, or its own."""
        return self.name.partition("/")[0]

    @property
    def is_talk(self) -> bool:
        """Whether this is another page's talk page."""
        return self.namespace > 0 and self.namespace % 2 == 1


@dataclass(frozen=True, slots=True)
class Namespaces:
    """The namespaces of one wiki: their numbers by every name the wiki knows.

    `names` has lower-case keys, canonical names and aliases included; `local` is the
    name of each as the wiki shows it.
    """

    names: Mapping[str, int]
    local: Mapping[int, str]

    def title(self, written: str) -> Title | None:
        """Return the title that a person wrote; `None` if it is not valid."""
        line = one_line(written.replace("_", " ")).removeprefix(":").strip()
        prefix, colon, rest = line.partition(":")
        number = self.names.get(prefix.strip().lower()) if colon else None
        if number is None:
            number, rest = ARTICLE, line
        return self.of(number, rest.strip())

    def of(self, number: int, name: str) -> Title | None:
        """Return the title of the page called `name` in a namespace."""
        if not name or name.startswith(":") or number not in self.local:
            return None
        if _FORBIDDEN.search(name) or _RELATIVE.search(name):
            return None
        name = f"{name[0].upper()}{name[1:]}" if len(name[0].upper()) == 1 else name
        if len(name.encode("utf-8", "replace")) > _MOST_BYTES:
            return None
        prefix = self.local[number]
        return Title(f"{prefix}:{name}" if prefix else name, number, name)

    def subject_of(self, title: Title) -> Title | None:
        """Return the page whose talk page is `title`, or `title` itself."""
        return self.of(title.namespace - 1, title.name) if title.is_talk else title

    def talk_of(self, title: Title) -> Title | None:
        """Return the talk page of `title`, or `title` itself if it is one."""
        if title.is_talk:
            return title
        return (
            self.of(title.namespace + 1, title.name) if title.namespace >= 0 else None
        )


_ENGLISH = {
    -2: "Media",
    -1: "Special",
    ARTICLE: "",
    TALK: "Talk",
    USER: "User",
    USER_TALK: "User talk",
    PROJECT: "Project",
    PROJECT_TALK: "Project talk",
    6: "File",
    7: "File talk",
    8: "MediaWiki",
    9: "MediaWiki talk",
    TEMPLATE: "Template",
    11: "Template talk",
    12: "Help",
    13: "Help talk",
    CATEGORY: "Category",
    15: "Category talk",
}


def namespaces(
    local: Mapping[int, str] | None = None, aliases: Mapping[str, int] | None = None
) -> Namespaces:
    """Return a wiki's namespaces; the canonical English names hold on every wiki.

    Args:
        local: names by number, as `siteinfo` gives them.
        aliases: other names, with their numbers.
    """
    shown = {**_ENGLISH, **(local or {})}
    names = {name.lower(): number for number, name in _ENGLISH.items() if name}
    names |= {name.lower(): number for name, number in (aliases or {}).items()}
    names |= {name.lower(): number for number, name in shown.items() if name}
    return Namespaces(MappingProxyType(names), MappingProxyType(shown))
