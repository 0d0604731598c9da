"""What Wiki Live Challenge is made of, whichever form its files have.

A benchmark holds Good Articles with the facts taken out of them; each system wrote an
article of its own on each subject, with statements that cite pages, and the text of
those pages. Article by article: a system's file is larger than what should lie in
memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a generated article.

    `refs` are the numbers of its citations there; `urls` what they lead to, in no
    order that can be relied on.
    """

    text: str
    refs: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedPage:
    """The text of a cited page as it was fetched; `error` tells why there is none."""

    url: str
    title: str = ""
    content: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """An article that a system wrote. `pages` are by the number of the citation."""

    title: str
    text: str
    statements: tuple[Statement, ...]
    citation_urls: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, CitedPage] = field(default_factory=dict)
    page_id: int | None = None
    source_file: str = ""
    sha256: str = ""  # of what it was read from


@dataclass(frozen=True, slots=True)
class Reference:
    """A Good Article: its text in Markdown, and its facts in their order."""

    title: str
    markdown: str
    facts: tuple[str, ...]
    extract: str = ""


@dataclass(frozen=True, slots=True)
class Agency:
    """A system that takes part, as the benchmark's registry has it."""

    name: str
    description: str = ""
    has_citations: bool = True
    enabled: bool = True


def shown(title: str) -> str:
    """Return a title as people write it."""
    return title.replace("_", " ")
