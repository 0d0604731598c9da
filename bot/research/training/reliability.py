"""Makes the shipped lists of sources from the data they come from.

`python -m bot.research.training.reliability DATA_DIR` reads `rsp_2026.jsonl` and the
`predatory_*.csv` of DATA_DIR and writes the two files that the program loads. From
Wikipedia's list only the domain, its status and the shortcut of its discussion are
taken; what editors wrote about a source stays where it is.
"""

import csv
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from handlers.ports import PermanentError
from handlers.sources.addresses import host_of

SHIPPED = Path(__file__).parents[2] / "sources" / "reliability"
PERENNIAL = "enwiki_perennial_sources.tsv"
PREDATORY = "predatory.tsv"
_STATUSES: Mapping[str, str] = {
    "gr": "reliable",
    "nc": "mixed",
    "m": "mixed",
    "gu": "unreliable",
    "d": "deprecated",
}
# Two rows about one address with these statuses agree that it should not be cited.
_AGAINST = ("blacklisted", "deprecated", "unreliable")
_PREDATORY_FILES = (
    ("predatory_journals.csv", "url"),
    ("predatory_publishers.csv", "url"),
    ("predatory_hijacked.csv", "hijackedurl"),
)
# A page that stands for its whole folder.
_FRONT_PAGE = re.compile(r"(?:index|default|home|main)(?:\.\w{2,5})?", re.IGNORECASE)
_DOCUMENT = re.compile(r"[^/]*\.(?:html?|php|aspx?|jsp)", re.IGNORECASE)
_UNIVERSITY = re.compile(r"(?:.*\.)?(?:ac|edu)(?:\.[a-z]{2})?", re.ASCII)
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII)

_Row = tuple[str, str, str]  # place, trust, shortcut


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise SystemExit("usage: python -m bot.research.training.reliability DATA_DIR")
    for name, text in make(Path(arguments[0])).items():
        (SHIPPED / name).write_text(text, "utf-8")


def make(data: Path) -> dict[str, str]:
    """Return the content of each shipped file by its name."""
    try:
        perennial = _text(_perennial(_json_lines(data / "rsp_2026.jsonl")))
        predatory = _text(
            _predatory(
                row[column] or ""
                for name, column in _PREDATORY_FILES
                for row in _csv_rows(data / name)
            )
        )
    except OSError as error:
        raise PermanentError(
            f"{error.filename} cannot be read ({error.strerror}); give the folder"
            " that holds rsp_2026.jsonl and predatory_*.csv"
        ) from error
    return {PERENNIAL: perennial, PREDATORY: predatory}


def _text(rows: Iterable[_Row]) -> str:
    lines = ("\t".join(row).rstrip("\t") for row in sorted(set(rows)))
    return "".join(f"{line}\n" for line in lines)


# --- perennial sources ----------------------------------------------------------


def _json_lines(file: Path) -> Iterator[Mapping[str, object]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _perennial(rows: Iterable[Mapping[str, object]]) -> Iterator[_Row]:
    """Yield one row for each address; if rows disagree, it depends on the topic."""
    stated: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        trust = "blacklisted" if row["blacklisted"] else _STATUSES[str(row["status"])]
        domains = row["domains"]
        for domain in domains if isinstance(domains, list) else ():
            place = _place(domain if "://" in domain else f"https://{domain}")
            if place:
                stated[place].append((trust, str(row["shortcut"] or "")))
    combined = {place: _combined(each) for place, each in stated.items()}
    for place, (trust, shortcut) in combined.items():
        host, _, path = place.partition("/")
        if not path or combined.get(host, ("", ""))[0] != trust:
            yield place, trust, shortcut


def _combined(stated: list[tuple[str, str]]) -> tuple[str, str]:
    trusts = {trust for trust, _ in stated}
    if len(trusts) == 1:
        trust = stated[0][0]
    elif trusts <= set(_AGAINST):
        trust = min(trusts, key=_AGAINST.index)
    else:
        trust = "mixed"
    return trust, next((shortcut for _, shortcut in stated if shortcut), "")


# --- predatory publishers -------------------------------------------------------


def _csv_rows(file: Path) -> Iterator[Mapping[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        yield from csv.DictReader(opened)


def _predatory(addresses: Iterable[str]) -> Iterator[_Row]:
    """Yield the place of each journal: a host, or its folder on a shared host."""
    for address in addresses:
        host, _, path = _place(address).partition("/")
        # A page at the root of a publisher's own host is its home page; at a
        # university's, it is one journal of many pages.
        if _DOCUMENT.fullmatch(path) and not _UNIVERSITY.fullmatch(
            host.partition(".")[2]
        ):
            path = ""
        if host:
            yield f"{host}/{path}" if path else host, "predatory", ""


def _place(address: str) -> str:
    """Return "host" or "host/path" as written in rules; "" if it is neither."""
    host = host_of(address)
    if not _HOST.fullmatch(host):
        return ""
    parts = [
        part for part in unquote(urlsplit(address.strip()).path).split("/") if part
    ]
    while parts and _FRONT_PAGE.fullmatch(parts[-1]):
        parts.pop()
    path = "/".join(parts).lower()
    return f"{host}/{path}" if path and path.isprintable() else host


if __name__ == "__main__":
    main(sys.argv[1:])
