"""Whatever one trial does, the others are made, and no secret comes out."""

import json
import os
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.app.doctor import machine, settings
from bot.app.doctor.examination import (
    SelectedTests,
    chosen,
    examine,
    groups_of,
    hider,
    render_json,
    render_text,
)
from bot.app.doctor.settings import note_files
from bot.app.doctor.trial import (
    Examination,
    Group,
    Installation,
    Notes,
    State,
    Trial,
    in_thread,
)
from bot.settings import Settings
from handlers.ports import PermanentError

ALL = frozenset({"intake", "work", "publish", "serve"})


def given(**values: Any) -> Settings:
    return Settings(**values)


def trial(name: str, run: Callable[[Notes], Any], **more: Any) -> Trial:
    async def tried(notes: Notes) -> None:
        result = run(notes)
        if result is not None:
            await result

    return Trial(Group.DATA, name, tried, "Do this.", **more)


def raises(error: BaseException) -> Callable[[Notes], None]:
    def run(_: Notes) -> None:
        raise error

    return run


def waits(event: threading.Event) -> None:
    event.wait()


async def test_what_breaks_in_one_trial_leaves_the_others_alone() -> None:
    never = threading.Event()
    hanging = in_thread(lambda _: waits(never))

    def half(notes: Notes) -> None:
        notes.fine("half", "the first half")
        raise KeyError("second")

    found = await examine(
        [
            trial("hangs", hanging, limit_s=0.05),
            trial("half", half),
            trial("leaves", raises(SystemExit(3))),
            trial("recurses", raises(RecursionError("deep"))),
            trial("refused", raises(PermanentError("it is shut; open it"))),
            trial("late", raises(TimeoutError("of a library"))),
            trial("after", lambda notes: notes.fine("after", "x"), after="refused"),
            trial("well", lambda notes: notes.fine("well", "as it should be")),
        ]
    )
    never.set()

    faults = {one.name: one for one in found if one.state is not State.FINE}
    assert faults["hangs"].seen == "no answer within 0.05 s"
    assert faults["hangs"].remedy == "Do this."
    assert "KeyError: 'second'" in faults["half"].seen
    assert "report it" in faults["half"].remedy
    assert "SystemExit" in faults["leaves"].seen
    assert "RecursionError" in faults["recurses"].seen
    assert "TimeoutError: of a library" in faults["late"].seen
    assert (faults["refused"].seen, faults["refused"].remedy) == (
        "it is shut",
        "Open it. Do this.",
    )
    assert faults["after"].state is State.SKIPPED
    assert [one.seen for one in found if one.state is State.FINE] == [
        "the first half",
        "as it should be",
    ]


def test_no_secret_stands_in_what_is_shown(tmp_path: Path) -> None:
    installation = Installation(
        given(
            data_dir=tmp_path,
            database="mysql://user:the+pass@host/x",
            bot_secret="first-secret-long second-secret-long",  # noqa: S106 - of nobody
            brave_key="brave/key",
            oauth_client_secrets="a.example=client-secret",
        ),
        ALL,
        environment={"SIDENOTE_OAUTH": "token-1 token-2 token-3 token-4"},
    )
    text = (
        "the+pass the%2Bpass second-secret-long brave/key brave%2Fkey client-secret"
        " token-3 host"
    )

    assert hider(installation)(text) == f"{'*** ' * 7}host"


@pytest.mark.parametrize(
    ("line", "files", "limit"),
    [
        ("0::/", {"memory.max": "536870912\n"}, 512),
        ("0::/", {"memory.max": "max\n"}, None),
        ("0::/a/b", {"memory.max": "max", "a/memory.max": "1073741824"}, 1024),
        ("0::/gone", {"memory.max": "536870912\n"}, 512),
        ("4:memory:/x", {"memory/memory.limit_in_bytes": "536870912"}, 512),
        (
            "4:cpu,memory:/",
            {"memory/memory.limit_in_bytes": "9223372036854771712"},
            None,
        ),
        ("0::/../../..", {"memory.max": "536870912"}, 512),
        ("nonsense", {}, None),
    ],
)
def test_the_limit_of_memory_is_read_in_both_versions_of_cgroups(
    tmp_path: Path, line: str, files: dict[str, str], limit: int | None
) -> None:
    for name, content in files.items():
        file = tmp_path / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(f"{line}\n")

    found = machine.memory_limit(tmp_path)

    assert found == (limit and limit * 2**20)


async def test_a_container_too_small_for_its_role_is_reported(tmp_path: Path) -> None:
    for file, content in (
        ("proc/self/cgroup", "0::/\n"),
        ("sys/fs/cgroup/memory.max", "268435456"),
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(content)

    small, large = [
        one
        for role in ("work", "intake")
        for one in await examine(machine.program_trials(frozenset({role}), tmp_path))
        if one.name == "memory"
    ]

    assert large.state is State.FINE
    assert small.state is State.BROKEN
    assert "256 MiB allowed" in small.seen
    assert "SIDENOTE_VERIFIER=lexical" in small.remedy


CONTRADICTIONS: list[tuple[dict[str, Any], dict[str, str], str, str]] = [
    ({"contact": ""}, {}, "contact", "e-mail"),
    ({"contact": "me"}, {}, "neither an e-mail", "e-mail"),
    ({"posting": "live"}, {}, "no account is set", "SIDENOTE_BOT_ACCOUNT"),
    ({"bot_account": "B"}, {}, "its own posts", "openssl rand"),
    ({"bot_account": "B", "bot_secret": "short"}, {}, "shorter than 16", "openssl"),
    ({"bot_account": "B", "bot_password": "x"}, {}, "main password", "BotPasswords"),
    (
        {"deploy_account": "B", "bot_account": "B"},
        {},
        "the bot's account",
        "interface administrator",
    ),
    ({"dry_run_page": "User:B/x", "posting": "live"}, {}, "has no effect", "=dry"),
    (
        {"dry_run_page": "User:B/x"},
        {},
        "without a password",
        "BOT_PASSWORD or SIDENOTE_OAUTH",
    ),
    ({"panel_address": "https://a.example"}, {}, "cannot sign in", "OAuth 2"),
    ({"proof_wikis": ("a.example",)}, {}, "every form of the wiki", "OAuth 2"),
    ({"oauth_clients": "a.example=1"}, {}, "no URL", "SIDENOTE_PANEL_ADDRESS"),
    ({"panel_address": "https://a.example"}, {}, "rate limit", "TRUSTS_PROXY"),
    ({"serve_host": "0.0.0.0"}, {}, "anyone who", "127.0.0.1"),  # noqa: S104 - not listened on
    ({"wiki": "a.example"}, {}, "does not cover a.example", "SIDENOTE_STREAM"),
    ({"wikis": ("en.wikipedia.org",)}, {}, "twice", "once"),
    ({"draft_model": "m"}, {}, "not its server", "SIDENOTE_DRAFT_MODEL_ADDRESS"),
    ({"stream_silence_s": 700.0}, {}, "late", "SIDENOTE_STREAM_SILENCE_S"),
    ({}, {"SIDENOTE_OAUTH": "a b c"}, "3 parts", "four"),
    ({}, {"SIDENOTE_COLOUR": "red"}, "SIDENOTE_COLOUR is not a setting", "Unset it"),
    ({}, {"TOOL_TOOLSDB_USER": "s1"}, "a file", "SIDENOTE_DATABASE=toolsdb"),
]


@pytest.mark.parametrize(("changed", "environment", "seen", "remedy"), CONTRADICTIONS)
async def test_settings_that_do_not_go_together_are_reported(
    tmp_path: Path,
    changed: dict[str, Any],
    environment: dict[str, str],
    seen: str,
    remedy: str,
) -> None:
    own = {"contact": "me@example.org", "data_dir": tmp_path, **changed}
    installation = Installation(given(**own), ALL, environment=environment)

    found = await examine(settings.trials(installation))

    assert [
        one
        for one in found
        if seen in f"{one.name} {one.seen}" and remedy in one.remedy
    ], found


async def test_usual_settings_contradict_nothing(tmp_path: Path) -> None:
    usual = given(contact="me@example.org", data_dir=tmp_path)
    variables = {"PYWIKIBOT_DIR": str(tmp_path), "SIDENOTE_SETTINGS": "a.toml"}
    installation = Installation(usual, ALL, environment=variables)

    found = await examine(settings.trials(installation))

    assert {one.state for one in found} == {State.FINE}


def test_files_that_others_can_change_or_that_hold_secrets_are_reported(
    tmp_path: Path,
) -> None:
    file, account = tmp_path / "sidenote.toml", tmp_path / "user-config.py"
    file.write_text('database = "mysql://user:the-password@host/x"\n')
    account.write_text('authenticate["en.wikipedia.org"] = ("0123456789abcdef", "b")\n')
    installation = Installation(
        given(database="mysql://user:the-password@host/x"),
        ALL,
        settings_file=file,
        environment={"PYWIKIBOT_DIR": str(tmp_path)},
    )
    seen = []
    for mode in (0o600, 0o664, 0o666):
        for each in (file, account):
            each.chmod(mode)
        notes = Notes(Group.SETTINGS)
        note_files(installation, notes)
        seen += [(one.name, one.state, one.remedy) for one in notes.taken]

    assert seen == [
        ("settings file", State.WARNING, "Remove the line and set SIDENOTE_DATABASE in the environment."),
        ("user-config.py", State.WARNING, "Remove it and set SIDENOTE_OAUTH (four tokens) or SIDENOTE_BOT_PASSWORD in the environment."),
        ("settings file", State.WARNING, f"Run: chmod go-w {file}"),
        ("user-config.py", State.WARNING, f"Run: chmod go-w {account}"),
        ("settings file", State.BROKEN, f"Run: chmod go-w {file}"),
        ("user-config.py", State.BROKEN, f"Run: chmod go-w {account}"),
    ]  # fmt: skip


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_an_account_file_of_another_user_is_skipped_by_pywikibot(
    tmp_path: Path,
) -> None:
    account = tmp_path / "user-config.py"
    account.write_text("")
    os.chown(account, 12_345, 12_345)

    lines = []
    for tokens in ({}, {"SIDENOTE_OAUTH": "a b c d"}):
        environment = {"PYWIKIBOT_DIR": str(tmp_path), **tokens}
        notes = Notes(Group.SETTINGS)
        note_files(Installation(given(), ALL, environment=environment), notes)
        lines += notes.taken

    assert [one.state for one in lines] == [State.WARNING, State.BROKEN]
    assert "set PYWIKIBOT_DIR" in lines[1].remedy


def test_each_role_is_examined_for_what_it_needs(tmp_path: Path) -> None:
    assert groups_of(ALL) == groups_of(ALL | {"read"}) == frozenset(Group)
    assert Group.FEED in groups_of(frozenset({"intake"}))
    assert Group.ACCOUNT not in groups_of(frozenset({"work"}))
    assert Group.MODELS not in groups_of(frozenset({"read"}))

    installation = Installation(given(data_dir=tmp_path, bot_account="B"), ALL)
    trials, _ = chosen(installation, SelectedTests(frozenset({Group.ACCOUNT})))
    assert [one.group for one in trials] == [Group.WIKI, Group.ACCOUNT]
    names = [one.name for one in chosen(installation, SelectedTests())[0]]
    assert len(names) == len(set(names))


async def test_a_wiki_that_is_no_address_keeps_nothing_else_from_being_tried(
    tmp_path: Path,
) -> None:
    installation = Installation(given(data_dir=tmp_path, wiki="http://a:b@host"), ALL)
    groups = frozenset({Group.WIKI, Group.SETTINGS, Group.DATA})

    found = await examine(chosen(installation, SelectedTests(groups))[0])

    found_in = {one.group for one in found if "is not a wiki's address" in one.seen}
    assert found_in == {Group.WIKI, Group.SETTINGS}
    assert "Write a host name such as" in repr(found)
    assert [one for one in found if one.group is Group.DATA]


FOUND = (
    Examination(Group.DATA, "room", State.FINE, "plenty"),
    Examination(
        Group.FEED,
        "feed",
        State.BROKEN,
        "it\x1b[2J\nfails \u202e" + "x" * 900,
        "Mend " * 40,
    ),
    Examination(Group.FEED, "first event", State.SKIPPED, "no feed"),
)


def test_text_fits_its_width_and_json_holds_all() -> None:
    at = datetime(2026, 11, 22, 12, tzinfo=UTC)

    text = render_text(FOUND, at, "all parts", width=60, colour=False)
    document = json.loads(render_json(FOUND, at))

    assert max(map(len, text.splitlines())) <= 60
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "  WRONG feed: it" in text
    assert "1 wrong, 0 to review, 1 fine, 1 skipped." in text
    assert "First fix feed (feed)" in text
    assert document["standing"] == "broken"
    assert document["counts"] == {"fine": 1, "warning": 0, "broken": 1, "skipped": 1}
    assert len(document["examinations"]) == 3


async def test_a_python_or_packages_that_are_not_as_pinned_are_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "requirements.lock").write_text(
        "click==0.0.1 \\\n    --hash=sha256:0\nno-such-package==1.0\n"
    )
    monkeypatch.setattr("bot.__file__", str(tmp_path / "bot" / "__init__.py"))
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))

    found = await examine(machine.program_trials(ALL))

    seen = {(one.name, one.state): one.seen for one in found}
    assert seen["packages", State.BROKEN] == "no-such-package not installed"
    assert "(pinned: 0.0.1)" in seen["packages", State.WARNING]
    assert seen["Python", State.BROKEN] == "3.9.1"
