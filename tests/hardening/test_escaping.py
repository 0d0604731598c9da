"""A piece of the 20,000 hostile texts through a real MediaWiki."""

import pytest

from tests.hardening.escaping import _is_harmless, texts, try_texts
from tests.rig.wiki.mediawiki import Wiki

pytestmark = [pytest.mark.mediawiki, pytest.mark.shared_data]


def test_a_real_parser_makes_nothing_of_hostile_texts(wiki: Wiki) -> None:
    given = texts(6_000, seed=8)[::19]

    figures = try_texts(wiki.host, given)

    assert figures.faults == []
    assert figures.tried > 300


def test_a_text_that_does_something_would_be_noticed(
    wiki: Wiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.wiki.escaping.text", lambda raw: raw)

    for raw in ("[[Oslo]]", "{{Citation}}", "~~~~", "[http://a.example x]", "''a''"):
        assert not _is_harmless(wiki.host, [raw])
    assert _is_harmless(wiki.host, ["words"])
