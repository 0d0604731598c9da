"""The judge sees a note that is lost, one that is posted twice, and a post made twice."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import delete

from bot.records.posts import Posted
from bot.store import Store, open_store
from bot.store.schema import shown_notes
from bot.wiki.keys import Keys, short_name, with_key
from handlers.edits.finding import EXAMPLE
from handlers.findings import Suggestion
from handlers.model import CheckKind, Flag, PageId
from tests.bot.store.made_posts import post
from tests.bot.store.runs import NOON, WIKI, run, suggestion
from tests.torture.pipeline.judging import Judge, unrecorded
from tests.torture.pipeline.people import BOT, OURS, People
from tests.torture.pipeline.scene import TALKED, TITLES, articles
from tests.torture.pipeline.stage import SECRET, Stage

_SURE = Flag(CheckKind.NOT_SUPPORTED, 0.98, 0.97)
_KEYS = Keys((SECRET.encode(),))
_REPORT = "User:Alice/Sidenote report"
_TALK = f"Talk:{TALKED[0]}"


def _note(identity: str) -> str:
    name = identity[:24]
    return f"* <!-- sidenote note {name}.{name} -->A note."


@dataclass
class _Wiki:
    """Pages with their revisions, read as an `Editor` reads them."""

    name: str = "Alice"
    pages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def save(self, user: str, title: str, text: str, comment: str = "") -> int:
        states = self.pages.setdefault(title, [])
        number = sum(map(len, self.pages.values())) + 1
        slots = {"main": {"content": text}}
        parent = states[-1]["revid"] if states else 0
        states.append(
            {
                "revid": number,
                "parentid": parent,
                "user": user,
                "comment": comment,
                "slots": slots,
            }
        )
        return number

    def read(self, title: str) -> tuple[str, str]:
        states = self.pages.get(title)
        if not states:
            return "", ""
        return states[-1]["slots"]["main"]["content"], str(states[-1]["revid"])

    def get(self, **query: str) -> dict[str, Any]:
        if query.get("list") == "usercontribs":
            pages = [
                {"title": title, "ns": 3, "revid": each["revid"]}
                for title, states in self.pages.items()
                for each in states
                if each["user"] == BOT
            ]
            return {"query": {"usercontribs": pages}}
        return {"query": {"pages": [{"revisions": self.pages[query["titles"]]}]}}


@dataclass
class _Scene:
    """All is right: an article says something wrong, and both pages tell it."""

    store: Store
    judge: Judge
    wiki: _Wiki
    identities: tuple[str, ...]

    def tell(self, title: str, text: str, name: str, adds: tuple[str, ...] = ()) -> int:
        """Let the bot post, as its database knows it."""
        intended_post = replace(post(name, adds), title=title)
        self.store.outbox.ask(intended_post)
        attempt = self.store.outbox.begin(NOON)
        assert attempt is not None
        comment = with_key("Notes", short_name(intended_post.name), _KEYS)
        revision_id = self.wiki.save(BOT, title, text, comment)
        self.store.outbox.settle(attempt, Posted(revision_id), NOON)
        return revision_id

    def wrong(self) -> list[str]:
        return self.judge.judge().wrong


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[_Scene]:
    wiki, written = _Wiki(), articles()
    article = written[TALKED[0]]
    for each in article.sentences[:2]:
        each.wrong = each.number
    recorder = SimpleNamespace(host=WIKI, writes=[], lost=0, outside=list)
    log = tmp_path / "log"
    log.write_text("")
    with open_store(f"sqlite:///{tmp_path / 'x.sqlite'}") as store:
        identities = []
        for title in TITLES:
            number = wiki.save("Bob", title, written[title].text("http://x"))
            page = PageId(WIKI, title, revision_id=number)
            found = [_found(each, page) for each in written[title].wrong]
            identities += [each.identity for each in found]
            store.save_check(run(number, title=title), found)
        people = People(cast(Any, wiki), cast(Any, wiki), written, "http://x", seed=1)
        people.reports = {_REPORT: cast(Any, wiki)}
        people._pages = {"Alice": TALKED}
        stage = cast(Stage, SimpleNamespace(recorder=recorder, log=log))
        new_scene = _Scene(store, Judge(stage, store, people), wiki, tuple(identities))
        both = "\n".join(map(_note, new_scene.identities))
        new_scene.tell(_TALK, f"{OURS} ==\n{both}", "talk", new_scene.identities)
        new_scene.tell(_REPORT, _block(both), "report", new_scene.identities)
        yield new_scene


def _found(claim: str, page: PageId, flag: Flag | None = _SURE) -> Suggestion:
    identity = sha256(claim.encode()).hexdigest()
    return suggestion(claim, page=page, identity=identity, flag=flag)


def _block(notes: str) -> str:
    return f"<!-- sidenote begin report x -->\n{notes}\n<!-- sidenote end report -->"


def test_where_all_is_right_nothing_is_wrong(scene: _Scene) -> None:
    assert len(scene.identities) == 2
    assert scene.wrong() == []


def test_a_note_that_we_lost_is_seen_on_either_page(scene: _Scene) -> None:
    first = _note(scene.identities[0])
    scene.tell(_TALK, f"{OURS} ==\n{first}", "talk 2")
    scene.tell(_REPORT, _block(first), "report 2")

    assert scene.wrong() == [
        f"{_REPORT}: 0 notes too many, 1 missing",
        f"{_TALK}: 1 notes that were posted are not there",
    ]


def test_a_note_that_was_never_posted_is_found_unless_people_wrote_in_the_section(
    scene: _Scene,
) -> None:
    title = TALKED[0]
    number = scene.wiki.save("Bob", title, "changed")
    page = PageId(WIKI, title, revision_id=number)
    article = scene.judge.people.articles[title]
    article.sentences[2].wrong = article.sentences[2].number
    found = [_found(each, page) for each in article.wrong]
    scene.store.save_check(run(number, title=title), found)
    every = "\n".join(_note(each.identity) for each in found)
    scene.tell(_REPORT, _block(every), "report 2", (found[2].identity,))
    both = "\n".join(map(_note, scene.identities))

    assert scene.wrong() == [f"{_TALK}: 1 notes are missing"]
    scene.wiki.save("Bob", _TALK, f"{OURS} ==\n{both}\n: I have looked at these.")
    scene.judge.verdict.wrong.clear()

    assert scene.wrong() == []


def test_what_is_too_unsure_to_be_flagged_is_not_missed(scene: _Scene) -> None:
    title = TALKED[0]
    number = scene.wiki.save("Bob", title, "changed")
    page = PageId(WIKI, title, revision_id=number)
    article = scene.judge.people.articles[title]
    article.sentences[2].wrong = article.sentences[2].number
    *sure, unsure = article.wrong
    found = [*(_found(each, page) for each in sure), _found(unsure, page, flag=None)]
    scene.store.save_check(run(number, title=title), found)

    assert scene.wrong() == []


def test_a_note_that_stands_there_twice_is_seen(scene: _Scene) -> None:
    notes = "\n".join(map(_note, (*scene.identities, scene.identities[0])))
    posted = scene.tell(_TALK, f"{OURS} ==\n{notes}", "talk 2")

    assert scene.wrong() == [f"{_TALK}, revision {posted}: a note stands there twice"]


def test_a_note_that_was_posted_twice_is_found(scene: _Scene) -> None:
    both = "\n".join(map(_note, scene.identities))
    scene.tell(_TALK, f"{OURS} ==\n{both}", "talk 2", scene.identities[:1])

    [fault] = scene.wrong()
    assert "was posted 2 times" in fault


def test_a_note_that_is_not_recorded_as_shown_is_seen(scene: _Scene) -> None:
    database = scene.store._database
    database.write(lambda connection: connection.execute(delete(shown_notes)))

    assert f"{_REPORT}: 2 notes are not recorded as shown" in scene.wrong()
    assert len(list(unrecorded(scene.store))) == 2


def test_a_dry_run_that_writes_is_seen_and_one_that_shows_nothing(
    scene: _Scene,
) -> None:
    assert scene.judge.judge_dry().wrong == ["a dry run showed no post"]
    scene.judge.stage.recorder.writes.append(cast(Any, SimpleNamespace(request="edit")))
    scene.judge.verdict.wrong.clear()

    assert scene.judge.judge_dry().wrong[0] == "a dry run wrote: edit"


def test_a_post_that_was_made_twice_is_seen(scene: _Scene) -> None:
    states = scene.wiki.pages[_TALK]
    text, _ = scene.wiki.read(_TALK)
    again = scene.wiki.save(BOT, _TALK, f"{text} ", states[-1]["comment"])

    first, second = scene.wrong()
    assert first.startswith("2 revisions of post")
    assert second.startswith(f"revision {again} is not known to be posted")


def test_a_post_that_never_came_to_be_is_seen(scene: _Scene) -> None:
    del scene.wiki.pages[_REPORT]

    faults = scene.wrong()
    assert any(
        "is said to be posted, and is not on the wiki" in each for each in faults
    )


def test_a_change_that_was_not_checked_is_found(scene: _Scene) -> None:
    text, _ = scene.wiki.read(TITLES[0])
    scene.wiki.save("Bob", TALKED[0], text)

    assert scene.wrong() == [f"the last change of {TALKED[0]} was not looked at"]


@pytest.mark.parametrize(
    ("is_away", "noted", "fault"),
    [
        (True, True, []),
        (True, False, ["1 edits away from a source are not noted"]),
        (False, True, ["1 notes of edits stand though reverted"]),
    ],
)
def test_an_edit_away_from_its_source_has_a_note_until_it_is_reverted(
    scene: _Scene, fault: list[str], *, is_away: bool, noted: bool
) -> None:
    title = TALKED[0]
    number = scene.wiki.save("Bob", title, "changed")
    page = PageId(WIKI, title, revision_id=number)
    article = scene.judge.people.articles[title]
    article.sentences[0].wrong, article.sentences[0].away = 0, 7
    [words] = article.away
    edit = _found(words, page)
    if noted:
        edit = replace(edit, finding=EXAMPLE)
    article.sentences[0].away = 7 * is_away
    rest = [_found(each, page) for each in article.wrong if each != words]
    scene.store.save_check(run(number, title=title), [edit, *rest])

    found = [each for each in scene.wrong() if "edits" in each]
    assert found == [f"{title}: {each}" for each in fault]
