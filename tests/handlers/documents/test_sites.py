"""Shops, blogs and talk are told by address and title."""

import pytest

from handlers.documents import document
from handlers.model import Ignored


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://sample.example/products/harbour-film", Ignored.ADVERTISING),
        ("https://shop.sample.example/tide", Ignored.ADVERTISING),
        ("https://sample.store/tide", Ignored.ADVERTISING),
        ("https://blog.sample.example/tide", Ignored.UNRELIABLE),
        ("https://truecrime.blog/tide", Ignored.UNRELIABLE),
        ("https://forum.sample.example/t/1", Ignored.UNRELIABLE),
        ("https://roe-injurylawyers.example/tide", Ignored.UNRELIABLE),
        ("https://odds.sample.example/tide", Ignored.UNRELIABLE),
        ("https://celebnetworth.example/roe", Ignored.UNRELIABLE),
    ],
)
def test_pages_of_a_kind_are_no_sources(address: str, expected: Ignored) -> None:
    fault = document.site_fault(address)
    assert fault is not None
    assert fault[0] is expected


@pytest.mark.parametrize(
    "address",
    [
        "https://news.example/2026/harbour-shop-closed",
        "https://alphabet.example/news/tide",
        "https://fantasy.example/tide",
        "https://example.gov/production/tide",
        "https://goods.example/tide",
        "not an address",
    ],
)
def test_other_pages_may_be_sources(address: str) -> None:
    assert document.site_fault(address) is None


def test_titles_tell_talk() -> None:
    assert document.is_talk("Interview: Jane Roe on the harbour")
    assert document.is_talk("The Tide ending explained")
    assert document.is_talk("Jane Roe opens up about the harbour")
    assert not document.is_talk("Harbour bridge closed to lorries")
