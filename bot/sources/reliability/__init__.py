"""Loads the lists of how wikis rate sources; ATTRIBUTION.md says whose they are."""

from collections.abc import Iterator
from importlib import resources

from handlers.model import Trust
from handlers.sources.reliability import EVERYWHERE, ReliabilityLists, Rule

_TRUSTS = {trust.name.lower().replace("_", "-"): trust for trust in Trust}
# The wiki that a file's list belongs to, or EVERYWHERE, and the list's name.
_FILES = (
    ("platforms.tsv", EVERYWHERE, "Sidenote"),
    ("enwiki_perennial_sources.tsv", "en.wikipedia.org", "WP:RSP, April 2026"),
    ("predatory.tsv", "en.wikipedia.org", "Stop Predatory Journals, 2017"),
)
# Its entries were never reviewed again, and publishers have changed since.
_OLD = "predatory.tsv"


def load_reliability() -> ReliabilityLists:
    """Return all lists that ship with the program."""
    return ReliabilityLists(
        rule for name, wiki, named_by in _FILES for rule in _rules(name, wiki, named_by)
    )


def _rules(name: str, wiki: str, named_by: str) -> Iterator[Rule]:
    """Yield the rules of a file: "host/path", trust and shortcut, separated by tabs."""
    text = resources.files(__name__).joinpath(name).read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            place, trust, shortcut = (*line.split("\t"), "")[:3]
            host, _, path = place.partition("/")
            trusted = Trust.QUESTIONED if name == _OLD else _TRUSTS[trust]
            yield Rule(host, path, trusted, wiki, shortcut or None, named_by)
