"""What speaks against a citation at sight, and in which order."""

from dataclasses import replace

import pytest

from bot.research.sweep.rows import Prior, Sign, prior_of
from handlers.model import Span, Tag, TagKind, Trust
from handlers.sources.reliability import ReliabilityLists, Rule
from tests import builders

WIKI = "en.wikipedia.org"
LISTS = ReliabilityLists(
    [Rule("tabloid.example", "", Trust.DEPRECATED), Rule("blog.example", "", Trust.SELF_PUBLISHED)]
)  # fmt: skip
DEEP = "https://news.example/2024/05/a-story"


def prior(
    *urls: str | None, tag: TagKind | None = None, archive: str | None = None
) -> Prior:
    sources = [builders.source(url=url, archive_url=archive) for url in urls]
    tags = (Tag(tag, "a tag", Span(0, 1)),) if tag else ()
    citation = replace(builders.citation(), sources=tuple(sources))
    claim = builders.claim(citations=(citation,), tags=tags)
    return prior_of(claim, WIKI, LISTS)


@pytest.mark.parametrize(
    ("urls", "tag", "sign"),
    [
        ((DEEP,), TagKind.FAILED_VERIFICATION, Sign.TAGGED),
        ((DEEP,), TagKind.DUBIOUS, Sign.TAGGED),
        ((), None, Sign.NOWHERE),
        (("https://tabloid.example/a/b",), None, Sign.UNFIT),
        (("https://blog.example/a/b",), None, Sign.POOR),
        (("https://tabloid.example/a", "https://blog.example/a"), None, Sign.POOR),
        ((DEEP,), TagKind.BETTER_SOURCE_NEEDED, Sign.POOR),
        ((DEEP,), TagKind.DEAD_LINK, Sign.DEAD),
        (("https://news.example/",), None, Sign.FRONT_PAGE),
        (("https://books.example/?id=Q7&pg=PA28",), None, Sign.NONE),
        ((DEEP, "https://tabloid.example/a"), None, Sign.NONE),
        ((DEEP,), None, Sign.NONE),
    ],
)
def test_the_gravest_sign_is_found(
    urls: tuple[str, ...], tag: TagKind | None, sign: Sign
) -> None:
    assert prior(*urls, tag=tag).sign is sign


def test_a_dead_link_with_an_archived_copy_is_none() -> None:
    kept = "https://web.archive.org/web/2020/https://news.example/2024/05/a-story"

    assert prior(DEEP, tag=TagKind.DEAD_LINK, archive=kept).sign is Sign.NONE


def test_signs_come_before_depth_and_shallow_addresses_before_deep_ones() -> None:
    orders = [
        prior(DEEP, tag=TagKind.FAILED_VERIFICATION).order,
        prior("https://tabloid.example/a/b/c/d/e/f").order,
        prior("https://news.example/").order,
        prior("https://news.example/a").order,
        prior(DEEP).order,
        prior(None).order,
    ]
    assert orders == sorted(set(orders))
