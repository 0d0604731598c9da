"""Origins, tags, and the rules that come of the settings. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import Settings
from bot.wiki.address import parse_address
from gadget.api import Origins, origin_of, origins_of_wikis, rules_of
from gadget.api.answers import Remembered, is_known, tag_of


def _settings(**given: object) -> Settings:
    return Settings.model_validate(given)


def test_the_wikis_that_are_watched_may_ask_with_their_mobile_twins() -> None:
    named = ("en.wikipedia.org", "https://www.wikidata.org", "http://127.0.0.1:8080/w/")
    addresses = [parse_address(one) for one in named]
    rules = rules_of(
        _settings(
            gadget_origins="https://wiki.example.org, https://other.example:8443",
            panel_address="https://tool.example/panel",
        ),
        [one.host for one in addresses],
        addresses,
        b"what nobody knows",
    )

    assert rules.wikis == {"en.wikipedia.org", "www.wikidata.org", "127.0.0.1:8080"}
    assert rules.origins.allowed == {
        "https://en.wikipedia.org",
        "https://en.m.wikipedia.org",
        "https://www.wikidata.org",
        "https://m.wikidata.org",
        "https://127.0.0.1:8080",
        "http://127.0.0.1:8080",
        "https://wiki.example.org",
        "https://other.example:8443",
        "https://tool.example",
    }
    assert rules.origins.names is not None
    assert {"tool.example", "localhost"} <= rules.origins.names
    assert rules.address == "https://tool.example/panel"
    assert "nobody knows" not in repr(rules)


def test_where_anybody_may_reach_us_no_page_is_our_own_by_its_word() -> None:
    rules = rules_of(_settings(serve_host="0.0.0.0"), [], [], b"")  # noqa: S104 - of a test

    assert rules.origins.names is None
    request = {"scheme": "http", "host": "evil.example", "name": "evil.example"}
    assert not rules.origins.allows("http://evil.example", **request)


@pytest.mark.parametrize(
    "origin",
    ["*", "https://*.example.org", "https://a.org/", "a.org", "null", "ftp://a.org"],
)
def test_an_origin_that_is_none_is_not_set(origin: str) -> None:
    with pytest.raises(ValueError, match="give origins such as"):
        _settings(gadget_origins=origin)


@given(st.text(max_size=60))
def test_no_text_but_the_origin_itself_may_ask(text: str) -> None:
    allowed = origins_of_wikis(["en.wikipedia.org"], [])
    origins = Origins(allowed, frozenset({"localhost"}))

    request = {"scheme": "http", "host": "localhost:1", "name": "localhost"}
    expected = text in allowed or text == "http://localhost:1"
    assert origins.allows(text, **request) is expected
    for origin in allowed:
        if text:
            assert not origins.allows(origin + text, **request)
            assert not origins.allows(text + origin, **request)


@given(st.text(max_size=40))
def test_an_address_has_an_origin_or_none(text: str) -> None:
    for start in ("", "https://", "http://[", "https://a:"):
        found = origin_of(start + text)
        assert found is None or found.startswith(("http://", "https://"))


@given(st.lists(st.text(max_size=8), max_size=4), st.text(max_size=30))
def test_a_tag_is_of_its_parts_and_of_no_others(parts: list[str], other: str) -> None:
    tag = tag_of(*parts)

    assert tag != tag_of(*parts, other)
    assert is_known(tag, tag)
    assert is_known(tag, f'W/"x", {tag}')
    assert is_known(tag, tag.removeprefix("W/"))
    assert not is_known(tag, '"x"')
    assert not is_known(tag, None)
    assert is_known(tag, " * ")


def test_what_is_remembered_is_bounded_by_count_and_by_size() -> None:
    remembered = Remembered(most=3, most_bytes=100)

    for number in range(5):
        remembered.keep(str(number), b"a" * 10)
    assert [bool(remembered.get(str(n))) for n in range(5)] == [False] * 2 + [True] * 3
    remembered.keep("large", b"a" * 95)
    assert len(remembered) == 1
    remembered.keep("too large", b"a" * 101)
    assert len(remembered) == 0
    remembered.keep("again", b"a" * 60)
    remembered.keep("again", b"a" * 60)
    assert remembered.get("again")
