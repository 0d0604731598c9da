"""What reading a page gives, from a wiki and from disk alike. Pure."""

from dataclasses import dataclass

from handlers.model import PageId
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class WikiPage:
    """One revision of a page with its wikitext, unchanged.

    `redirected_from` is the title that was asked for, where that page redirects
    to this one; `redirect_to` is then where it leads, with the section if it
    names one ("Thames#Tributaries"). `notes` are plain sentences for the reader
    of a report.
    """

    id: PageId
    wikitext: str
    redirect_to: str | None = None
    redirected_from: str | None = None
    notes: tuple[str, ...] = ()


class NoSuchPageError(PermanentError):
    """The wiki has no page of this title; it may have had one."""
