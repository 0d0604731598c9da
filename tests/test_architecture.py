"""The map names every room and no other, and the files of its walks exist."""

import re
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_NOT_CODE = {"bot/i18n", "gadget/pages", "gadget/script"}


@pytest.mark.parametrize("top", ["bot", "gadget", "handlers"])
def test_the_map_names_every_room_and_no_other(top: str) -> None:
    text = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(rf"^\| `({top}/\w+)` \|", text, re.MULTILINE))
    there = {f"{top}/{one.parent.name}" for one in (_ROOT / top).glob("*/__init__.py")}

    assert named - _NOT_CODE == there


def test_the_files_that_the_walks_name_exist() -> None:
    text = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:bot|gadget|handlers)/[\w/]+\.py)`", text)

    assert named
    assert [one for one in named if not (_ROOT / one).is_file()] == []
