"""The container file, linted: what a review of one looks for, since none is built here."""

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
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
