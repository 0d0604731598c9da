"""A deployment writes its own pages, and no article whoever asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.posts import NotNow, Posted, Refusal, Refused, Unclear
from bot.wiki.answers import NoAnswer, NotSent
from bot.wiki.pages import namespaces
from bot.writing.allowed_pages import place
from bot.writing.interface_gate import PAGES, InterfaceGate
from handlers.ports import PermanentError

BOT = "SidenoteBot"
PAGE = "MediaWiki:Gadget-sidenote.js"


@dataclass
class Session:
    """A wiki with one page, which says what it is told to."""

    page: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] | Exception = field(
        default_factory=lambda: {"edit": {"result": "Success", "newrevid": 8}}
    )
    normalized: list[dict[str, str]] = field(default_factory=list)
    account: str = "Admin"
    requests: int = 0
    sent: list[dict[str, str]] = field(default_factory=list)

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        self.requests += 1
        shown = {"title": parameters["titles"][1:], **self.page}
        return {
            "curtimestamp": "2026-01-01T00:00:00Z",
            "query": {
                "pages": [shown],
                "normalized": self.normalized,
                "tokens": {"csrftoken": "t+\\"},
            },
        }

    def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        self.sent.append(dict(parameters))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def end(self) -> None:
        raise AssertionError("nobody asked for it")


def script(text: str = "old", **more: Any) -> dict[str, Any]:
    newest = {"revid": 7, "slots": {"main": {"content": text}}}
    return {"ns": 8, "contentmodel": "javascript", "revisions": [newest], **more}


def refuse(session: Session, title: str) -> str:
    gate = InterfaceGate(session, BOT)
    with pytest.raises(PermanentError) as refused:
        gate.write(title, "text", "summary", base=7)
    with pytest.raises(PermanentError):
        gate.pages([title])
    assert not session.sent
    return str(refused.value)


@pytest.mark.parametrize(
    "title",
    [
        "Oslo",
        "Main Page",
        "Talk:Oslo",
        "Template:Cite web",
        "Project:Sidenote",
        "MediaWiki:Common.js",
        "MediaWiki:Sidenote.json",
        "MediaWiki:Gadget-other.js",
        "MediaWiki:Gadget-sidenote.js/x",
        "mediaWiki:Gadget-sidenote.js",
        "MediaWiki:Gadget-sidenote.js|Oslo",
        "User:SidenoteBot",
        "User:SidenoteBotX/note",
        "User:Alice/note",
        "User:SidenoteBot/Run",
        "User:SidenoteBot/Run/talk",
        "User:SidenoteBot/../Alice",
        "User:SidenoteBot/a\x1fOslo",
        "",
    ],
)
def test_other_pages_are_refused_before_the_wiki_is_asked(title: str) -> None:
    session = Session(script())
    assert "not a page of the gadget" in refuse(session, title)
    assert session.requests == 0


@given(st.text())
def test_no_title_but_the_known_ones_gets_through(title: str) -> None:
    if title not in PAGES and not title.startswith(f"User:{BOT}/"):
        refuse(Session(script()), title)


@pytest.mark.parametrize(
    "page",
    [
        script(ns=0),
        script(ns=4),
        script(redirect=True),
        script(contentmodel="wikitext"),
        script(invalid=True),
        script(title="MediaWiki:Common.js"),
        {"ns": 8, "contentmodel": "javascript", "revisions": [{"revid": 7}]},
    ],
)
def test_a_page_that_the_wiki_takes_for_another_is_refused(
    page: dict[str, Any],
) -> None:
    refuse(Session(page), PAGE)


def test_the_wikis_own_name_of_a_namespace_will_do() -> None:
    title, local = f"User:{BOT}/note", f"Benutzer:{BOT}/note"
    page = {"ns": 2, "contentmodel": "wikitext", "missing": True, "title": local}
    session = Session(page, normalized=[{"from": title, "to": local}])
    gate = InterfaceGate(session, BOT)
    assert gate.write(title, "text", "summary", base=0) == Posted(8)
    assert session.sent[0]["title"] == local


def test_a_write_is_bound_to_the_revision_that_was_read() -> None:
    session = Session(script())
    gate = InterfaceGate(session, BOT)
    assert gate.pages([PAGE])[PAGE].text == "old"
    assert gate.write(PAGE, "new", "why", base=7) == Posted(8)
    [sent] = session.sent
    assert sent["baserevid"] == "7"
    assert sent["nocreate"] == "1"
    assert list(sent)[-1] == "token"
    assert "bot" not in sent


def test_a_page_that_was_edited_meanwhile_is_not_written() -> None:
    session = Session(script())
    for base in (6, 0):
        outcome = InterfaceGate(session, BOT).write(PAGE, "new", "why", base=base)
        assert outcome == NotNow("the page was edited in the meantime", 2.0)
    assert not session.sent


def test_a_new_page_is_only_made() -> None:
    session = Session({"ns": 8, "contentmodel": "javascript", "missing": True})
    InterfaceGate(session, BOT).write(PAGE, "new", "why", base=0)
    assert session.sent[0]["createonly"] == "1"
    assert "baserevid" not in session.sent[0]


def test_a_lost_answer_is_looked_for_and_never_sent_again() -> None:
    lost = NoAnswer("lost", retry_in_s=1)
    there = Session(script("new"), lost)
    assert InterfaceGate(there, BOT).write(PAGE, "new", "why", base=7) == Posted(7)
    assert len(there.sent) == 1
    gone = Session(script("old"), lost)
    result = InterfaceGate(gone, BOT).write(PAGE, "new", "why", base=7)
    assert isinstance(result, Unclear)
    assert len(gone.sent) == 1


def test_what_the_wiki_refuses_is_said() -> None:
    denied = {"error": {"code": "permissiondenied", "info": "No rights."}}
    gate = InterfaceGate(Session(script(), denied), BOT)
    outcome = gate.write(PAGE, "new", "why", base=7)
    assert outcome == Refused(Refusal.PROTECTED, "permissiondenied: No rights.")
    unsent = Session(script(), NotSent("no way", retry_in_s=9))
    result = InterfaceGate(unsent, BOT).write(PAGE, "new", "why", base=7)
    assert result == NotNow("no way", 9)


@pytest.mark.parametrize("title", PAGES)
def test_the_gate_of_posts_takes_none_of_these_pages(title: str) -> None:
    assert isinstance(place(title, namespaces().local, f"{BOT}/Run"), Refused)
