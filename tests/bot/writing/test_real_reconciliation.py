"""A post whose answer was lost is made once on a real MediaWiki, whatever people do.

Each test begins with an edit that was made and whose answer the bot never saw.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from bot.records.posts import (
    Outcome,
    Parked,
    Post,
    Posted,
    PostState,
    Refusal,
    Refused,
    Unclear,
)
from bot.store import Store
from bot.wiki.answers import NoAnswer
from bot.wiki.session import WikiSession
from bot.writing.gate import Gate
from bot.writing.publisher import Publisher
from tests.bot.writing.makers import RULES, tried
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.place import Losing, Place, at, gate_of, page, post_to

pytestmark = pytest.mark.mediawiki
__all__ = ["at", "page"]
_numbers = count(1)
_BEFORE = "== Question ==\nWhich lantern?"


@dataclass
class _Lost:
    """A post that is on the wiki, and whose answer was lost."""

    at: Place
    post: Post
    revision: int
    began: datetime

    @property
    def title(self) -> str:
        return self.post.title

    def again(self, **more: Any) -> Outcome:
        return self.at.attempt(self.post, before=self.began, tries=2, **more)

    def copies(self) -> int:
        """Count the copies on the page as it is."""
        return self.at.ada.text(self.title).count(self.post.change.text.strip())

    def hide(self, what: str, **more: str) -> None:
        """Hide parts of the revision, as an administrator does."""
        parameters = {
            "type": "revision",
            "target": self.title,
            "ids": str(self.revision),
        }
        self.at.admin.post("revisiondelete", **parameters, hide=what, **more)


def _lost(at: Place, title: str) -> _Lost:
    intended_post, began = post_to(title), datetime.now(UTC)
    assert isinstance(
        gate_of(Losing(at.session())).attempt(tried(intended_post)), Unclear
    )
    [edit] = [
        e for e in at.ada.edits_of(BOT) if e.get("comment") == intended_post.summary
    ]
    return _Lost(at, intended_post, edit["revid"], began)


@pytest.fixture(scope="module", autouse=True)
def _may_hide(at: Place) -> None:
    at.admin.post("userrights", "userrights", user="Admin", add="suppress")


@pytest.fixture
def lost(at: Place, page: str) -> _Lost:
    return _lost(at, page)


def _delete(at: Place, title: str) -> None:
    at.admin.post("delete", title=title, reason="x")


def _move(at: Place, title: str, to: str, **more: str) -> None:
    at.admin.post("move", **{"from": title, "to": to, "reason": "x"}, **more)


# --- deletions ----------------------------------------------------------------------


def _deleted(lost: _Lost) -> None:
    _delete(lost.at, lost.title)


def _deleted_and_made_anew(lost: _Lost) -> None:
    _delete(lost.at, lost.title)
    lost.at.ada.edit(lost.title, "== Anew ==\nLet us begin again.")


def _deleted_and_restored_without_it(lost: _Lost) -> None:
    first = lost.at.ada.get(
        action="query",
        titles=lost.title,
        prop="revisions",
        rvprop="timestamp",
        rvlimit="5",
    )["query"]["pages"][0]["revisions"][-1]["timestamp"]
    _delete(lost.at, lost.title)
    lost.at.admin.post("undelete", title=lost.title, timestamps=first, reason="x")


def _moved_and_deleted_there(lost: _Lost) -> None:
    _move(lost.at, lost.title, f"{lost.title} (old)", noredirect="1")
    _delete(lost.at, f"{lost.title} (old)")
    lost.at.ada.edit(lost.title, "== Anew ==\nLet us begin again.")


_DELETIONS = [
    _deleted,
    _deleted_and_made_anew,
    _deleted_and_restored_without_it,
    _moved_and_deleted_there,
]


@pytest.mark.parametrize("deletion", _DELETIONS)
def test_what_was_deleted_with_its_page_does_not_come_back(
    at: Place, deletion: Callable[[_Lost], None]
) -> None:
    title = f"Talk:Deleted lantern {next(_numbers)}"
    at.ada.edit(title, _BEFORE)
    if deletion is _deleted_and_restored_without_it:
        at.ada.edit(title, f"{_BEFORE} Please.")
        _wait_a_second(at)  # revisions are restored by their second
    lost = _lost(at, title)
    deletion(lost)

    outcome = lost.again()

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.DELETED


def test_who_may_see_what_was_deleted_finds_it_there(at: Place, lost: _Lost) -> None:
    _deleted_and_made_anew(lost)
    at.admin.post("userrights", "userrights", user=BOT, add="sysop")
    try:
        outcome = lost.again()
    finally:
        at.admin.post("userrights", "userrights", user=BOT, remove="sysop")

    assert outcome == Posted(lost.revision)
    assert lost.copies() == 0


def test_a_page_that_was_deleted_before_the_first_try_is_written_to(at: Place) -> None:
    title = f"Talk:Deleted before {next(_numbers)}"
    at.ada.edit(title, _BEFORE)
    _delete(at, title)
    at.ada.edit(title, _BEFORE)
    intended_post = post_to(title)

    outcome = at.attempt(
        intended_post, before=_wiki_time(at) + timedelta(minutes=2), tries=2
    )

    assert isinstance(outcome, Posted)


def _wait_a_second(at: Place) -> None:
    """Wait until the wiki's clock has passed to the next second."""
    before = _wiki_time(at)
    while _wiki_time(at) == before:
        time.sleep(0.05)


def _wiki_time(at: Place) -> datetime:
    timestamp = at.ada.get(action="query", curtimestamp="1")["curtimestamp"]
    return datetime.fromisoformat(timestamp)


# --- deletions that no log shows ----------------------------------------------------


def _gone_unseen(at: Place, title: str) -> None:
    at.admin.delete_unseen(title)


def _gone_unseen_and_made_anew(at: Place, title: str) -> None:
    at.admin.delete_unseen(title)
    at.ada.edit(title, "== Anew ==\nLet us begin again.")


def _gone_unseen_and_restored_without_it(at: Place, title: str) -> None:
    first = at.ada.get(
        action="query",
        titles=title,
        prop="revisions",
        rvprop="timestamp",
        rvlimit="5",
    )["query"]["pages"][0]["revisions"][-1]["timestamp"]
    _gone_unseen_and_made_anew(at, title)
    at.admin.post("undelete", title=title, timestamps=first, reason="x")


def _publish(
    store: Store, session: WikiSession | Losing, later_s: float = 0
) -> Outcome | None:
    return Publisher(
        "wiki.example",
        store.outbox,
        gate_of(session, store.outbox),
        lambda: datetime.now(UTC) + timedelta(seconds=later_s),
        lambda: 0.0,
    ).publish_once()


@pytest.mark.parametrize(
    ("deletion", "was_there"),
    [
        (_gone_unseen, True),
        (_gone_unseen, False),
        (_gone_unseen_and_made_anew, True),
        (_gone_unseen_and_made_anew, False),
        (_gone_unseen_and_restored_without_it, True),
    ],
)
def test_what_oversighters_removed_is_not_written_again(
    at: Place, store: Store, deletion: Callable[[Place, str], None], *, was_there: bool
) -> None:
    title = f"Talk:Suppressed lantern {next(_numbers)}"
    if was_there:
        at.ada.edit(title, _BEFORE)
        _wait_a_second(at)
    wanted = post_to(title, asked_at=datetime.now(UTC))
    store.outbox.ask(wanted)
    assert isinstance(_publish(store, Losing(at.session())), Unclear)
    assert wanted.change.text.strip() in at.ada.text(title)
    deletion(at, title)

    for later_s in (
        60,
        90_000,
        180_000,
    ):  # also when the parked post is looked at again
        outcome = _publish(store, at.session(), later_s)
        assert isinstance(outcome, Parked), outcome

    assert [each.post for each in store.outbox.parked()] == [wanted]
    there = at.ada.get(action="query", titles=title, prop="info")["query"]["pages"][0]
    assert there.get("missing") or wanted.change.text.strip() not in at.ada.text(title)


def test_a_post_that_never_arrived_is_made_on_a_page_that_others_began(
    at: Place, store: Store
) -> None:
    """The page is new, and the log tells that there was none before."""

    class Cut(Losing):
        def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
            self.sent = parameters
            raise NoAnswer("cut", retry_in_s=1)

    title = f"Talk:Lantern begun by others {next(_numbers)}"
    store.outbox.ask(post_to(title, asked_at=datetime.now(UTC)))
    assert isinstance(_publish(store, Cut(at.session())), Unclear)
    _wait_a_second(at)
    at.ada.edit(title, _BEFORE)

    assert isinstance(_publish(store, at.session(), 60), Posted)


# --- hidden revisions ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("hidden", "more"),
    [
        ("content|comment", {}),
        ("content|comment|user", {}),
        ("content|comment", {"suppress": "yes"}),
        ("content|comment|user", {"suppress": "yes"}),
    ],
)
def test_what_was_hidden_after_it_was_taken_away_is_parked(
    at: Place, lost: _Lost, hidden: str, more: dict[str, str]
) -> None:
    at.ada.edit(lost.title, _BEFORE)
    lost.hide(hidden, **more)

    outcome = lost.again()

    assert isinstance(outcome, Parked)
    assert lost.copies() == 0


def test_what_is_hidden_in_part_is_found_by_the_rest(at: Place, page: str) -> None:
    for hidden in ("content", "comment", "user", "content|user", "comment|user"):
        lost = _lost(at, page)
        at.ada.edit(page, _BEFORE)
        lost.hide(hidden)

        by_text_alone = hidden == "comment|user"
        assert lost.again() == Posted(0 if by_text_alone else lost.revision), hidden


def test_a_hidden_edit_of_another_post_parks_nothing(at: Place, lost: _Lost) -> None:
    """Its text is there to be read, and holds another key."""
    other = _lost(at, lost.title)
    at.ada.edit(lost.title, _BEFORE)
    other.hide("comment")

    assert lost.again() == Posted(lost.revision)
    fresh = post_to(lost.title)
    outcome = at.attempt(fresh, before=lost.began, tries=2)
    assert isinstance(outcome, Posted)


# --- a wiki that is behind ----------------------------------------------------------


@dataclass
class _Behind:
    """A session with a wiki whose lists are behind its pages by `revision` and later."""

    real: WikiSession
    revision: int
    account: str = BOT
    sent: list[Mapping[str, str]] = field(default_factory=list)

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = self.real.ask(parameters)
        query = answer.get("query", {})
        is_list = {"rvuser", "rvlimit"} & parameters.keys()
        for each in query.get("pages", ()) if is_list else ():
            if "revisions" in each:
                each["revisions"] = self._known(each["revisions"])
        if "usercontribs" in query:
            query["usercontribs"] = self._known(query["usercontribs"])
        return answer

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        self.sent.append(parameters)
        return self.real.edit(parameters)

    def end(self) -> None:
        self.real.end()

    def _known(self, edits: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [each for each in edits if each["revid"] < self.revision]


def _behind(lost: _Lost) -> Outcome:
    session = _Behind(lost.at.session(), lost.revision)
    late_gate = Gate(session, RULES, now=lambda: datetime.now(UTC))
    return late_gate.attempt(tried(lost.post, before=lost.began, tries=2))


def test_the_key_in_the_page_counts_where_its_lists_are_behind(lost: _Lost) -> None:
    outcome = _behind(lost)

    assert outcome == Posted(lost.revision)
    assert lost.copies() == 1


def test_where_others_wrote_since_the_revision_is_not_made_up(lost: _Lost) -> None:
    lost.at.ada.edit(lost.title, f"{lost.at.ada.text(lost.title)}\n: Thanks.")

    outcome = _behind(lost)

    assert outcome == Posted(0), "it stands there, and nobody knows since when"
    assert lost.copies() == 1


def test_nothing_is_concluded_from_a_history_that_is_behind(lost: _Lost) -> None:
    lost.at.ada.edit(lost.title, _BEFORE)

    outcome = _behind(lost)

    assert isinstance(outcome, Unclear)
    assert lost.copies() == 0
    assert lost.again() == Posted(lost.revision)


# --- moved pages --------------------------------------------------------------------


@pytest.mark.parametrize("redirect", [{}, {"noredirect": "1"}], ids=["left", "none"])
@pytest.mark.parametrize("hidden", ["", "content|comment"])
def test_a_page_that_was_moved_and_recreated_gets_no_second_copy(
    at: Place, lost: _Lost, redirect: dict[str, str], hidden: str
) -> None:
    _move(at, lost.title, f"{lost.title} (archive)", **redirect)
    at.ada.edit(lost.title, "== Anew ==\nLet us begin again.")
    if hidden:
        at.ada.edit(f"{lost.title} (archive)", "Nothing.")
        parameters = {"type": "revision", "target": f"{lost.title} (archive)"}
        at.admin.post(
            "revisiondelete", **parameters, ids=str(lost.revision), hide=hidden
        )

    outcome = lost.again()

    if hidden:
        assert isinstance(outcome, Parked)
    else:
        assert outcome == Posted(lost.revision)
    assert lost.copies() == 0


# --- clocks -------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [-2, 26])
@pytest.mark.parametrize("then", ["taken away", "deleted and made anew"])
def test_a_wrong_clock_makes_no_second_copy(
    at: Place, page: str, store: Store, hours: int, then: str
) -> None:
    """The publisher's clock is wrong from the first try on; the wiki's is not."""
    _delete(at, page)  # before the first try: it says nothing of the post
    at.ada.edit(page, _BEFORE)
    off = timedelta(hours=hours)
    expected_post = post_to(page, asked_at=datetime.now(UTC) + off)
    store.outbox.ask(expected_post)

    def publish(session: WikiSession | Losing, later_s: float) -> Outcome | None:
        publisher = Publisher(
            expected_post.wiki,
            store.outbox,
            gate_of(session, store.outbox),
            lambda: datetime.now(UTC) + off + timedelta(seconds=later_s),
            lambda: 0.0,
        )
        return publisher.publish_once()

    assert isinstance(publish(Losing(at.session()), 0), Unclear)
    [edit] = [
        e for e in at.ada.edits_of(BOT) if e.get("comment") == expected_post.summary
    ]
    if then == "taken away":
        at.ada.edit(page, _BEFORE)
    else:
        _delete(at, page)
        at.ada.edit(page, _BEFORE)

    outcome = publish(at.session(), 60)

    [intended_post] = store.outbox.posts()
    if then == "taken away":
        assert outcome == Posted(edit["revid"])
        assert intended_post.state is PostState.POSTED
    else:
        assert isinstance(outcome, Refused)
        assert intended_post.refusal is Refusal.DELETED
    assert expected_post.change.text.strip() not in at.ada.text(page)
