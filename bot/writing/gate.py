"""The one gate through which anything is written to a wiki.

Each try is one check and at most one write. The check asks the wiki, in one request,
for the page, what it is about, the stop page of the task, the account, and the edits
that this post may have made already. Only if nothing forbids it is the edit sent, once,
bound to the revision that was read. All code that wants to write comes here; nothing
else has access to the account.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from bot.records.panel_edits import CHANGE_TAG
from bot.records.posts import (
    Attempt,
    NotNow,
    Outcome,
    Parked,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceSection,
    Shown,
    Unclear,
)
from bot.surfaces.note import marks_in
from bot.wiki.answers import NoAnswer
from bot.wiki.keys import Keys, posts_in, short_name
from bot.writing.allowed_pages import Place, place_of
from bot.writing.edit import edit, edited, outcome, question_section
from bot.writing.preflight import (
    TEXTS,
    CurrentPage,
    Preflight,
    TextsAnswer,
    by_exclusion,
    by_page,
    by_people,
    preflight,
    question,
    question_again,
)
from bot.writing.reconciliation import already_on_page, reconciled
from handlers.ports import PermanentError, TemporaryError

_SOON_S = 2.0
_STOPPED_S = 300.0
_HALTED_S = 3600.0
_NAMES_FOR_S = 3600.0
_MAY_TAG = "applychangetags"
# The list of tags starts at ours, so one is enough.
_ABOUT_WIKI = {
    "meta": "siteinfo",
    "siprop": "namespaces",
    "list": "tags",
    "tgprop": "active",
    "tgcontinue": CHANGE_TAG,
    "tglimit": "1",
}


class Session(Protocol):
    """An account's session, as `bot.wiki.session.WikiSession` is."""

    @property
    def account(self) -> str:
        """The name of the account; empty if there is none."""
        ...

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer to a question.

        Raises:
            PermanentError: the wiki refuses it.
            TemporaryError: it cannot be reached or is busy now.
        """
        ...

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Send an edit once, and return the answer.

        Raises:
            NotSent: it is certain that nothing was written.
            NoAnswer: it may have been written.
            PermanentError: there is no account to write with.
        """
        ...

    def end(self) -> None:
        """End the session with the wiki; the next request starts a new one.

        Raises:
            TemporaryError: the wiki cannot be reached.
        """
        ...


class Showing(Protocol):
    """Where a dry run saves pages, as `bot.writing.dry_run.LocalPages` does."""

    def show(self, post: Post, text: str, why_not: str) -> str:
        """Save the page as it would be, and return where."""
        ...


Wanted = Callable[[Post, str], str]
"""Given a post and the article's newest text, says why it is no longer wanted."""


def always_wanted(_post: Post, _article: str) -> str:
    """Want every post, whatever became of the article."""
    return ""


RequestedOn = Callable[[Post], str]
"""Names the page on which a person asked for a post, if it is not the post's own."""


def requested_nowhere(_post: Post) -> str:
    """Name no page."""
    return ""


Sending = Callable[[Attempt, datetime, int], None]
"""Notes, right before an edit is sent, the wiki's time and the page's revision.

Raises AttemptLost if another process has the post by now; then nothing is sent.
"""


def noted_nowhere(_tried: Attempt, _at: datetime, _base: int) -> None:
    """Record nothing: there is no store."""


@dataclass(frozen=True, slots=True)
class GateRules:
    """What the gate needs to know about the bot.

    `bot` is its account, `keys` sign its posts.
    """

    bot: str
    keys: Keys


class _Namespace(BaseModel):
    id: int
    name: str = ""


class _Tag(BaseModel):
    name: str
    active: bool = False


class _SiteInfo(BaseModel):
    namespaces: dict[str, _Namespace]
    tags: list[_Tag] = []


class _Site(BaseModel):
    query: _SiteInfo


class Gate:
    """Writes to one wiki; see the module. Not for several threads at once.

    Args:
        session: with the wiki, as the bot.
        rules: about the bot.
        now: the time, for how long the wiki's names are cached.
        wanted: is asked once more right before a write.
        requested_on: names a page that may forbid what a person asked for there.
        sending: records the wiki's time of each try, from which earlier ones are
            searched, and the page's revision.
        showing: for a dry run: receives the page instead of the wiki.
    """

    def __init__(
        self,
        session: Session,
        rules: GateRules,
        *,
        now: Callable[[], datetime],
        wanted: Wanted = always_wanted,
        requested_on: RequestedOn = requested_nowhere,
        sending: Sending = noted_nowhere,
        showing: Showing | None = None,
    ) -> None:
        self._session = session
        self._rules = rules
        self._now = now
        self._wanted = wanted
        self._requested_on = requested_on
        self._sending = sending
        self._showing = showing
        self._local: dict[int, str] = {}
        self._has_tag = False
        self._local_at: datetime | None = None

    def attempt(self, tried: Attempt) -> Outcome:
        """Try a post once and return the result; never raises for a wiki's errors.

        Args:
            tried: the post, recorded in the store as possibly made before this is
                called.

        Raises:
            AttemptLost: as `Sending` does.
        """
        try:
            return self._attempt(tried)
        except TemporaryError as error:
            return NotNow(str(error), error.retry_in_s)
        except PermanentError as error:
            return NotNow(str(error), _HALTED_S, halts=True)

    def _attempt(self, tried: Attempt) -> Outcome:
        post = tried.post
        where = place_of(post, self._names(), f"{self._rules.bot}/Run")
        if isinstance(where, Refused):
            return where
        where = replace(where, requested_on=self._requested_on(post) or None)
        state = self._preflight(tried, where)
        if not isinstance(state, Preflight):
            return state
        refused = (
            by_page(where, state)
            or by_people(state)
            or by_exclusion(state, self._rules.bot)
            or self._by_change(post, state)
        )
        if isinstance(refused, Refused) and self._showing is None:
            return refused
        whole = edited(state.page, post)
        if isinstance(whole, Refused):
            return whole
        if self._showing is not None:
            why_not = "" if refused is None else refused.why
            return Shown(self._showing.show(post, whole, why_not), why_not)
        return refused or self._write(tried, where, state, whole)

    def _names(self) -> dict[int, str]:
        """Return the wiki's own names of its namespaces, by number."""
        now = self._now()
        fresh = self._local_at and (now - self._local_at).total_seconds() < _NAMES_FOR_S
        if not fresh:
            answer = self._session.ask(_ABOUT_WIKI)
            try:
                found = _Site.model_validate(answer).query
            except ValidationError as error:
                raise TemporaryError(
                    "the wiki does not list its namespaces", retry_in_s=_STOPPED_S
                ) from error
            self._local = {each.id: each.name for each in found.namespaces.values()}
            self._has_tag = _Tag(name=CHANGE_TAG, active=True) in found.tags
            self._local_at = now
        return self._local

    def _preflight(
        self, tried: Attempt, where: Place
    ) -> Preflight | Posted | Refused | Unclear | Parked:
        """Check the wiki; the result may be that the post was made already."""
        bot, keys = self._rules.bot, self._rules.keys
        stop = f"User:{bot}/Run/{tried.post.task}"
        if not self._session.account:
            return preflight(self._session.ask(question(where, stop, bot)), where, stop)
        if tried.first_tried_at is None:
            state = preflight(
                self._session.ask(question(where, stop, bot)), where, stop
            )
            if isinstance(state, Refused):
                return state
            return already_on_page(state.page, tried.post, bot, keys) or state
        # A first try that is still under way then finds its session ended.
        self._session.end()
        state = preflight(
            self._session.ask(question_again(where, stop, bot)), where, stop
        )
        if isinstance(state, Refused):
            return state
        return reconciled(tried, state, bot, keys, ask=self._session.ask) or state

    def _by_change(self, post: Post, state: Preflight) -> Refused | None:
        if short_name(post.name) not in posts_in(post.summary, self._rules.keys):
            return Refused(Refusal.UNKNOWN, "its summary lacks the key of the post")
        article = state.subject.text if state.subject else None
        why = self._wanted(post, article or "")
        return Refused(Refusal.UNWANTED, why) if why else None

    def _write(
        self, tried: Attempt, where: Place, state: Preflight, whole: str
    ) -> Outcome:
        post = tried.post
        may_tag = self._has_tag and _MAY_TAG in state.user.rights
        tag = CHANGE_TAG if may_tag else ""
        edit_of = edit(
            state.page, where, post, whole, at=state.at, token=state.token, tag=tag
        )
        if isinstance(edit_of, Refused):
            return edit_of
        if isinstance(post.change, ReplaceSection):
            differs = self._by_section(post.change, where, state.page)
            if differs is not None:
                return differs
        self._sending(tried, state.at, state.page.revision_id)
        result = self._sent(edit_of, state.page, post)
        if isinstance(result, Refused) and result.reason is Refusal.FILTER:
            # A filter's warning is kept in the session, and ends with it.
            with suppress(TemporaryError, PermanentError):
                self._session.end()
        return result

    def _sent(
        self, edit_of: Mapping[str, str], page: CurrentPage, post: Post
    ) -> Outcome:
        session, keys = self._session, self._rules.keys
        try:
            answer = session.edit(edit_of)
        except NoAnswer as error:
            return Unclear(str(error), error.retry_in_s)
        made = outcome(answer, page.revision_id)
        return _with_taken(made, answer, page, post, keys, ask=session.ask)

    def _by_section(
        self, change: ReplaceSection, where: Place, page: CurrentPage
    ) -> Refused | NotNow | None:
        """Compare the wiki's section with the one that was planned for."""
        answer = self._session.ask(question_section(where, change))
        try:
            pages = TextsAnswer.model_validate(answer).query.pages
        except ValidationError:
            return Refused(Refusal.CHANGED, "the section is no longer there")
        found = pages[0] if len(pages) == 1 else None
        if found is None or found.text is None:
            return Refused(Refusal.CHANGED, "the section is no longer there")
        if found.revision_id != page.revision_id:
            return NotNow("the page was edited in the meantime", _SOON_S)
        if found.text.rstrip() != change.expected.rstrip():
            return Refused(Refusal.CHANGED, "the section says something else now")
        return None


class _Edit(BaseModel):
    oldrevid: int = 0
    newrevid: int = 0
    nochange: bool = False


class _Answer(BaseModel):
    edit: _Edit


def _with_taken(
    made: Outcome,
    answer: Mapping[str, Any],
    seen: CurrentPage,
    post: Post,
    keys: Keys,
    *,
    ask: Callable[[Mapping[str, str]], dict[str, Any]],
) -> Outcome:
    """Return `made` with the notes that people had taken away before it.

    The wiki merges an edit with one that came in between, unless both changed a line in
    different ways. Suppose both remove a note: people because they do not want it, and
    we because it is settled. Then it would never count as dismissed, and could be
    posted again. So if the wiki says that our edit was merged with another one, the
    page is read as it was before ours; if it says that ours changes nothing, because
    they did the same, the page is read as it is now. If the answer to an edit was lost,
    this is not known.

    Args:
        made: the result of the edit.
        answer: the wiki's answer to the edit.
        seen: the page for which the edit was made.
        post: the post that was made.
        keys: signed its notes.
        ask: asks the wiki; if that fails, nothing more is known, and the post counts as
            made.
    """
    conflict = _conflict(answer, seen)
    if not isinstance(made, Posted) or not post.settles or not conflict:
        return made
    try:
        before = TextsAnswer.model_validate(ask({**conflict, **TEXTS})).query.pages
    except (PermanentError, TemporaryError, ValidationError):
        return made
    if len(before) != 1 or before[0].text is None:
        return made
    gone = {*marks_in(seen.text or "", keys)} - {*marks_in(before[0].text, keys)}
    taken = tuple(each for each in post.settles if each[:24] in gone)
    return replace(made, taken=taken)


def _conflict(answer: Mapping[str, Any], seen: CurrentPage) -> dict[str, str]:
    """Return the query for the page as another edit left it; empty if none did."""
    try:
        edit = _Answer.model_validate(answer).edit
    except (ValidationError, RecursionError):
        return {}
    if edit.nochange:  # and ours would have changed the page as we read it
        return {"titles": f"\x1f{seen.title}"}
    is_over = seen.revision_id and edit.newrevid and edit.oldrevid != seen.revision_id
    return {"revids": str(edit.oldrevid)} if is_over else {}
