"""How the site of an address is regarded, however the address is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import Trust
from handlers.sources.reliability import EVERYWHERE, ReliabilityLists, Rule

ENWIKI = "en.wikipedia.org"
LISTS = ReliabilityLists(
    [
        Rule("daily.example", "", Trust.DEPRECATED, ENWIKI, "WP:DAILY"),
        Rule("press.example", "", Trust.RELIABLE, ENWIKI),
        Rule("press.example", "blogs", Trust.UNRELIABLE, ENWIKI, "WP:PRESSBLOGS"),
        Rule("press.example", "blogs/editors", Trust.RELIABLE, ENWIKI),
        Rule("press.example", "space/ufo*", Trust.UNRELIABLE, ENWIKI),
        Rule("council.press.example", "", Trust.UNRELIABLE, ENWIKI),
        Rule("xn--mnchen-3ya.example", "", Trust.MIXED, ENWIKI),
        Rule("both.example", "", Trust.SELF_PUBLISHED),
        Rule("both.example", "", Trust.MIXED, ENWIKI, "WP:BOTH"),
        Rule("copy.example", "", Trust.MIRROR, EVERYWHERE),
    ]
)


def trust(address: str, wiki: str = ENWIKI) -> Trust:
    return LISTS.of(address, wiki).trust


@pytest.mark.parametrize(
    "address",
    [
        "https://daily.example/news/1",
        "http://www.daily.example",
        "HTTPS://WWW.DAILY.EXAMPLE/NEWS",
        "https://daily.example:8443/news?x=1#top",
        "https://daily.example./news",
        "https://m.sport.daily.example/",
        "https://user:word@daily.example/",
        "  https://daily.example/ ",
        "https://web.archive.org/web/20200102030405/https://daily.example/news",
        "https://archive.today/20200102030405/http://www.daily.example/news",
        "https://web.archive.org/web/2020/https://archive.is/2020/daily.example/x",
    ],
)
def test_a_site_is_known_however_its_address_is_written(address: str) -> None:
    found = LISTS.of(address, ENWIKI)

    assert (found.trust, found.shortcut) == (Trust.DEPRECATED, "WP:DAILY")


@pytest.mark.parametrize(
    "address",
    [
        "https://notdaily.example/",
        "https://daily.example.org/",
        "https://example/daily.example",
        "https://other.example/?u=https://daily.example/",
        "daily.example",
        "not an address",
        "https://[::1/",
        "",
    ],
)
def test_a_site_that_only_looks_like_it_is_another(address: str) -> None:
    assert trust(address) is Trust.UNLISTED


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", Trust.RELIABLE),
        ("/news/blogs", Trust.RELIABLE),
        ("/blogs", Trust.UNRELIABLE),
        ("/Blogs/", Trust.UNRELIABLE),
        ("/%62logs/x", Trust.UNRELIABLE),
        ("/blogsphere", Trust.RELIABLE),
        ("/blogs/editors/1", Trust.RELIABLE),
        ("/space/ufos-again", Trust.UNRELIABLE),
        ("/space/moon", Trust.RELIABLE),
    ],
)
def test_the_longest_path_of_the_list_decides(path: str, expected: Trust) -> None:
    assert trust(f"https://press.example{path}") is expected


def test_the_longest_host_of_the_list_decides() -> None:
    assert trust("https://council.press.example/blogs/editors") is Trust.UNRELIABLE


def test_an_international_name_is_known_in_both_its_forms() -> None:
    assert trust("https://münchen.example/") is Trust.MIXED
    assert trust("https://MÜNCHEN.example/") is Trust.MIXED
    assert trust("https://xn--mnchen-3ya.example/") is Trust.MIXED


def test_of_two_lists_the_stricter_decides_and_the_discussion_is_named() -> None:
    found = LISTS.of("https://both.example/", ENWIKI)

    assert (found.trust, found.shortcut) == (Trust.SELF_PUBLISHED, "WP:BOTH")


def test_a_wikis_list_is_its_own() -> None:
    assert trust("https://daily.example/", "de.wikipedia.org") is Trust.UNLISTED
    assert trust("https://daily.example/", "en.m.wikipedia.org") is Trust.DEPRECATED
    assert trust("https://copy.example/", "de.wikipedia.org") is Trust.MIRROR


def test_a_wiki_without_a_list_is_told_so() -> None:
    here = LISTS.of("https://new.example/", ENWIKI).note
    there = LISTS.of("https://new.example/", "de.wikipedia.org").note

    assert "Not on this wiki's list" in here
    assert "No list" in there


@given(st.text())
def test_no_address_makes_it_raise(address: str) -> None:
    assert trust(address)
    assert trust(f"https://{address}")
