"""Loads the lists of how wikis regard sources; ATTRIBUTION.md says whose they are."""

from collections.abc import Iterator
from importlib import resources

from handlers.citations.reliability import EVERYWHERE, ReliabilityLists, Rule
from handlers.model import Trust

_TRUSTS = {trust.name.lower().replace("_", "-"): trust for trust in Trust}
# The wiki whose list a file is, or EVERYWHERE.
_FILES = (
    ("platforms.tsv", EVERYWHERE),
    ("enwiki_perennial_sources.tsv", "en.wikipedia.org"),
    ("predatory.tsv", "en.wikipedia.org"),
)


def load_reliability() -> ReliabilityLists:
    """Return all lists that ship with the program."""
    return ReliabilityLists(
        rule for name, wiki in _FILES for rule in _rules(name, wiki)
    )


def _rules(name: str, wiki: str) -> Iterator[Rule]:
    """Yield the rules of a file: "host/path", trust and shortcut, parted by tabs."""
    text = resources.files(__name__).joinpath(name).read_text("utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            place, trust, shortcut = (*line.split("\t"), "")[:3]
            host, _, path = place.partition("/")
            yield Rule(host, path, _TRUSTS[trust], wiki, shortcut or None)
