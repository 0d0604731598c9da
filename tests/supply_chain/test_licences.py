"""Every package may be used here, and is on the list."""

import pytest

from tests.supply_chain.licences import LIST, as_markdown, is_allowed, listed


def test_every_package_is_under_a_licence_that_is_allowed() -> None:
    refused = {name: terms for name, terms, _ in listed() if not is_allowed(terms)}

    assert refused == {}


def test_the_list_holds_every_package_with_its_licence_and_no_other() -> None:
    assert LIST.read_text() == as_markdown(), "./dev licences --write"


@pytest.mark.parametrize(
    ("terms", "allowed"),
    [
        ("MIT", True),
        ("Apache-2.0 AND MIT", True),
        ("MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-or-later", True),
        ("GPL-2.0-only", False),
        ("MIT AND GPL-2.0-only", False),
        ("MIT, Apache-2.0", True),
        ("MIT, GPL-2.0-only", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_one_way_has_to_be_free_and_all_parts_of_it(
    terms: str, *, allowed: bool
) -> None:
    assert is_allowed(terms) is allowed
