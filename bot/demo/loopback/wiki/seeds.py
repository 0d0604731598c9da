"""What a new test wiki holds: pages with their histories, accounts, and a bot.

Pages are added through MediaWiki's own import, in its export format.
"""

from dataclasses import dataclass
from xml.sax.saxutils import escape

# What a title begins with in each of MediaWiki's own namespaces.
NAMESPACES = {
    "": 0,
    "Talk": 1,
    "User": 2,
    "User talk": 3,
    "Project": 4,
    "Project talk": 5,
    "File": 6,
    "File talk": 7,
    "MediaWiki": 8,
    "MediaWiki talk": 9,
    "Template": 10,
    "Template talk": 11,
    "Help": 12,
    "Help talk": 13,
    "Category": 14,
    "Category talk": 15,
}
_MODELS = {".js": "javascript", ".css": "css"}
_WITH_SCRIPTS = ("MediaWiki:", "User:")
_XML = "http://www.mediawiki.org/xml/export-0.11/"


@dataclass(frozen=True, slots=True)
class SeedPage:
    """A page with its revisions, oldest first (nine at most).

    `by` and `summary` appear in the history, which credits an article's authors.
    """

    title: str
    texts: tuple[str, ...]
    by: str = "Seeder"
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SeedAccount:
    """Someone with an account. Passwords are for loopback only.

    `token` is the password of a bot password, for the login `NAME@sidenote`: 32
    characters from 0-9 and a-w. It has the grants that a bot needs, and `grants` in
    addition.
    """

    name: str
    password: str
    groups: tuple[str, ...] = ()
    token: str = ""
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seeds:
    """Everything that a new wiki holds; its first administrator, Admin, is always there."""

    pages: tuple[SeedPage, ...]
    accounts: tuple[SeedAccount, ...] = ()
    deleted: tuple[str, ...] = ()  # titles of pages that are then deleted
    hidden: tuple[tuple[str, int], ...] = ()  # title, revision without text


def dump(pages: tuple[SeedPage, ...]) -> str:
    """Return pages in MediaWiki's export format, trimmed as the wiki does."""
    listed = "".join(map(_page, pages))
    return (
        f'<mediawiki xmlns="{_XML}" version="0.11" xml:lang="en">{listed}</mediawiki>'
    )


def namespace_of(title: str) -> int:
    """Return the number of the namespace that a title is in."""
    prefix, colon, _ = title.partition(":")
    return NAMESPACES.get(prefix, 0) if colon else 0


def _page(page: SeedPage) -> str:
    revisions = "".join(
        f"<revision><timestamp>2024-05-0{day}T10:20:30Z</timestamp>"
        f"<contributor><username>{escape(page.by)}</username></contributor>"
        f"<comment>{escape(page.summary)}</comment><model>{_model(page.title)}</model>"
        f'<text xml:space="preserve">{escape(text.rstrip())}</text></revision>'
        for day, text in enumerate(page.texts, start=1)
    )
    return (
        f"<page><title>{escape(page.title)}</title>"
        f"<ns>{namespace_of(page.title)}</ns>{revisions}</page>"
    )


def _model(title: str) -> str:
    if not title.startswith(_WITH_SCRIPTS):
        return "wikitext"
    return next(
        (model for end, model in _MODELS.items() if title.endswith(end)), "wikitext"
    )
