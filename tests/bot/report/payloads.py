"""Known ways to smuggle script into a page, from three public collections."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.shared_data import shared_data

_SEPARATOR = "\n--\n"


def payloads() -> list[str]:
    """Return every payload once, or skip the test where the data is not."""
    folder = shared_data("security_corpora")
    found = (*_dompurify(folder), *_bleach(folder), *_all_the_things(folder))
    return list(dict.fromkeys(one for one in found if one.strip()))


def _dompurify(folder: Path) -> Iterator[str]:
    for case in json.loads((folder / "dompurify" / "expect.json").read_text("utf-8")):
        yield case["payload"]


def _bleach(folder: Path) -> Iterator[str]:
    for file in sorted((folder / "bleach-xss/tests/data").glob("*.test")):
        yield file.read_text("utf-8").partition(_SEPARATOR)[0]


def _all_the_things(folder: Path) -> Iterator[str]:
    lists = folder / "payloads-all-the-things/XSS Injection/Intruders"
    for file in sorted(lists.glob("*.txt")):
        yield from file.read_text("utf-8", "surrogateescape").splitlines()
