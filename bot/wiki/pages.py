"""What reading a page returns, from a wiki or from disk. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

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


class NoSuchPageError(PermanentError):
    """The wiki has no page of this title; it may have had one."""


# What a wiki returns for more than one page at a time. Pure.
#
# These values connect the wiki's API and the planners, which convert them into their
# own types; titles are as the wiki writes them.


@dataclass(frozen=True, slots=True)
class SiteNames:
    """The namespaces of a wiki.

    `local` has the displayed name of each by its number; `aliases` has the number by
    every name that the wiki knows, in lower case.
    """

    local: Mapping[int, str]
    aliases: Mapping[str, int]


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
