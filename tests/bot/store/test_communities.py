"""A community's page counts as it last was without faults."""

from bot.records.watches import CommunityPage
from bot.store import Store
from tests.bot.store.runs import NOON, WIKI, hour

_GOOD = CommunityPage('{"größe": "🕰"}', 70, NOON)


def test_a_page_comes_out_as_it_was_kept(store: Store) -> None:
    assert store.communities.get(WIKI) is None

    store.communities.keep(WIKI, _GOOD)

    assert store.communities.get(WIKI) == _GOOD
    assert store.communities.get("de.wikipedia.org") is None


def test_faults_of_a_newer_version_stand_beside_the_last_good_one(
    store: Store,
) -> None:
    store.communities.keep(WIKI, _GOOD)
    store.communities.keep(WIKI, CommunityPage("{", 71, hour(1), ("no JSON",)))

    assert store.communities.get(WIKI) == CommunityPage(
        _GOOD.text, 70, hour(1), ("no JSON",)
    )

    mended = CommunityPage("{}", 72, hour(2))
    store.communities.keep(WIKI, mended)
    assert store.communities.get(WIKI) == mended


def test_a_page_that_was_never_good_has_no_text(store: Store) -> None:
    store.communities.keep(WIKI, CommunityPage("{", 71, NOON, ("no JSON", "empty")))

    community = store.communities.get(WIKI)

    assert community == CommunityPage("", 0, NOON, ("no JSON", "empty"))


def test_what_was_read_before_does_not_replace_what_was_read_later(
    store: Store,
) -> None:
    later = CommunityPage("{}", 72, hour(2))
    store.communities.keep(WIKI, later)

    store.communities.keep(WIKI, _GOOD)

    assert store.communities.get(WIKI) == later
