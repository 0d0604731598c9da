"""Signing in by an edit, where a wiki has no OAuth.

Whoever can save a given text on a page below somebody's user page, under that name, is
that person. The text is signed, for one sign-in and some minutes, and who saved the
newest revision is what the wiki says. They have to have put it there: anybody can write
on a page of somebody's, who then edits something else of it.
"""

import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import Protocol

from bot.adapters.wiki_authors import LastEdit
from bot.adapters.wiki_list_values import ListedUser, SiteNames
from bot.on_wiki.titles import USER, Title, namespaces
from bot.readers import RefusedError, SignIn
from gadget.identity.keys import IdentityKeys, Purpose, sha256_of

_PAGE = "Sidenote sign-in"
_CLOCKS_DIFFER = timedelta(seconds=60)
_SHOWN_CHARS = 32
SUMMARY = "Signing in to Sidenote: this edit shows that it is me"


class Pages(Protocol):
    """Tells of pages and users, as `bot.adapters.wiki_lists.WikiLists` does."""

    async def site_names(self) -> SiteNames:
        """Return the names of the wiki's namespaces."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...

    async def last_edit(self, title: str) -> LastEdit | None:
        """Return who saved the newest revision of a page, and what stands in it."""
        ...


@dataclass(frozen=True, slots=True)
class Proven:
    """Who saved the text; `subject` is their number on that wiki."""

    subject: str
    user: str


@dataclass(frozen=True, slots=True)
class ProofWay:
    """Asks for an edit, and looks for it. `wiki` tells of a wiki by its host."""

    keys: IdentityKeys
    wiki: Callable[[str], Pages]

    async def account(self, wiki: str, name: str) -> str:
        """Return the name of an account as its wiki writes it.

        Raises:
            RefusedError: there is no such account, or it is blocked.
            PermanentError, TemporaryError: of the wiki.
        """
        found = await self.wiki(wiki).user(name) if "/" not in name else None
        if found is None:
            raise RefusedError(
                f"{wiki} has no account of this name; check its spelling (an address or"
                " another wiki's account will not do)"
            )
        self._require_good_standing(found)
        await self.page(wiki, found.name)
        return found.name

    async def page(self, wiki: str, user: str) -> str:
        """Return the title of the page that a user has to save.

        Raises:
            RefusedError: no page can be called so.
        """
        names = await self.wiki(wiki).site_names()
        title = namespaces(names.local, names.aliases).of(USER, f"{user}/{_PAGE}")
        if title is None or not _is_below(title, user):
            raise RefusedError("no page can be made below this user page")
        return title.text

    def text(self, asked: SignIn) -> str:
        """Return what has to be saved there; it is one line."""
        until = asked.expires_at.astimezone(UTC).strftime("%H:%M UTC, %d %B %Y")
        attempt = sha256_of(asked.state)[:8]
        code = self.keys.code(
            Purpose.PROOF,
            asked.wiki,
            asked.user or "",
            asked.state,
            asked.expires_at.isoformat(),
        )
        return (
            f"I, {asked.user}, am signing in to Sidenote on {asked.wiki} myself (until"
            f" {until}; attempt {attempt}, code {code[:_SHOWN_CHARS]})."
        )

    async def proven(self, asked: SignIn) -> Proven | None:
        """Return who saved the text; `None` if nobody has done so yet.

        Raises:
            RefusedError: somebody else saved it, or the page leads on to another.
            PermanentError, TemporaryError: of the wiki.
        """
        user = asked.user or ""
        page = await self.page(asked.wiki, user)
        edit = await self.wiki(asked.wiki).last_edit(page)
        if edit is None or edit.title != page:
            return None
        if edit.is_redirect:
            raise RefusedError(
                f"{page} leads on to another page; save the text in its place"
            )
        if not self._has_text(asked, edit.text):
            return None
        if edit.user != user or not edit.user_id:
            raise RefusedError(
                f"the newest edit of {page} is not by {user}; sign in to the wiki under"
                " that name and save the text again"
            )
        if edit.text_before is None or self._has_text(asked, edit.text_before):
            raise RefusedError(
                f"the text stood on {page} before {user}'s own edit, or nobody can see"
                " what stood there; empty the page, begin again and save the new text"
            )
        if edit.saved_at < asked.begun_at - _CLOCKS_DIFFER:
            return None
        found = await self.wiki(asked.wiki).user(user)
        if found is None:
            raise RefusedError("there is no such account any more")
        self._require_good_standing(found)
        return Proven(f"local {edit.user_id}", edit.user)

    def _has_text(self, asked: SignIn, page: str) -> bool:
        return _folded(self.text(asked)) in _lines(page)

    def _require_good_standing(self, found: ListedUser) -> None:
        if found.is_blocked:
            raise RefusedError(
                f"the account {found.name} is blocked on this wiki; whoever is blocked"
                " cannot decide about suggestions"
            )


def _is_below(title: Title, user: str) -> bool:
    return title.namespace == USER and title.name == f"{user}/{_PAGE}"


def _lines(text: str) -> Collection[str]:
    return {_folded(line) for line in text.splitlines()}


def _folded(line: str) -> str:
    return unicodedata.normalize("NFC", line.strip())
