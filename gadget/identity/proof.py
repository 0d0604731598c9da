"""Signing in by an edit, if a wiki has no OAuth.

Whoever can save a given text on a subpage of someone's user page, under that name, is
that person. The text is made for one sign-in and one script: it includes the hash of
the secret that the script keeps, without which the sign-in cannot be finished.
`finding_of` decides which edits count.

A wiki's edit form can be filled in by a link, so someone could begin a sign-in in
another's name and send them such a link. The edit summary therefore has two lines:
in MediaWiki's form, and on its page for trying the API, a summary is a field of one
line, from which a browser drops the break, so only a script saves it. Edits of editors
with a larger field do not count. What a wiki has besides, such as a gadget of its own,
cannot be known here; that is why an operator must allow this way for each wiki.
"""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Protocol

from bot.records.accounts import PageBefore, RefusedError, SignIn
from bot.report.words import moment
from bot.surfaces.messages import Words, language_of, message
from bot.wiki.history import RecentHistory, SavedRevision
from bot.wiki.pages import USER, ListedUser, Namespaces
from gadget.identity.readers import IdentityKeys, Purpose
from gadget.identity.standing import subject_of
from handlers.model import Message


class Holding(Enum):
    """Whether a revision holds the text of the sign-in."""

    YES = "yes"
    NO = "no"
    UNSEEN = "unseen"  # hidden or lost


@dataclass(frozen=True, slots=True)
class Saved:
    """A revision, as far as it matters here.

    `is_own` says that the account that signs in saved it, `is_named` that its edit
    summary is that of the sign-in, `is_revert` that the wiki tagged it as undoing an
    edit, `is_typed` that it tagged it as made in an editor whose summary may have
    several lines, and `is_listed` that the recent changes list it as an edit of this page, which
    is not so for imported, restored and moved revisions.
    """

    revision_id: int
    holding: Holding
    is_own: bool
    is_named: bool
    is_revert: bool
    is_typed: bool
    is_listed: bool
    sha1: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The history of the page, newest first, and what happened to it.

    `newest_before` is the page's newest revision when the sign-in began, 0 for none.
    `has_older` says that there are older revisions than these. `is_displaced` says that
    since then revisions may have appeared or disappeared other than by edits: the page
    was moved, deleted, restored, imported or merged.
    """

    revisions: Sequence[Saved]
    newest_before: int
    has_older: bool
    is_displaced: bool
    is_redirect: bool


class Finding(Enum):
    """What the history shows. All but the first two end the sign-in."""

    WAITING = "the text is not there yet"
    PROVEN = "the account itself added it"
    BY_ANOTHER = "someone else saved it first, or edited the page since then"
    DISPLACED = "revisions were added or removed other than by edits"
    UNSEEN = "a revision since then is hidden"
    TOO_MANY = "there are too many revisions since then"
    TWICE = "more than one revision contains it"
    REMOVED = "it was removed again"
    REDIRECT = "the page is a redirect"
    REVERT = "the edit only restored an earlier version"
    UNNAMED = "the edit summary is different, or was filled in by hand or by a link"


def finding_of(evidence: Evidence) -> Finding:
    """Return what the history of the page shows.

    The wiki says only who saved a revision: by an undo, a rollback, a move or a
    restored version people save what others wrote. So an edit counts only if it adds
    the text, for the first time, with the sign-in's own edit summary, to a page that
    nobody else has edited since the sign-in began: anyone who knows the text could
    leave it there in pieces, for its owner to fix. A hidden revision might be such an
    edit.
    """
    holders = [each for each in evidence.revisions if each.holding is Holding.YES]
    unclear = _unclear(evidence, holders)
    if unclear is not None:
        return unclear
    if not holders:
        return Finding.WAITING
    if len(holders) > 1:
        return Finding.TWICE
    return _of_the_edit(holders[0], evidence)


def _unclear(evidence: Evidence, holders: Sequence[Saved]) -> Finding | None:
    """Return why the author of the text cannot be determined."""
    revisions = evidence.revisions
    since = [each for each in revisions if each.revision_id > evidence.newest_before]
    if not all(each.is_own for each in (*since, *holders)):
        return Finding.BY_ANOTHER
    if evidence.is_displaced:
        return Finding.DISPLACED
    if any(each.holding is Holding.UNSEEN for each in since):
        return Finding.UNSEEN
    if evidence.has_older and len(since) == len(revisions):
        return Finding.TOO_MANY
    return None


def _of_the_edit(edit: Saved, evidence: Evidence) -> Finding:
    """Return what the only revision with the text, saved by the account, shows."""
    newest, *older = evidence.revisions
    if edit is not newest:
        return Finding.REMOVED
    if evidence.is_redirect:
        return Finding.REDIRECT
    is_new = edit.revision_id > evidence.newest_before and edit.sha1 is not None
    if edit.is_revert or not is_new or edit.sha1 in {each.sha1 for each in older}:
        return Finding.REVERT
    if edit.is_typed or not edit.is_named:
        return Finding.UNNAMED
    return Finding.PROVEN if edit.is_listed else Finding.WAITING


_PAGE = "Sidenote sign-in"
_CODE_CHARS = 32
_ATTEMPT_CHARS = 16
_REVERTS = frozenset({"mw-undo", "mw-rollback", "mw-manual-revert"})
_TYPED = ("visualeditor", "discussiontools", "mobile ", "advanced mobile ")
_DISPLACING = frozenset({"delete", "import", "merge", "move", "suppress"})

_REASONS: Mapping[Finding, str] = MappingProxyType(
    {
        Finding.BY_ANOTHER: "refusal-proof-by-another",
        Finding.DISPLACED: "refusal-proof-displaced",
        Finding.UNSEEN: "refusal-proof-unseen",
        Finding.TOO_MANY: "refusal-proof-too-many",
        Finding.TWICE: "refusal-proof-twice",
        Finding.REMOVED: "refusal-proof-removed",
        Finding.REDIRECT: "refusal-proof-redirect",
        Finding.REVERT: "refusal-proof-revert",
        Finding.UNNAMED: "refusal-proof-unnamed",
    }
)


class Pages(Protocol):
    """Looks up pages and users, as `bot.wiki.lists.WikiLists` does."""

    async def namespaces(self) -> Namespaces:
        """Return the wiki's namespaces."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...

    async def rights(self, name: str) -> frozenset[str]:
        """Return what an account may do."""
        ...

    async def recent_history(self, title: str) -> RecentHistory | None:
        """Return what was saved under a title lately; `None` if it is invalid."""
        ...


@dataclass(frozen=True, slots=True)
class Proven:
    """Who saved the text; `subject` is their number on that wiki."""

    subject: str
    user: str


@dataclass(frozen=True, slots=True)
class ProofWay:
    """Asks for an edit, and looks for it. `wiki` gives a wiki's lookup by host."""

    keys: IdentityKeys
    wiki: Callable[[str], Pages]

    async def account(self, wiki: str, name: str) -> str:
        """Return the name of an account as its wiki writes it.

        Raises:
            RefusedError: there is no such account, or it is blocked.
            PermanentError, TemporaryError: from the wiki.
        """
        found = await self.wiki(wiki).user(name) if "/" not in name else None
        if found is None:
            raise RefusedError(message("refusal-account-unknown", wiki))
        self._require_good_standing(found)
        await self.page(wiki, found.name)
        return found.name

    async def page(self, wiki: str, user: str) -> str:
        """Return the title of the page that a user must save.

        Raises:
            RefusedError: it would not be a valid title.
        """
        names = await self.wiki(wiki).namespaces()
        title = names.of(USER, f"{user}/{_PAGE}")
        if title is None or (title.namespace, title.name) != (USER, f"{user}/{_PAGE}"):
            raise RefusedError(message("refusal-no-subpage"))
        return title.text

    async def page_before(self, wiki: str, user: str, page: str) -> PageBefore:
        """Return the state of the page before anyone knows the text.

        Raises:
            RefusedError: the user cannot save that page.
            PermanentError, TemporaryError: from the wiki.
        """
        history = await self.wiki(wiki).recent_history(page)
        if history is None:
            return PageBefore(0, 0)
        await self._require_unprotected(wiki, user, history)
        return PageBefore(
            max((each.revision_id for each in history.revisions), default=0),
            max((each.log_id for each in history.log), default=0),
        )

    def text(self, sign_in: SignIn) -> str:
        """Return the text to save there, which is one line in the wiki's language."""
        facts = (sign_in.user or "", sign_in.wiki, moment(sign_in.begun_at))
        return _in_language(
            sign_in, message("proof-line", *facts, *self._codes(sign_in))
        )

    def summary(self, sign_in: SignIn) -> str:
        """Return the required edit summary, of two lines: no form can send it."""
        attempt, code = self._codes(sign_in)
        facts = (moment(sign_in.begun_at), attempt, f"\n{code}")
        return _in_language(sign_in, message("proof-line-summary", *facts))

    async def proven(self, sign_in: SignIn) -> Proven | None:
        """Return who saved the text; `None` if nobody has done so yet.

        Raises:
            RefusedError: this sign-in can no longer prove it, and must end.
            PermanentError, TemporaryError: from the wiki.
        """
        user, before = sign_in.user or "", sign_in.page_before
        if before is None:
            raise RefusedError(message("refusal-sign-in-other-way", sign_in.wiki))
        page = await self.page(sign_in.wiki, user)
        history = await self.wiki(sign_in.wiki).recent_history(page)
        if history is None or history.title != page:
            return None
        finding = finding_of(self._evidence(sign_in, before, history))
        if finding is not Finding.PROVEN:
            await self._require_unprotected(sign_in.wiki, user, history)
        if finding in _REASONS:
            raise RefusedError(message(_REASONS[finding], page, user))
        if finding is not Finding.PROVEN:
            return None
        found = await self.wiki(sign_in.wiki).user(user)
        if found is None:
            raise RefusedError(message("refusal-account-gone"))
        self._require_good_standing(found)
        return Proven(subject_of(history.revisions[0].user_id), user)

    def _evidence(
        self, sign_in: SignIn, before: PageBefore, history: RecentHistory
    ) -> Evidence:
        is_log_cut = history.has_older_log and all(
            each.log_id > before.log_id for each in history.log
        )
        return Evidence(
            revisions=[self._saved(sign_in, each) for each in history.revisions],
            newest_before=before.revision_id,
            has_older=history.has_older,
            is_displaced=is_log_cut
            or any(
                each.log_id > before.log_id and each.kind in _DISPLACING
                for each in history.log
            ),
            is_redirect=history.is_redirect,
        )

    def _saved(self, sign_in: SignIn, revision: SavedRevision) -> Saved:
        holding = Holding.UNSEEN
        if revision.text is not None:
            lines = map(_folded, revision.text.splitlines())
            has_text = _folded(self.text(sign_in)) in lines
            holding = Holding.YES if has_text else Holding.NO
        return Saved(
            revision_id=revision.revision_id,
            holding=holding,
            is_own=revision.user == sign_in.user and revision.user_id > 0,
            is_named=_folded(self.summary(sign_in)) in _folded(revision.summary or ""),
            is_revert=bool(revision.tags & _REVERTS),
            is_typed=any(tag.startswith(_TYPED) for tag in revision.tags),
            is_listed=revision.is_listed,
            sha1=revision.sha1,
        )

    def _codes(self, sign_in: SignIn) -> tuple[str, str]:
        """Return the attempt, and a code that nobody can know before it.

        The attempt is how the script recognises its own secret.
        """
        code = self.keys.code(
            Purpose.PROOF,
            sign_in.wiki,
            sign_in.user or "",
            sign_in.state,
            sign_in.secret_sha256,
            sign_in.expires_at.isoformat(),
        )
        return sign_in.secret_sha256[:_ATTEMPT_CHARS], code[:_CODE_CHARS]

    async def _require_unprotected(
        self, wiki: str, user: str, history: RecentHistory
    ) -> None:
        if not history.rights:
            return
        if history.rights - await self.wiki(wiki).rights(user):
            raise RefusedError(message("refusal-page-protected", history.title, user))

    def _require_good_standing(self, found: ListedUser) -> None:
        if found.is_blocked:
            raise RefusedError(message("refusal-account-blocked"))


def _in_language(sign_in: SignIn, words: Message) -> str:
    return Words(language_of(sign_in.wiki)).plain(words)


def _folded(line: str) -> str:
    return unicodedata.normalize("NFC", line.strip())
