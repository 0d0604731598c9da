"""On a real MediaWiki, Alice signs in by an edit of her own, and Bob never as Alice."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from bot.records.accounts import Browser, Device, RefusedError, SignInWay, System
from bot.store import open_store
from bot.wiki.lists import WikiLists
from gadget.identity import IdentityKeys, Readers
from gadget.identity.readers import sha256_of
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.gadget.identity.place import AGENT, HELD
from tests.gadget.identity.proving import Place
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.mediawiki import Wiki

pytestmark = pytest.mark.mediawiki
_numbers = count(1)
_MINUTE = timedelta(minutes=1)


@pytest.fixture(scope="module")
def people(wiki: Wiki) -> tuple[Person, ...]:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    alice = Person(wiki.host, "Alice of Eastmere").make_account().log_in()
    bob = Person(wiki.host, "Bob of Eastmere").make_account().log_in()
    return admin, alice, bob


@pytest.fixture
def at(wiki: Wiki, people: tuple[Person, ...], tmp_path: Path) -> Iterator[Place]:
    admin, alice, bob = people
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield Place(wiki.host, store, admin, alice, bob)


async def test_whoever_saves_the_text_on_their_own_page_signs_in_once(
    at: Place,
) -> None:
    assert await at.sign_ins.ways(at.host) == (SignInWay.PROOF,)
    sign_in = await at.begin("alice_of Eastmere")
    assert sign_in.page == "User:Alice of Eastmere/Sidenote sign-in"
    assert await at.sign_ins.finish(sign_in.state, HELD) is None

    at.save(at.alice, sign_in)
    signed = await at.sign_ins.finish(sign_in.state, HELD)

    assert signed.user == at.alice.name
    keys = IdentityKeys("of-the-operator-long-enough")
    reader = await Readers(at.store, keys, at.clock, None).who(signed.token)
    assert reader is not None
    [user] = at.alice.get(action="query", list="users", ususers=at.alice.name)["query"][
        "users"
    ]
    assert reader.subject == f"local {user['userid']}"
    with pytest.raises(RefusedError, match="not known"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_bob_does_not_sign_in_as_alice(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in)

    with pytest.raises(RefusedError, match="by someone else"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_bobs_own_page_and_his_own_words_do_not_make_him_alice(
    at: Place,
) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in, title=f"User:{at.bob.name}/Sidenote sign-in")
    at.alice.edit(sign_in.page or "", "Something of Alice's.")

    assert await at.sign_ins.finish(sign_in.state, HELD) is None


async def test_what_alice_saved_before_proves_nothing_later(at: Place) -> None:
    """Bob begins as Alice, whose page still has the text of her own sign-in."""
    hers = await at.begin(at.alice.name)
    at.save(at.alice, hers)
    assert await at.sign_ins.finish(hers.state, HELD)

    his = await at.begin(at.alice.name)

    assert his.text != hers.text
    assert await at.sign_ins.finish(his.state, HELD) is None


async def test_a_page_that_bob_moved_there_is_not_alices(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    aside = f"User:{at.bob.name}/Aside {next(_numbers)}"
    at.admin.post("delete", title=sign_in.page or "", reason="x")
    at.save(at.bob, sign_in, title=aside)
    at.admin.post(
        "move", **{"from": aside, "to": sign_in.page or "", "noredirect": "1"}
    )

    with pytest.raises(RefusedError, match="by someone else"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_text_of_bobs_is_not_alices_because_she_edits_beside_it(
    at: Place,
) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in)
    at.save(at.alice, sign_in, text=f"Who wrote this?\n\n{sign_in.text}")

    with pytest.raises(RefusedError, match="by someone else"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_sign_in_of_another_script_is_not_finished(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)

    with pytest.raises(RefusedError, match="not known"):
        await at.sign_ins.finish(sign_in.state, "guessed")
    assert await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_page_that_leads_elsewhere_is_said_to(at: Place) -> None:
    sign_in = await at.begin(at.bob.name)
    at.save(at.bob, sign_in, text=f"#REDIRECT [[Harbour]]\n{sign_in.text}")

    with pytest.raises(RefusedError, match="is a redirect"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_page_that_was_deleted_ends_it(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)
    at.admin.post("delete", title=sign_in.page or "", reason="x")

    with pytest.raises(RefusedError, match="moved, deleted"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_a_page_that_nobody_saves_is_waited_for_until_the_time_is_up(
    at: Place,
) -> None:
    sign_in = await at.begin(at.alice.name)

    assert await at.sign_ins.finish(sign_in.state, HELD) is None
    at.clock.ahead = 11 * _MINUTE
    with pytest.raises(RefusedError, match="it may be protected"):
        await at.sign_ins.finish(sign_in.state, HELD)


async def test_who_signs_in_learns_of_others_who_tried_in_the_same_name(
    at: Place,
) -> None:
    """Theirs have ended with it; whose they were only the account's owner knows."""
    phone = Device(Browser.SAFARI, System.IOS)
    his = await at.begin(at.alice.name, sha256_of("of Bob's"), phone)
    hers = await at.begin(at.alice.name)
    at.save(at.alice, hers)

    signed = await at.sign_ins.finish(hers.state, HELD)

    assert [(one.begun_at, one.device) for one in signed.others] == [
        (his.begun_at, phone)
    ]
    with pytest.raises(RefusedError, match="ends all other attempts"):
        await at.sign_ins.finish(his.state, "of Bob's")


async def test_the_text_may_stand_among_others(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in, text=f"My page.\n\n{sign_in.text}  \n\nMore.")

    assert await at.sign_ins.finish(sign_in.state, HELD)


async def test_whoever_is_blocked_does_not_begin(at: Place) -> None:
    carl = Person(at.host, f"Carl {next(_numbers)}").make_account().log_in()
    sign_in = await at.begin(carl.name)
    at.save(carl, sign_in)
    at.admin.post("block", user=carl.name, expiry="never", reason="x")

    with pytest.raises(RefusedError, match="is blocked"):
        await at.sign_ins.finish(sign_in.state, HELD)
    with pytest.raises(RefusedError, match="is blocked"):
        await at.begin(carl.name)


@pytest.mark.parametrize(
    "name",
    [
        "Nobody of this name",
        "127.0.0.1",
        "Alice of Eastmere/sub",
        "Bob of Eastmere/../Alice of Eastmere",
        "Alice of Eastmere#x",
        "Alice of Eastmere|Bob of Eastmere",
        "Alice of Eastmere\nx",
        "ALICE OF EASTMERE",
        "\ud800",
        "",
    ],
)
async def test_a_name_that_is_no_account_is_refused(at: Place, name: str) -> None:
    with pytest.raises(RefusedError):
        await at.begin(name)


async def test_the_wiki_is_not_asked_more_often_than_every_two_seconds(
    at: Place,
) -> None:
    statements: list[str] = []
    sign_ins = at.sign_ins

    class _Counting(WikiLists):
        async def recent_history(self, title: str) -> None:
            statements.append(title)

    lists = _Counting(at.host, user_agent=AGENT)
    sign_ins = replace(sign_ins, pages=lambda _: lists)
    sign_in = await sign_ins.begin(
        at.host, SignInWay.PROOF, sha256_of(HELD), at.alice.name
    )

    for _ in range(5):
        assert await sign_ins.finish(sign_in.state, HELD) is None
    at.clock.ahead = timedelta(seconds=2)
    await sign_ins.finish(sign_in.state, HELD)

    assert len(statements) == 3  # one of them before the text was given out
