"""Addresses die and come back, a token is withdrawn; `./dev torture` has the long form."""

import pytest

from tests.torture import reach


def test_an_address_that_comes_back_is_dead_no_longer() -> None:
    tally = reach.addresses(12, seed=2)

    assert not tally.faults, str(tally)
    assert tally.figures["returns"] >= 3
    assert tally.figures["links that are gone"] >= 1


@pytest.mark.mediawiki
def test_what_a_withdrawn_token_let_us_see_is_watched_no_longer() -> None:
    tally = reach.watchlist(1, seed=1)

    assert not tally.faults, str(tally)
