"""What comes from outside is a value, is made fit, or is refused."""

from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from bot.store import Store
from handlers.model import (
    Message,
    PageId,
    Probabilities,
)
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.runs import (
    NOON,
    TITLE,
    WIKI,
    hour,
    run,
    suggestion,
)

_FIRST, _SECOND = suggestion("First claim"), suggestion("Second claim")


_HOSTILE = [
    pytest.param("'; DROP TABLE suggestions; --", id="quote"),
    pytest.param('" OR ""="', id="double quote"),
    pytest.param("\\' OR 1=1 #", id="backslash"),
    pytest.param("%s %(x)s :name ? {0}", id="placeholders"),
    pytest.param("%' UNION SELECT 1,2 /*", id="comment"),
    pytest.param("🌪️ 東京 \u202e right to left", id="scripts"),
    pytest.param(" \t leading and trailing \n", id="white space"),
]


@pytest.mark.parametrize("words", _HOSTILE)
def test_every_word_is_only_ever_a_value(store: Store, words: str) -> None:
    found = suggestion(
        words, identity=words, quote=words, quote_url=words, section=(words, words)
    )
    claim = builders.claim(words, section=(words,))
    source = builders.source(url=words)
    check = builders.claim_check(of=claim, fetches=(builders.fetch(source),))

    store.save_check(run(title=words, checks=[check]), [found])
    [stored] = store.suggestions_of(WIKI, words)
    last = store.last_check(WIKI, words)
    assert store.suggestions_of(words, words) == ()

    assert replace(stored.suggestion, page=found.page) == found
    assert last
    assert (last.claims[0].text, last.claims[0].section) == (words, (words,))
    assert last.claims[0].fetches[0].source_key == words


@pytest.mark.parametrize(
    ("words", "stored_as"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b", "a?b"),
        ("x" * 100_001, "x" * 99_999 + "…"),
        ("🌪" * 100_001, "🌪" * 99_999 + "…"),
    ],
    ids=["NUL", "half a letter", "too long", "too long in four bytes"],
)
def test_text_that_a_database_refuses_is_made_fit(
    store: Store, words: str, stored_as: str
) -> None:
    found = suggestion(identity="1", claim=words, quote=words)
    check = builders.claim_check(of=builders.claim(words), advice=Message("", words))

    store.save_check(run(checks=[check]), [found])
    [stored] = store.suggestions_of(WIKI, TITLE)
    last = store.last_check(WIKI, TITLE)

    assert (stored.suggestion.claim, stored.suggestion.quote) == (stored_as, stored_as)
    assert last
    [claim] = last.claims
    assert (claim.text, claim.advice) == (stored_as, Message("", stored_as))


def test_headings_addresses_and_sources_of_any_length_fit(store: Store) -> None:
    long = "é\0\ud800" * 30_000
    found = suggestion(
        section=(long,) * 200, source_keys=(long,) * 200, quote_url=f"https://{long}"
    )
    fetch = builders.fetch(builders.source(url=long), detail=long, url=long)

    store.save_check(run(checks=[builders.claim_check(fetches=(fetch,))]), [found])

    [stored] = store.suggestions_of(WIKI, TITLE)
    assert len(stored.suggestion.section) == 100
    assert len(stored.suggestion.quote_url or "") == 2000


@pytest.mark.parametrize("title", ["", "x" * 256, "🌪" * 65_536])
def test_a_title_that_cannot_be_a_key_is_refused_not_clipped(
    store: Store, title: str
) -> None:
    with pytest.raises(PermanentError, match=r"the title .* takes 1 to 255"):
        store.save_check(run(title=title), [_FIRST])

    store.save_check(run(title="🌪" * 255), [_FIRST])
    assert store.suggestions_of(WIKI, "🌪" * 255)


@pytest.mark.parametrize("faulty", [float("nan"), float("inf"), -0.1])
def test_a_run_with_an_impossible_number_is_refused_as_a_whole(
    store: Store, faulty: float
) -> None:
    with pytest.raises(PermanentError, match="is not a probability"):
        store.save_check(run(), [_FIRST, replace(_SECOND, probability=faulty)])

    assert store.suggestions_of(WIKI, TITLE) == ()
    assert store.last_check(WIKI, TITLE) is None


def test_times_are_kept_in_every_zone_and_refused_without_one(store: Store) -> None:
    elsewhere = NOON.astimezone(timezone(timedelta(hours=-7)))
    store.save_check(run(at=elsewhere), [])

    assert not store.save_check(run(at=NOON), [])
    last = store.last_check(WIKI, TITLE)
    assert last
    assert last.checked_at == NOON


def test_numbers_of_any_size_a_wiki_has_survive(store: Store) -> None:
    probabilities = Probabilities(1 / 3, 0.1 + 0.2, 1e-300, 0.0)
    check = builders.claim_check(
        verification=builders.verification(probabilities=probabilities)
    )
    report = run(2**62, checks=[check])
    page = PageId(WIKI, TITLE, page_id=2**62, revision_id=2**62, revised_at=hour(-1))

    store.save_check(replace(report, page=replace(report.page, id=page)), [])
    last = store.last_check(WIKI, TITLE)

    assert last
    assert last.page == page
    assert last.claims[0].probabilities == probabilities
