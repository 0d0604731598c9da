import pytest

from bot.adapters.wiki_address import parse_address
from handlers.ports import PermanentError


@pytest.mark.parametrize(
    ("wiki", "api"),
    [
        ("en.wikipedia.org", "https://en.wikipedia.org/w/api.php"),
        (" EN.Wikipedia.org ", "https://en.wikipedia.org/w/api.php"),
        ("https://de.wikipedia.org/", "https://de.wikipedia.org/w/api.php"),
        ("https://de.wikipedia.org/wiki/Berlin", "https://de.wikipedia.org/w/api.php"),
        ("https://de.wikipedia.org/wiki", "https://de.wikipedia.org/w/api.php"),
        ("https://a.example/w/api.php", "https://a.example/w/api.php"),
        ("https://a.example/m/index.php?title=X", "https://a.example/m/api.php"),
        ("a.example/mediawiki/", "https://a.example/mediawiki/api.php"),
        ("http://a.example:8080", "http://a.example:8080/w/api.php"),
        ("127.0.0.1:8180", "http://127.0.0.1:8180/w/api.php"),
        ("localhost", "http://localhost/w/api.php"),
        ("[::1]:80", "http://[::1]:80/w/api.php"),
        ("bücher.example", "https://bücher.example/w/api.php"),
    ],
)
def test_what_people_write_leads_to_the_api(wiki: str, api: str) -> None:
    assert parse_address(wiki).api == api


def test_scheme_and_path_can_be_given() -> None:
    address = parse_address("a.example", scheme="http", path="/")

    assert address.api == "http://a.example/api.php"


@pytest.mark.parametrize(
    "wiki",
    [
        "",
        "   ",
        "https://",
        "ftp://a.example",
        "file:///etc/passwd",
        "http://user:secret@a.example",
        "a.example:99999",
        "a.example:x",
        "http://[::1",
        "a.example\\@b.example",
        "a b.example",
        "a.example\x00",
        "//",
        "/w/",
    ],
)
def test_what_is_no_wiki_is_refused_with_an_example(wiki: str) -> None:
    with pytest.raises(PermanentError, match="write a host name such as"):
        parse_address(wiki)
