"""An address is kept as written, without what only follows its readers."""

import pytest

from handlers.citations.addresses import untracked


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://e.org/a?id=1&utm_source=x", "https://e.org/a?id=1"),
        ("https://e.org/a?utm_source=x&fbclid=1#top", "https://e.org/a"),
        ("https://e.org/a?q=%20b&empty=&flag", "https://e.org/a?q=%20b&empty=&flag"),
        ("https://e.org/a?page=utm_source", "https://e.org/a?page=utm_source"),
        ("", ""),
    ],
)
def test_only_tracking_and_the_fragment_go(address: str, kept: str) -> None:
    assert untracked(address) == kept
