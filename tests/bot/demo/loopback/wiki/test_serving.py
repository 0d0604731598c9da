"""The wiki of the demo as programs and people find it."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aiohttp
import pytest

from bot.app.wiring.demo import BOT, BOT_TOKEN, TASKS, demo_seeds
from bot.demo.loopback.event_server import EventServer
from bot.demo.loopback.wiki.code import installed_code, preferred_code
from bot.demo.loopback.wiki.seeds import SeedPage, dump, namespace_of
from bot.demo.loopback.wiki.serving import Wiki, get, require_free, serve_wiki
from bot.wiki.address import parse_address
from bot.wiki.session import Account, WikiSession
from handlers.ports import PermanentError
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, PASSWORD, Person
from tests.rig.service import absent
from tests.rig.wiki.mediawiki import serve_wiki as serve_test_wiki
from tests.rig.wiki.recorder import Recorder

pytestmark = pytest.mark.mediawiki
_CODE = installed_code()


@pytest.mark.parametrize(
    ("name", "password", "groups"),
    [
        (ADMIN, ADMIN_PASSWORD, {"sysop", "bureaucrat", "interface-admin"}),
        ("Alice", PASSWORD, set()),
        ("Bob", PASSWORD, set()),
        (BOT, PASSWORD, {"bot"}),
    ],
)
def test_the_accounts_can_log_in(
    fresh: Wiki, name: str, password: str, groups: set[str]
) -> None:
    person = Person(fresh.host, name).log_in(password)

    content = person.get(action="query", meta="userinfo", uiprop="groups")

    person.web.close()
    everybody = {"*", "user", "autoconfirmed"}
    assert content["query"]["userinfo"]["name"] == name
    assert groups == set(content["query"]["userinfo"]["groups"]) - everybody


def test_the_bot_logs_in_with_its_bot_password_and_may_run(
    recorder: Recorder, fresh: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    account = Account(BOT, f"{BOT}@sidenote", BOT_TOKEN)
    session = WikiSession(
        parse_address(recorder.host),
        account,
        user_agent="SidenoteTests/0 (loopback only)",
        folder=tmp_path,
    )

    content = session.ask({"meta": "userinfo", "uiprop": "rights"})
    stops = session.ask(
        {
            "titles": "|".join(f"User:{BOT}/Run/{task}" for task in TASKS),
            "prop": "revisions",
            "rvprop": "content",
            "rvslots": "main",
        }
    )

    session.end()
    rights = set(content["query"]["userinfo"]["rights"])
    assert {"bot", "edit", "writeapi", "createtalk"} - rights <= {"writeapi"}
    assert not rights & {"delete", "protect", "editinterface"}
    texts = [
        page["revisions"][0]["slots"]["main"]["content"]
        for page in stops["query"]["pages"]
    ]
    assert texts == ["run"] * len(TASKS)
    assert fresh.version in {code.version for code in _CODE}


async def test_an_edit_is_on_the_feed_within_a_second_in_wikimedias_form(
    fresh: Wiki, changes_port: int, recorder: Recorder
) -> None:
    async with EventServer() as server:
        await server.listen(changes_port)
        async with (
            aiohttp.ClientSession(headers={"User-Agent": "test"}) as web,
            web.get(f"{server.address}recentchange") as stream,
        ):
            assert await stream.content.readuntil(b"\n\n") == b":ok\n\n"
            alice = Person(fresh.host, "Alice")
            revision = await asyncio.to_thread(
                alice.edit, "Parasitic ant", "An ant. Größe 🕰", summary="less"
            )
            async with asyncio.timeout(1):
                frame = await stream.content.readuntil(b"\n\n")
        alice.web.close()

    lines = [line.partition(": ") for line in frame.decode().splitlines()]
    assert [name for name, _, _ in lines if name] == ["event", "id", "data"]
    event = json.loads(lines[2][2])
    assert (event["title"], event["type"]) == ("Parasitic ant", "edit")
    assert event["comment"] == "less"
    [first] = fresh.revisions["Parasitic ant"]
    assert event["revision"] == {"old": first, "new": revision}
    assert event["meta"]["domain"] == recorder.host


def test_a_template_put_on_a_page_is_listed_at_once(fresh: Wiki) -> None:
    alice = Person(fresh.host, "Alice").log_in()
    alice.edit("User:Alice/Watch", f"{{{{User:{BOT}/watch|pages=Parasitic ant}}}}")

    content = alice.get(
        action="query", list="embeddedin", eititle=f"User:{BOT}/watch", eilimit="max"
    )

    alice.web.close()
    assert "User:Alice/Watch" in [
        page["title"] for page in content["query"]["embeddedin"]
    ]


def test_a_reset_takes_everything_back_and_keeps_sessions(
    fresh: Wiki, admin: Person
) -> None:
    alice = Person(fresh.host, "Alice").log_in()
    before = alice.text("Parasitic ant")
    for title in ("Parasitic ant", "Talk:Parasitic ant"):
        alice.edit(title, "Something else.")
    admin.post("block", user="Bob", reason="x")
    newest = alice.edit("Talk:New", "New.")

    fresh.reset()

    assert alice.text("Parasitic ant") == before
    gone = alice.get(action="query", titles="Talk:Parasitic ant|Talk:New")
    assert all(page.get("missing") for page in gone["query"]["pages"])
    blocks = admin.get(action="query", list="blocks")
    assert blocks["query"]["blocks"] == []
    # Who was logged in still is, and the numbers of revisions are given again.
    firsts = [alice.edit(f"Talk:First {n}", "1", assertuser="Alice") for n in range(3)]
    alice.web.close()
    assert firsts[2] == newest


def test_resets_beside_views_break_nothing(fresh: Wiki) -> None:
    with ThreadPoolExecutor(4) as people:
        views = [
            people.submit(get, fresh.host, "/wiki/Parasitic_ant") for _ in range(8)
        ]
        for _ in range(4):
            fresh.reset()

    assert {view.result()[0] for view in views} == {200}


@pytest.mark.skipif(len(_CODE) < 2, reason="one MediaWiki is all there is")
def test_the_older_mediawiki_serves_too() -> None:
    older = _CODE[-1]
    with serve_test_wiki(code=older) as wiki:
        status, page = get(wiki.host, "/wiki/Parasitic_ant")

    assert status == 200
    assert f"MediaWiki {older.version}".encode() in page
    assert page.count(b'class="reference-text"') > 5
    assert b"title=Template:" not in page


def test_a_machine_without_mediawiki_is_told_what_to_do(tmp_path: Path) -> None:
    assert installed_code([tmp_path]) == ()
    with pytest.raises(PermanentError, match="install-services"):
        preferred_code([tmp_path])


def test_a_port_in_use_is_said(fresh: Wiki, tmp_path: Path) -> None:
    port = int(fresh.host.rpartition(":")[2])

    with pytest.raises(PermanentError, match="--port"):
        require_free(port)
    with (
        pytest.raises(PermanentError, match=str(port)),
        serve_wiki(demo_seeds(), tmp_path, port=port),
    ):
        pass


def test_seeds_are_dumped_as_their_namespaces_have_them() -> None:
    assert namespace_of("User talk:A") == 3
    assert namespace_of("A: b") == 0
    page = SeedPage("User:A/b.js", ("<&>",), by="A & B")
    assert "<ns>2</ns>" in dump((page,))
    assert "<model>javascript</model>" in dump((page,))
    assert "&lt;&amp;&gt;</text>" in dump((page,))
    assert "A &amp; B</username>" in dump((page,))


def test_ci_knows_which_mediawiki_it_has() -> None:
    if not _CODE:
        absent("MediaWiki is not here")
    assert _CODE[0] == preferred_code()
    assert _CODE[0].version.startswith(("1.43.", "1.39."))
