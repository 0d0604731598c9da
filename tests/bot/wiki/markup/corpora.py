"""Texts that were made to be more than text, from the project's collections."""

import json
from collections.abc import Iterator
from pathlib import Path

from tests.bot.report.payloads import payloads
from tests.shared_data import shared_data


def hostile_texts() -> list[str]:
    """Return every hostile text once, or skip the test where the data is not."""
    folder = shared_data("security_corpora")
    found = (*_vectors(folder), *_naughty(folder), *payloads(), *_parser_tests(folder))
    return list(dict.fromkeys(found))


def _vectors(folder: Path) -> Iterator[str]:
    file = folder / "wikitext-injection" / "vectors.json"
    for vector in json.loads(file.read_text("utf-8"))["vectors"]:
        yield vector["value"]


def _naughty(folder: Path) -> Iterator[str]:
    yield from json.loads((folder / "blns" / "blns.json").read_text("utf-8"))


def _parser_tests(folder: Path) -> Iterator[str]:
    for file in sorted((folder / "mediawiki-parsertests").glob("**/*arserTests.txt")):
        for case in file.read_text("utf-8", "replace").split("!! wikitext\n")[1:]:
            yield case.partition("\n!!")[0]
