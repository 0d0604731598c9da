"""A shop is recognised by its address."""

import pytest

from handlers.documents.document import is_shop


@pytest.mark.parametrize(
    "address",
    [
        "https://sample.example/products/harbour-film",
        "https://sample.example/en/product/harbour-film",
        "https://shop.sample.example/tide",
        "https://sample.store/tide",
    ],
)
def test_a_page_of_a_shop_is_no_source(address: str) -> None:
    assert is_shop(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://news.example/2026/harbour-shop-closed",
        "https://independence-judges-lawyers.example/country",
        "https://example.gov/production/tide",
        "https://goods.example/tide",
        "not an address",
    ],
)
def test_other_pages_may_be_sources(address: str) -> None:
    assert not is_shop(address)
