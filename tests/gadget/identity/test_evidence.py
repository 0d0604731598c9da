"""Which edits show who somebody is, whatever the history of the page looks like."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.identity.proof import Evidence, Finding, Holding, Saved, finding_of

BEFORE = 10
HERS = Saved(
    revision_id=12,
    holding=Holding.YES,
    is_own=True,
    is_named=True,
    is_revert=False,
    is_typed=False,
    is_listed=True,
    sha1="c",
)
EMPTY = replace(HERS, revision_id=10, holding=Holding.NO, is_named=False, sha1="a")
OTHER = replace(EMPTY, revision_id=11, is_own=False, sha1="b")
HIS = replace(OTHER, holding=Holding.YES, is_named=True)
LATER = replace(OTHER, revision_id=13, sha1="d")
OWN_LATER = replace(LATER, is_own=True)


def evidence(*newest_first: Saved) -> Evidence:
    return Evidence(
        newest_first, BEFORE, has_older=False, is_displaced=False, is_redirect=False
    )


@pytest.mark.parametrize(
    ("revisions", "finding"),
    [
        ((), Finding.WAITING),
        ((EMPTY,), Finding.WAITING),
        ((OTHER, EMPTY), Finding.BY_ANOTHER),
        ((replace(OTHER, is_own=True), EMPTY), Finding.WAITING),
        ((EMPTY, replace(OTHER, revision_id=9)), Finding.WAITING),
        ((HERS,), Finding.PROVEN),
        ((HERS, EMPTY), Finding.PROVEN),
        ((HERS, OTHER, EMPTY), Finding.BY_ANOTHER),
        ((HERS, replace(OTHER, is_own=True), EMPTY), Finding.PROVEN),
        ((HERS, replace(OTHER, revision_id=9)), Finding.PROVEN),
        ((HIS,), Finding.BY_ANOTHER),
        ((HERS, HIS, EMPTY), Finding.BY_ANOTHER),
        ((LATER, HIS), Finding.BY_ANOTHER),
        ((replace(HERS, revision_id=14), LATER, HERS), Finding.BY_ANOTHER),
        ((replace(HERS, revision_id=14), OWN_LATER, HERS), Finding.TWICE),
        ((replace(OWN_LATER, holding=Holding.YES), HERS), Finding.TWICE),
        ((LATER, HERS), Finding.BY_ANOTHER),
        ((OWN_LATER, HERS), Finding.REMOVED),
        (
            (HERS, replace(EMPTY, revision_id=11, holding=Holding.UNSEEN)),
            Finding.UNSEEN,
        ),
        ((HERS, replace(EMPTY, holding=Holding.UNSEEN)), Finding.PROVEN),
        ((replace(OWN_LATER, holding=Holding.UNSEEN), EMPTY), Finding.UNSEEN),
        ((replace(HERS, is_revert=True), EMPTY), Finding.REVERT),
        ((replace(HERS, is_typed=True), EMPTY), Finding.UNNAMED),
        ((HERS, replace(EMPTY, sha1="c")), Finding.REVERT),
        ((replace(HERS, sha1=None), EMPTY), Finding.REVERT),
        ((replace(HERS, revision_id=9),), Finding.REVERT),
        ((replace(HERS, is_named=False),), Finding.UNNAMED),
        ((replace(HERS, is_listed=False),), Finding.WAITING),
    ],
)
def test_what_a_history_shows(revisions: tuple[Saved, ...], finding: Finding) -> None:
    assert finding_of(evidence(*revisions)) is finding


def test_nothing_counts_where_revisions_came_or_went_otherwise() -> None:
    hers = evidence(HERS, EMPTY)

    displaced, redirect = (
        replace(hers, is_displaced=True),
        replace(hers, is_redirect=True),
    )

    assert finding_of(displaced) is Finding.DISPLACED
    assert finding_of(replace(displaced, revisions=())) is Finding.DISPLACED
    assert finding_of(redirect) is Finding.REDIRECT


def test_all_revisions_since_the_beginning_have_to_be_read() -> None:
    cut = replace(evidence(HERS, replace(OTHER, is_own=True)), has_older=True)

    assert finding_of(cut) is Finding.TOO_MANY
    assert finding_of(replace(cut, revisions=(HERS, EMPTY))) is Finding.PROVEN
    assert finding_of(replace(cut, revisions=())) is Finding.TOO_MANY


_SAVED = st.builds(
    Saved,
    revision_id=st.integers(8, 16),
    holding=st.sampled_from(Holding),
    is_own=st.booleans(),
    is_named=st.booleans(),
    is_revert=st.booleans(),
    is_typed=st.booleans(),
    is_listed=st.booleans(),
    sha1=st.sampled_from([None, "a", "b", "c"]),
)


@given(
    st.builds(
        Evidence,
        revisions=st.lists(_SAVED, max_size=5),
        newest_before=st.just(BEFORE),
        has_older=st.booleans(),
        is_displaced=st.booleans(),
        is_redirect=st.booleans(),
    )
)
def test_whatever_is_proven_was_brought_in_by_one_edit_of_the_account(
    shown: Evidence,
) -> None:
    if finding_of(shown) is not Finding.PROVEN:
        return
    newest, *older = shown.revisions
    assert newest.holding is Holding.YES
    assert newest.is_own
    assert newest.is_named
    assert newest.is_listed
    assert not newest.is_revert
    assert not newest.is_typed
    assert newest.revision_id > BEFORE
    assert newest.sha1 not in {None, *(each.sha1 for each in older)}
    assert all(each.holding is not Holding.YES for each in older)
    since = [each for each in older if each.revision_id > BEFORE]
    assert all(each.is_own and each.holding is Holding.NO for each in since)
    assert not shown.is_displaced
    assert not shown.is_redirect
