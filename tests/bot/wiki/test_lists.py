"""Lists of a real MediaWiki, edited by real accounts."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.records.changes import Change, ChangeKind, UserKind
from bot.wiki.lists import WikiLists
from bot.wiki.pages import ListedUser
from handlers.ports import PermanentError
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.pages import CLOCK, CLOCK_SECOND, HIDDEN

pytestmark = pytest.mark.mediawiki
_AGENT = "SidenoteTests/0 (loopback only)"
_CLOCK = "Harbour Clock of Eastmere"
_WATCHER = "ListedBot"
_TOKEN = "a" * 40
_WATCH = f"User:{_WATCHER}/watch"


@dataclass(frozen=True)
class World:
    """A wiki on which people did what the tests look for, and when they began."""

    host: str
    began: datetime
    admin: Person
    bot: Person


@pytest.fixture(scope="module")
def world(wiki: Wiki) -> Iterator[World]:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    bot = Person(wiki.host, _WATCHER).make_account().log_in()
    lists_world = World(wiki.host, _server_time(admin), admin, bot)
    admin.edit("Category:Lanterns of Eastmere", "Lights.")
    for number in range(4):
        admin.edit(
            f"Lantern Größe {number}", "A light. [[Category:Lanterns of Eastmere]]"
        )
    admin.edit("Template:Infobox lantern", "box")
    admin.edit("Template:Wrapped", "{{Infobox lantern}}")
    admin.edit(
        "Lantern Größe 0",
        "{{Wrapped}} A bright light. [[Category:Lanterns of Eastmere]]",
        minor="1",
    )
    admin.edit("Lantern way", "#REDIRECT [[Lantern Größe 0]]")
    admin.edit(_WATCH, "A template.")
    admin.edit("User:Ada/List", f"{{{{{_WATCH}|pages=X}}}}")
    admin.edit("Talk:Lantern Größe 1", f"{{{{{_WATCH}}}}}")
    bot.edit("User talk:Admin", "Hello.")
    admin.post("move", **{"from": "Lantern Größe 3", "to": "Lantern 3 (old)"})
    admin.post("delete", title="Lantern 3 (old)", reason="x")
    yield lists_world
    admin.web.close()
    bot.web.close()


@pytest.fixture
def lists(world: World) -> WikiLists:
    return WikiLists(
        world.host,
        user_agent=_AGENT,
        account=_WATCHER,
        watchlist_token=_TOKEN,
        timeout_s=60,
    )


def _server_time(person: Person) -> datetime:
    answer = person.get(action="query", curtimestamp="1")
    return datetime.fromisoformat(answer["curtimestamp"])


async def _gathered(changes: AsyncIterator[Change]) -> list[Change]:
    return [change async for change in changes]


async def test_namespaces_are_known_by_every_name(lists: WikiLists) -> None:
    names = await lists.namespaces()

    assert (names.local[0], names.local[2], names.local[3]) == ("", "User", "User talk")
    assert names.names["user talk"] == 3
    assert names.names["image"] == 6  # an alias
    assert "" not in names.names


async def test_the_text_of_a_page_comes_with_its_identity(
    lists: WikiLists, wiki: Wiki
) -> None:
    page = await lists.text_of("harbour_Clock of Eastmere")

    assert page.text == CLOCK.rstrip("\n")
    assert (page.title, page.namespace, page.is_redirect) == (_CLOCK, 0, False)
    assert page.revision_id == wiki.revisions[_CLOCK][-1]
    assert page.page_id
    assert page.content_model == "wikitext"
    assert page.revised_at == datetime(2024, 5, 3, 10, 20, 30, tzinfo=UTC)


async def test_a_revision_is_read_by_its_number(lists: WikiLists, wiki: Wiki) -> None:
    page = await lists.text_of(_CLOCK, wiki.revisions[_CLOCK][1])

    assert page.text == CLOCK_SECOND.rstrip("\n")


async def test_what_a_person_saved_is_told_from_what_others_did(
    lists: WikiLists,
) -> None:
    page = await lists.text_by("User talk:Admin", _WATCHER)

    assert page.text == "Hello."
    assert await lists.text_by("User:Ada/List", _WATCHER) is None
    assert await lists.text_by("User:Nobody/Notes", _WATCHER) is None
    assert await lists.text_by("A|B", _WATCHER) is None


async def test_what_is_missing_hidden_or_no_title_has_no_text(
    lists: WikiLists, wiki: Wiki
) -> None:
    hidden, number = HIDDEN

    assert await lists.text_of("Qqqqq") is None
    assert await lists.text_of("Sunken pier") is None
    assert await lists.text_of("Special:Version") is None
    assert await lists.text_of("A|B") is None
    assert await lists.text_of("a\ud800") is None
    assert await lists.text_of(hidden, wiki.revisions[hidden][number]) is None
    assert await lists.text_of("", 999_999) is None


async def test_many_texts_come_by_the_titles_that_were_asked_for(
    lists: WikiLists, world: World
) -> None:
    assert world.host
    fillers = [f"Nothing at {'ß' * 40} {number}" for number in range(120)]

    texts = await lists.texts_of(
        [
            "lantern_Größe 1",
            *fillers,
            "Lantern way",
            "Lantern Gro\u0308ße 2",
            "MediaWiki:Common.js",
        ]
    )

    assert list(texts) == [
        *("lantern_Größe 1", "Lantern way", "Lantern Gro\u0308ße 2"),
        "MediaWiki:Common.js",
    ]
    assert texts["lantern_Größe 1"].title == "Lantern Größe 1"
    assert texts["Lantern way"].is_redirect
    assert texts["Lantern way"].text.startswith("#REDIRECT")
    assert texts["Lantern Gro\u0308ße 2"].title == "Lantern Größe 2"
    assert texts["MediaWiki:Common.js"].content_model == "javascript"


async def test_pages_on_which_a_template_stands_are_found(lists: WikiLists) -> None:
    assert set(await lists.transclusions_of(_WATCH)) == {
        *("User:Ada/List", "Talk:Lantern Größe 1")
    }
    assert await lists.transclusions_of("User:Nobody/watch") == ()


async def test_members_of_a_category_are_found_up_to_a_number(
    lists: WikiLists,
) -> None:
    category = "Category:Lanterns of Eastmere"

    every = await lists.members_of(category, namespaces=(0,), most=100)
    two = await lists.members_of(category, most=2)
    talk = await lists.members_of(category, namespaces=(1, 3), most=100)

    assert set(every) == {f"Lantern Größe {number}" for number in range(3)}
    assert len(two) == 2
    assert set(two) < set(every)
    assert talk == ()


async def test_the_lists_that_people_have_are_read(
    lists: WikiLists, world: World
) -> None:
    top, edit = "Category:Things of Eastmere", world.admin.edit
    edit(top, "Things.")
    edit("Category:Lanterns of Eastmere", f"Lights. [[{top}]]")
    edit(top, "Things. [[Category:Lanterns of Eastmere]]")  # in a circle
    edit("Talk:Lantern Größe 2", "{{Wrapped}}")

    once = await lists.subcategories_of(top, depth=1, most=9)
    deep = await lists.subcategories_of(top, depth=5, most=9)
    talk = await lists.using("Template:Wrapped", namespaces=(1,), most=9)
    begun = await lists.created_by("Admin", namespaces=(0,), most=99)
    found = await lists.found_by("bright", namespaces=(0,), most=9)
    nobody = await lists.created_by("Nobody at all", most=9)

    assert once == deep == ("Category:Lanterns of Eastmere",)
    assert talk == ("Talk:Lantern Größe 2",)
    assert {"Lantern Größe 0", "Lantern Größe 1"} <= set(begun)
    assert set(found) <= {"Lantern Größe 0"}  # jobs may not have indexed it yet
    assert nobody == ()


async def test_facts_tell_categories_templates_and_redirects(
    lists: WikiLists,
) -> None:
    facts = await lists.facts_of(["lantern Größe 0", "Lantern way", "Qqqqq", ""])

    assert set(facts) == {"lantern Größe 0", "Lantern way"}
    lantern = facts["lantern Größe 0"]
    assert (lantern.title, lantern.namespace) == ("Lantern Größe 0", 0)
    assert lantern.categories == {"Lanterns of Eastmere"}
    assert lantern.templates == {"Infobox lantern", "Wrapped"}
    assert lantern.revision_id
    assert not lantern.is_redirect
    assert facts["Lantern way"].is_redirect


async def test_accounts_are_known_with_their_blocks(
    lists: WikiLists, world: World
) -> None:
    name = "Listed Visitor"
    Person(world.host, name).make_account().web.close()
    world.admin.post("block", user=name, expiry="1 hour", reason="x", nocreate="1")

    watcher = await lists.user(_WATCHER)
    assert (watcher.edit_count, watcher.is_blocked) == (1, False)
    assert watcher.last_edit_at is not None
    assert watcher.last_edit_at >= world.began - timedelta(minutes=5)
    assert await lists.user(name) == ListedUser(name, 0, is_blocked=True)
    assert await lists.user("Nobody at all") is None
    assert await lists.user("127.0.0.1") is None
    assert await lists.user("a|b") is None


async def test_addresses_that_a_wiki_refuses_are_told_from_others(
    lists: WikiLists, world: World
) -> None:
    world.admin.edit("MediaWiki:Spam-blacklist", r"\bbuy\.example\b")
    fine = [f"https://fine.example/{number}?a|b" for number in range(9)]

    refused = await lists.refused_addresses(
        [*fine, "https://buy.example/now", "http://buy.example/ß|c"]
    )

    assert refused == {"https://buy.example/now", "http://buy.example/ß|c"}
    assert await lists.refused_addresses(fine) == frozenset()
    assert await lists.refused_addresses([]) == frozenset()


async def test_the_own_watchlist_is_read_with_its_token(
    lists: WikiLists, world: World
) -> None:
    token = world.bot.post("options", optionname="watchlisttoken", optionvalue=_TOKEN)
    assert token["options"] == "success"
    world.bot.post("watch", "watch", titles="Lantern Größe 1|Lantern Größe 2")

    own = await lists.watchlist((0,))

    assert set(own) == {"Lantern Größe 1", "Lantern Größe 2"}
    assert len(await lists.watchlist()) > len(own)  # their talk pages, and their own
    assert len(await lists.watchlist((0,), most=1)) == 1


async def test_a_wrong_token_is_reported_with_the_remedy(world: World) -> None:
    lists = WikiLists(
        world.host,
        user_agent=_AGENT,
        account=_WATCHER,
        watchlist_token="wrong",  # noqa: S106 - of an account made for a test
    )

    with pytest.raises(PermanentError, match="copy it again") as caught:
        await lists.watchlist()

    assert "wrong" not in str(caught.value)


async def test_edits_of_people_come_with_their_summaries_and_tags(
    lists: WikiLists, world: World, wiki: Wiki
) -> None:
    world.admin.edit("Lantern Größe 1", "A dim light.", summary="dimmed")
    until = _server_time(world.admin) + timedelta(seconds=1)

    found = [edit async for edit in lists.edits(world.began, until, (0,))]

    [dimmed] = [edit for edit in found if edit.comment == "dimmed"]
    assert dimmed.tags == frozenset()
    gone, (title, number) = 10**9, HIDDEN
    hidden = wiki.revisions[title][number]
    tags = await lists.tags_of([dimmed.revision_id, gone, hidden])
    assert tags == {dimmed.revision_id: frozenset()}


async def test_changes_tell_what_was_done_oldest_first(
    lists: WikiLists, world: World
) -> None:
    until = _server_time(world.admin) + timedelta(seconds=1)

    changes = await _gathered(lists.changes(world.began, until))

    lantern = [change for change in changes if change.title == "Lantern Größe 0"]
    assert [(change.kind, change.is_minor) for change in lantern] == [
        *((ChangeKind.NEW, False), (ChangeKind.EDIT, True))
    ]
    first, second = lantern
    assert (first.wiki, first.namespace, first.user) == (
        *(world.host, 0, UserKind.REGISTERED),
    )
    assert first.page_id == second.page_id
    assert [change.changed_at for change in changes] == sorted(
        change.changed_at for change in changes
    )
    assert len({change.event_id for change in changes}) == len(changes)
    [ours] = [change for change in changes if change.title == "User talk:Admin"]
    assert ours.user is UserKind.OURS


async def test_moves_and_deletions_tell_where_a_page_went(
    lists: WikiLists, world: World
) -> None:
    until = _server_time(world.admin) + timedelta(seconds=1)

    changes = await _gathered(lists.changes(world.began, until, (0,)))

    [moved] = [change for change in changes if change.kind is ChangeKind.MOVE]
    assert (moved.title, moved.moved_to) == ("Lantern Größe 3", "Lantern 3 (old)")
    assert "Lantern 3 (old)" in {
        change.title for change in changes if change.kind is ChangeKind.DELETE
    }
    assert {change.namespace for change in changes} == {0}


async def test_changes_keep_to_their_time(lists: WikiLists, world: World) -> None:
    before = world.began - timedelta(days=1)

    assert await _gathered(lists.changes(before, before + timedelta(seconds=5))) == []
    oldest = await lists.oldest_change()
    assert oldest is not None
    assert oldest <= _server_time(world.admin)
