"""What lies in `toolforge/` is such as Toolforge takes, and stays within its limits."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import create_engine

from bot.app.cli import _COMMANDS
from bot.app.cli.backup import backup
from bot.app.wiring.daemon import Part
from bot.settings import Settings
from bot.store import SweepRules
from bot.store.schema import metadata
from bot.surfaces.messages import LANGUAGES
from tests.toolforge.jobs_file import mebibytes, refused
from tests.toolforge.stand_in import grammar

_ROOT = Path(__file__).parents[2]
_HERE = _ROOT / "toolforge"
_CONNECTIONS = 20  # that ToolsDB allows one tool
_TOOL_MIB = 8 * 1024  # by default, as we remember it; `toolforge jobs quota` knows
_IMAGE = "tool-sidenote/sidenote-a:latest"

# Pywikibot reads no account file of another owner, and those of an image have one.
_OWN_FILE = "mkdir -p /tmp/pywikibot && cp -f user-config.py /tmp/pywikibot/ && "
_LINE = re.compile(
    rf"(?:{re.escape(_OWN_FILE)})?((?:[A-Z_]+=\S+ )*)exec python -m bot (\w+)(?: .+)?"
)


def _jobs() -> list[dict[str, Any]]:
    text = (_HERE / "jobs.yaml").read_text("utf-8").replace("IMAGE", _IMAGE)
    jobs: list[dict[str, Any]] = yaml.safe_load(text)
    return jobs


def _processes() -> dict[str, tuple[dict[str, str], str]]:
    """Return the variables and the command of ours that each line of the Procfile has."""
    found = {}
    for line in (_HERE / "Procfile").read_text("utf-8").splitlines():
        name, _, command = line.partition(": ")
        match = _LINE.fullmatch(command)
        assert match, (
            f"{name} does not become the process itself: signals would be lost"
        )
        given = dict(one.split("=", 1) for one in match[1].split())
        found[name] = (given, match[2])
    return found


def _connections(process: str) -> int:
    return int(_processes()[process][0]["SIDENOTE_DATABASE_CONNECTIONS"])


def test_every_job_is_such_as_toolforge_takes() -> None:
    assert {job["name"]: refused(job) for job in _jobs()} == {
        name: [] for name in ("intake", "work", "publish", "backup", "doctor")
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"health-check-script": "test -e a && true"},
        {"name": "Work"},
        {"mem": "9Gi"},
        {"replicas": -1},
        {"schedule": "@daily"},
        {"health_check": {"script": "true"}},
        {"image": "python3.11"},
    ],
)
def test_the_rules_refuse_what_toolforge_refuses(changed: dict[str, Any]) -> None:
    [work] = [job for job in _jobs() if job["name"] == "work"]

    assert refused({**work, **changed})


def test_each_job_runs_a_process_that_there_is() -> None:
    processes = _processes()

    for job in _jobs():
        assert job["command"] in processes
    for _, command in processes.values():
        assert command in _COMMANDS


def test_each_part_says_that_it_is_alive_to_who_asks_for_it() -> None:
    parts = {part.value for part in Part}
    for job in _jobs():
        if job.get("continuous"):
            command = shlex.split(job["health-check-script"])
            assert command[:4] == ["python", "-m", "bot", "alive"]
            assert command[4] in parts
            assert _processes()[job["command"]][1] == command[4]


def test_no_two_publishers_run() -> None:
    [publish] = [job for job in _jobs() if job["command"] == "publish"]

    assert publish.get("replicas", 1) == 1


def test_all_that_can_run_at_once_has_connections_enough() -> None:
    """While it is updated, too: one process more of each that is not stopped first."""
    worst = 2 * _connections("web")
    for job in _jobs():
        replicas = job.get("replicas", 1)
        updated = (
            1 if replicas > 1 else 0
        )  # one alone is stopped before the next begins
        worst += (replicas + updated) * _connections(job["command"])
    worst += _connections("migrate")

    assert worst <= _CONNECTIONS
    assert worst > _CONNECTIONS / 2  # the sum adds something up


def test_all_that_can_run_at_once_has_memory_enough() -> None:
    web = yaml.safe_load((_HERE / "service.template").read_text("utf-8"))
    sizes = [mebibytes(job["mem"]) * (job.get("replicas", 1) + 1) for job in _jobs()]

    assert max(sizes) // 2 <= 1024 * 2
    assert sum(sizes) + 2 * mebibytes(web["mem"]) <= _TOOL_MIB
    for job in _jobs():
        assert mebibytes(job["mem"]) <= 1024


def test_the_webservice_is_the_process_that_serves() -> None:
    web = yaml.safe_load((_HERE / "service.template").read_text("utf-8"))

    assert web.keys() == {
        *("type", "buildservice-image", "mount", "replicas", "cpu", "mem")
    }
    assert (web["type"], web["mount"]) == ("buildservice", "none")
    given, command = _processes()["web"]  # what a webservice of this type runs
    assert command == "serve"
    assert given["SIDENOTE_SERVE_PORT"].startswith("${PORT")


def test_the_builder_finds_its_files_at_the_root() -> None:
    for name in ("Procfile", ".python-version", "requirements.txt"):
        place = _ROOT / name
        assert place.is_symlink()
        assert place.resolve() == _HERE / name
    wanted = (_ROOT / "pyproject.toml").read_text("utf-8")
    version = (_HERE / ".python-version").read_text("ascii").strip()
    assert f'requires-python = ">={version},' in wanted


def test_what_runs_there_is_pinned_as_here_and_no_more() -> None:
    here, there = (
        _pins(_ROOT / "requirements.lock"),
        _pins(_HERE / "requirements.txt"),
    )

    assert there.items() <= here.items()
    assert {"sqlalchemy", "aiohttp", "onnxruntime"} <= there.keys()
    assert not {"dask", "distributed", "pyarrow", "pytest", "torch"} & there.keys()
    text = (_HERE / "requirements.txt").read_text("utf-8")
    assert "://" not in text  # no address of an index
    assert text.count("--hash=sha256:") >= len(there)


def _pins(file: Path) -> dict[str, str]:
    pins = re.findall(
        r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)", file.read_text("utf-8"), re.M
    )
    return dict(pins)


def _environment() -> Iterator[tuple[str, str]]:
    for line in (_HERE / "environment").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield name, value


def test_the_environment_names_settings_and_no_secret() -> None:
    named = dict(_environment())
    settings = {f"SIDENOTE_{name.upper()}" for name in Settings.model_fields}
    secrets = {"SIDENOTE_BOT_SECRET", "SIDENOTE_OAUTH"}

    assert named.keys() - secrets <= settings
    assert {name for name, value in named.items() if not value} == secrets


def test_the_environment_can_be_used_as_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in _environment():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TOOL_TOOLSDB_USER", "s54321")
    monkeypatch.setenv("TOOL_TOOLSDB_PASSWORD", "x")

    settings = Settings()

    assert settings.uses_toolsdb
    assert settings.workers == 1


_TO_FILL_IN = {
    *("OPERATOR", "BOTNAME", "CONTACT", "SOURCE_ADDRESS", "DISCUSSION", "WIKIS"),
    *("VERSION", "APPROVAL_LINK", "STATUS_ADDRESS", "TOOL"),
    *("WIKI", "PRIVACY_ADDRESS", "ISSUES_ADDRESS"),
    *("LANGUAGE_MODEL", "LANGUAGE_MODEL_HOST", "LANGUAGE_MODEL_SENTENCE"),
}
_WORDS = {"AUROC", "MIT", "README", "GPT", "BEGIN", "FEVER", "FEVEROUS"}

# Of the schema of toolinfo 1.2.2, as far as we use it.
_MOST_CHARS = {"name": 255, "title": 255, "description": 65_535, "license": 255}
_ADDRESSES = ("user_docs_url", "developer_docs_url", "privacy_policy_url")


_PRIVACY = [f"privacy/{language}" for language in sorted(LANGUAGES)]


@pytest.mark.parametrize("name", ["bot_approval", "tool_card", *_PRIVACY])
def test_a_form_leaves_open_what_only_an_operator_knows(name: str) -> None:
    text = (_HERE / "forms" / f"{name}.wikitext").read_text("utf-8")
    open_ones = set(re.findall(r"\b[A-Z][A-Z_]{2,}\b", text)) - _WORDS

    assert open_ones <= _TO_FILL_IN
    assert text.count("{{") == text.count("}}")
    assert text.count("{|") == text.count("|}")


def test_what_toolhub_reads_is_such_as_it_takes() -> None:
    text = (_HERE / "forms" / "toolinfo.json").read_text("utf-8")
    info = json.loads(text)
    languages = {one.stem for one in (_ROOT / "bot" / "i18n").glob("??.json")}

    assert set(re.findall(r"\b[A-Z][A-Z_]{2,}\b", text)) - _WORDS <= _TO_FILL_IN
    assert all(0 < len(info[name]) <= most for name, most in _MOST_CHARS.items())
    assert re.fullmatch(r"[\w.-]+", info["name"])
    assert info["tool_type"] in {"web app", "bot", "gadget", "user script"}
    assert set(info["available_ui_languages"]) == languages
    assert all(
        set(one) == {"language", "url"} for name in _ADDRESSES for one in info[name]
    )


def test_the_forms_say_of_limits_what_the_code_does() -> None:
    settings, rules = Settings(), SweepRules()
    approval = (_HERE / "forms" / "bot_approval.wikitext").read_text("utf-8")
    keep = {option.name: option.default for option in backup.params}["keep"]

    assert f"At most {settings.reports_per_page} rewritings" in approval
    assert f"one edit in {settings.posting_pause_s:.0f} seconds" in approval
    assert (
        f"at most {settings.posts_per_page} posts a day on a page,"
        f" {settings.posts_per_user} for one user, {settings.posts_per_wiki} on the wiki"
    ) in approval
    assert f"at most one request in {settings.host_delay_s:.0f}" in approval.replace(
        "two", "2"
    )
    assert f"for {settings.recheck_days:.0f} days" in approval
    assert rules.names_days == rules.checks_days == 30
    stated = Counter({30: 8, keep: 3, int(settings.cache_max_age_h): 1})
    for name in _PRIVACY:
        privacy = (_HERE / "forms" / f"{name}.wikitext").read_text("utf-8")
        assert Counter(map(int, re.findall(r"\b\d+\b", privacy))) == stated, name


def test_components_are_the_jobs_by_another_name() -> None:
    given = yaml.safe_load((_HERE / "components.yaml").read_text("utf-8"))["components"]
    renamed = {"mem": "memory", "health-check-script": "health_check_script"}
    jobs = {
        job.pop("name"): {renamed.get(key, key): value for key, value in job.items()}
        for job in _jobs()
    }
    own = {"continuous", "image"}

    assert given.pop("web")["run"]["command"] == "web"
    assert {name: one["run"] for name, one in given.items()} == {
        name: {key: value for key, value in job.items() if key not in own}
        for name, job in jobs.items()
    }
    for name, one in given.items():
        is_continuous = one["component_type"] == "continuous"
        assert is_continuous == ("continuous" in jobs[name])


_FILE = _ROOT / "toolforge" / "Containerfile"


def _instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", _FILE.read_text("utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    split = [line.partition(" ") for line in lines if line.strip()]
    return [(word, " ".join(rest.split())) for word, _, rest in split]


def test_only_known_instructions_stand_there() -> None:
    known = {"FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "EXPOSE"}
    known |= {"HEALTHCHECK", "ENTRYPOINT", "CMD"}

    assert {word for word, _ in _instructions()} <= known


def test_each_stage_names_the_version_it_stands_on() -> None:
    images = [rest.split()[0] for word, rest in _instructions() if word == "FROM"]

    version = (_ROOT / "toolforge" / ".python-version").read_text("ascii").strip()
    assert images
    assert all(image.startswith(f"python:{version}-") for image in images)


def test_packages_are_pinned_with_hashes() -> None:
    installs = [
        step
        for word, rest in _instructions()
        if word == "RUN"
        for step in rest.split("&&")
        if "pip install" in step
    ]

    assert len(installs) == 2
    assert all("--require-hashes" in step for step in installs)
    assert all("--no-cache-dir" in step for step in installs)


def test_it_runs_as_nobody_special_and_in_exec_form() -> None:
    instructions = dict(_instructions())

    assert instructions["USER"] not in {"root", "0"}
    assert instructions["ENTRYPOINT"].startswith("[")
    assert instructions["CMD"].startswith("[")


@pytest.mark.parametrize("word", ["COPY"])
def test_what_it_copies_is_there_and_holds_no_secret(word: str) -> None:
    copied = [
        name
        for found, rest in _instructions()
        if found == word and not rest.startswith("--from")
        for name in rest.split()[:-1]
    ]

    assert copied
    assert all((_ROOT / name).exists() for name in copied)
    assert not {".", "*"} & set(copied)


_PLACES = (
    "docs/operators.md",
    "toolforge/environment",
    "toolforge/jobs.yaml",
)
_VERBS = r"(?:build|jobs|webservice|envvars)"
_COMMAND = re.compile(rf"\btoolforge ({_VERBS} [^`\n#|;)<>]+)")


def _commands(text: str) -> list[list[str]]:
    joined = text.replace("\\\n", " ")
    return [shlex.split(found) for found in _COMMAND.findall(joined)]


def _written_down() -> list[list[str]]:
    return [
        command
        for place in _PLACES
        for command in _commands((_ROOT / place).read_text("utf-8"))
        if not {"$@", "and"} & set(command)  # filled in where it runs; or prose
    ]


def test_every_command_that_is_written_down_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = []
    for command in _written_down():
        try:
            grammar().parse_args(command)
        except SystemExit:
            refused.append((command, capsys.readouterr().err.splitlines()[-1]))

    assert len(_written_down()) > 2
    assert refused == []


def test_a_wrong_command_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = _commands("`toolforge jobs run try --image x --waiting 300`")

    with pytest.raises(SystemExit):
        grammar().parse_args(command)
    assert "required: --command" in capsys.readouterr().err


def test_what_the_incident_steps_delete_is_in_the_tables_by_these_names() -> None:
    text = (_ROOT / "docs" / "operators.md").read_text("utf-8")
    steps = re.findall(r"`(DELETE FROM [^`]+)`", text)
    engine = create_engine("sqlite://")
    metadata.create_all(engine)

    assert len(steps) > 8
    with engine.begin() as connection:
        for step in steps:
            connection.exec_driver_sql(step)
