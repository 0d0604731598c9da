"""On a real MediaWiki, Bob tries to have Alice save his text; none of it signs him in.

Bob begins each sign-in in Alice's name, so he holds its secret. All he lacks is an edit
of hers that brings the text in.
"""

import asyncio
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from bot.records.accounts import RefusedError
from bot.store import open_store
from gadget.identity import Begun
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, PASSWORD, Person
from tests.gadget.identity.place import HELD
from tests.gadget.identity.proving import Place
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.mediawiki import Wiki

pytestmark = pytest.mark.mediawiki
_numbers = count(1)
_DUMP = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">
<page><title>{title}</title><ns>2</ns><id>1</id><revision><id>1</id>
<timestamp>{at}</timestamp><contributor><username>{user}</username><id>2</id></contributor>
<comment>{comment}</comment><model>wikitext</model><format>text/x-wiki</format>
<text xml:space="preserve">{text}</text></revision></page></mediawiki>"""


@pytest.fixture(scope="module")
def people(wiki: Wiki) -> tuple[Person, Person]:
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    # Who hides versions is in that group.
    admin.post("userrights", "userrights", user=ADMIN, add="suppress")
    return admin, Person(wiki.host, "Bob of Westmere").make_account().log_in()


@pytest.fixture
def at(wiki: Wiki, people: tuple[Person, Person], tmp_path: Path) -> Iterator[Place]:
    """Return the place, with an Alice who has signed in nowhere before."""
    admin, bob = people
    alice = Person(wiki.host, f"Alice the {next(_numbers)}.").make_account().log_in()
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield Place(wiki.host, store, admin, alice, bob)


async def refused(at: Place, sign_in: Begun) -> str:
    """Return why the sign-in came to nothing; it has to have ended for good."""
    with pytest.raises(RefusedError) as first:
        await at.sign_ins.finish(sign_in.state, HELD)
    with pytest.raises(RefusedError) as again:
        await at.sign_ins.finish(sign_in.state, HELD)
    assert str(again.value) == str(first.value)
    return str(first.value)


def vandalised(at: Place, sign_in: Begun) -> int:
    """Let Bob save the text, and then something else; return that revision."""
    at.save(at.bob, sign_in)
    return at.bob.edit(sign_in.page or "", "Vandalised.")


async def test_undoing_his_vandalism(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    bad = vandalised(at, sign_in)
    at.alice.post("edit", title=sign_in.page or "", undo=str(bad))

    assert "by someone else" in await refused(at, sign_in)


async def test_rolling_back_a_vandal(at: Place) -> None:
    sign_in = await at.begin(ADMIN)
    at.save(at.bob, sign_in)
    at.alice.edit(sign_in.page or "", "Vandalised.")
    token = at.admin.get(action="query", meta="tokens", type="rollback")
    at.admin.web.post(
        f"http://{at.host}/w/api.php",
        data={
            "action": "rollback",
            "title": sign_in.page or "",
            "user": at.alice.name,
            "token": token["query"]["tokens"]["rollbacktoken"],
            "format": "json",
        },
    )
    assert at.admin.text(sign_in.page or "") == sign_in.text

    assert "by someone else" in await refused(at, sign_in)


async def test_undoing_the_undoing_of_her_undo(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    page = sign_in.page or ""
    at.alice.edit(page, "My page.")
    text = at.bob.edit(
        page, f"My page.\n\n{sign_in.text}", summary=sign_in.summary or ""
    )
    undone = at.alice.post("edit", title=page, undo=str(text))["edit"]["newrevid"]
    at.bob.post("edit", title=page, undo=str(undone))
    bad = at.bob.edit(page, "Vandalised.")
    at.alice.post("edit", title=page, undo=str(bad))

    assert "by someone else" in await refused(at, sign_in)


async def test_restoring_an_old_version(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    vandalised(at, sign_in)
    at.alice.edit(sign_in.page or "", sign_in.text or "", summary="Restored my page")

    assert "by someone else" in await refused(at, sign_in)


async def test_restoring_an_old_version_with_his_summary(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    vandalised(at, sign_in)
    at.save(at.alice, sign_in)

    assert "by someone else" in await refused(at, sign_in)


async def test_undoing_what_he_did_to_her_own_text(at: Place) -> None:
    """The first edit is Alice's, and nobody asked in time; her undo is no second one."""
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)
    bad = at.bob.edit(sign_in.page or "", "Vandalised.")
    at.alice.post("edit", title=sign_in.page or "", undo=str(bad))

    assert "by someone else" in await refused(at, sign_in)


async def test_her_own_second_edit(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)
    at.alice.edit(sign_in.page or "", "Not yet.")
    at.save(at.alice, sign_in)

    assert "more than once" in await refused(at, sign_in)


async def test_taking_her_own_text_away(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)
    at.alice.edit(sign_in.page or "", "I have thought better of it.")

    assert "was removed" in await refused(at, sign_in)


async def test_a_text_that_he_left_in_pieces_and_she_mends(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    broken = (
        (sign_in.text or "").replace("asked", "asked VANDALS").replace("code", "co de")
    )
    at.bob.edit(sign_in.page or "", broken)
    at.save(at.alice, sign_in)

    assert "by someone else" in await refused(at, sign_in)


async def test_a_page_of_his_whose_history_was_merged_into_hers(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    aside = f"User:{at.bob.name}/Aside {next(_numbers)}"
    at.save(at.bob, sign_in, title=aside)
    await asyncio.sleep(1.1)  # only what is older is merged, and wikis count in seconds
    at.alice.edit(sign_in.page or "", "My page.")
    at.admin.post("mergehistory", **{"from": aside, "to": sign_in.page or ""})
    at.alice.edit(sign_in.page or "", sign_in.text or "", summary=sign_in.summary or "")

    assert "by someone else" in await refused(at, sign_in)


async def test_a_page_of_his_that_was_moved_to_her_title(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    aside = f"User:{at.bob.name}/Aside {next(_numbers)}"
    at.save(at.bob, sign_in, title=aside)
    bad = at.bob.edit(aside, "Vandalised.")
    at.admin.post(
        "move", **{"from": aside, "to": sign_in.page or "", "noredirect": "1"}
    )
    at.alice.post("edit", title=sign_in.page or "", undo=str(bad))

    assert "by someone else" in await refused(at, sign_in)


async def test_a_page_that_she_moves_to_her_title(at: Place) -> None:
    at.admin.post("delete", title=f"User:{ADMIN}/Sidenote sign-in", reason="x")
    sign_in = await at.begin(ADMIN)
    aside = f"User:{at.bob.name}/Aside {next(_numbers)}"
    at.save(at.bob, sign_in, title=aside)
    at.admin.post(
        "move", **{"from": aside, "to": sign_in.page or "", "noredirect": "1"}
    )

    assert "by someone else" in await refused(at, sign_in)


async def test_her_own_edit_elsewhere_moved_to_her_title(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    aside = f"User:{at.alice.name}/Aside"
    at.save(at.alice, sign_in, title=aside)
    at.admin.post(
        "move", **{"from": aside, "to": sign_in.page or "", "noredirect": "1"}
    )

    await refused(at, sign_in)


async def test_a_page_that_was_moved_away_and_made_again(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in)
    aside = f"User:{at.bob.name}/Aside {next(_numbers)}"
    at.admin.post(
        "move", **{"from": sign_in.page or "", "to": aside, "noredirect": "1"}
    )
    at.save(at.alice, sign_in)

    assert "moved, deleted" in await refused(at, sign_in)


async def test_a_page_that_was_deleted_and_made_again(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in)
    at.admin.post("delete", title=sign_in.page or "", reason="x")
    at.save(at.alice, sign_in)

    assert "moved, deleted" in await refused(at, sign_in)


async def test_a_page_that_was_deleted_and_restored(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    bad = vandalised(at, sign_in)
    at.admin.post("delete", title=sign_in.page or "", reason="x")
    at.admin.post("undelete", title=sign_in.page or "", reason="x")
    at.alice.post("edit", title=sign_in.page or "", undo=str(bad))

    await refused(at, sign_in)


async def test_a_page_of_which_only_her_edit_was_restored(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    vandalised(at, sign_in)
    at.save(at.alice, sign_in)
    page = sign_in.page or ""
    [newest] = at.admin.get(
        action="query", titles=page, prop="revisions", rvprop="timestamp|ids"
    )["query"]["pages"][0]["revisions"]
    at.admin.post("delete", title=page, reason="x")
    at.admin.post("undelete", title=page, timestamps=newest["timestamp"])

    await refused(at, sign_in)


async def test_a_version_whose_text_was_hidden(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.bob.edit(sign_in.page or "", f"{sign_in.text}\n\nMore.")
    text = at.admin.get(action="query", titles=sign_in.page or "", prop="revisions")
    number = text["query"]["pages"][0]["revisions"][0]["revid"]
    at.bob.edit(sign_in.page or "", "Vandalised.")
    at.admin.post(
        "revisiondelete", type="revision", ids=str(number), hide="content", reason="x"
    )
    at.save(at.alice, sign_in)

    await refused(at, sign_in)


@pytest.mark.parametrize("stamp", ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"])
async def test_an_imported_revision_in_her_name(at: Place, stamp: str) -> None:
    sign_in = await at.begin(at.alice.name)
    _import(at, sign_in, stamp)

    await refused(at, sign_in)


async def test_undoing_what_stands_after_an_import(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    _import(at, sign_in, "2020-01-01T00:00:00Z")
    bad = at.bob.edit(sign_in.page or "", "Vandalised.")
    at.alice.post("edit", title=sign_in.page or "", undo=str(bad))

    await refused(at, sign_in)


def _import(at: Place, sign_in: Begun, stamp: str) -> None:
    dump = _DUMP.format(
        title=sign_in.page,
        user=at.alice.name,
        text=sign_in.text,
        comment=sign_in.summary,
        at=stamp,
    )
    tokens = at.admin.get(action="query", meta="tokens")["query"]["tokens"]
    answer = at.admin.web.post(
        f"http://{at.host}/w/api.php",
        data={
            "action": "import",
            "interwikiprefix": "w",
            "assignknownusers": "1",
            "token": tokens["csrftoken"],
            "format": "json",
        },
        files={"xml": ("dump.xml", dump, "text/xml")},
    ).json()
    assert answer["import"][0]["revisions"] == 1, answer


@pytest.mark.parametrize("by", ["undo", "hand"])
async def test_a_template_that_becomes_the_text_when_she_saves(
    at: Place, by: str
) -> None:
    """An earlier version holds only what the wiki turns into the text on her save."""
    page = f"User:{at.alice.name}/Sidenote sign-in"
    later = f"User:{at.bob.name}/Later {next(_numbers)}"
    call = f"{{{{subst:{later}}}}}"
    at.bob.edit(page, call)
    bad = at.bob.edit(page, "Vandalised.")
    sign_in = await at.begin(at.alice.name)
    at.bob.edit(later, sign_in.text or "", summary=sign_in.summary or "")
    if by == "undo":
        at.alice.post("edit", title=page, undo=str(bad))
    else:
        at.alice.edit(page, call, summary="Restored my page")
    assert at.alice.text(page) == sign_in.text

    await refused(at, sign_in)


async def test_a_page_that_she_cannot_save_is_said_to_be_protected(at: Place) -> None:
    page = f"User:{at.alice.name}/Sidenote sign-in"
    at.admin.edit(page, "Vandalised.")
    sign_in = await at.begin(at.alice.name)
    at.admin.post("protect", title=page, protections="edit=sysop", expiry="never")

    assert "is protected" in await refused(at, sign_in)
    with pytest.raises(RefusedError, match="is protected"):
        await at.begin(at.alice.name)


async def test_a_title_that_she_cannot_make_is_said_to_be_protected(at: Place) -> None:
    page = f"User:{at.alice.name}/Sidenote sign-in"
    at.admin.post("protect", title=page, protections="create=sysop", expiry="never")

    with pytest.raises(RefusedError, match="is protected"):
        await at.begin(at.alice.name)


async def test_a_page_protected_in_his_version(at: Place) -> None:
    """Protecting a page adds a revision of its own, with the text that stands there."""
    sign_in = await at.begin(ADMIN)
    bad = vandalised(at, sign_in)
    at.admin.post("edit", title=sign_in.page or "", undo=str(bad))
    at.admin.post(
        "protect", title=sign_in.page or "", protections="edit=sysop", expiry="never"
    )

    assert "by someone else" in await refused(at, sign_in)


async def test_an_edit_without_the_summary(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.alice.edit(sign_in.page or "", sign_in.text or "", summary="Hello")

    assert "edit summary" in await refused(at, sign_in)


async def test_more_revisions_than_are_read(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.bob, sign_in)
    for number in range(21):
        at.bob.edit(sign_in.page or "", f"Vandalised {number}.")
    at.save(at.alice, sign_in)

    await refused(at, sign_in)


async def test_what_stands_on_the_page_finishes_nothing(at: Place) -> None:
    sign_in = await at.begin(at.alice.name)
    at.save(at.alice, sign_in)

    public = f"{sign_in.text} {sign_in.summary}"
    assert sign_in.state not in public
    assert HELD not in public
    for word in {*public.split(), public}:
        with pytest.raises(RefusedError, match="not known"):
            await at.sign_ins.finish(sign_in.state, word.strip(",.;()"))
    assert await at.sign_ins.finish(sign_in.state, HELD)
    assert PASSWORD not in public
