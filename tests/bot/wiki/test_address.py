import pytest

from bot.wiki.address import PageAddress, parse_address, parse_page_address
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
        ("en.m.wikipedia.org", "https://en.wikipedia.org/w/api.php"),
        ("https://de.m.wiktionary.org/", "https://de.wiktionary.org/w/api.php"),
        ("a.m.example", "https://a.m.example/w/api.php"),
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


@pytest.mark.parametrize(
    ("pasted", "wiki", "title", "revision_id"),
    [
        ("https://e.org/wiki/Old_Clock", "https://e.org", "Old Clock", None),
        ("HTTPS://e.org/wiki/Clock", "https://e.org", "Clock", None),
        ("en.wikipedia.org/wiki/Clock", "en.wikipedia.org", "Clock", None),
        ("https://e.org/wiki/Clock#History", "https://e.org", "Clock", None),
        ("https://e.org/wiki/Caf%C3%A9", "https://e.org", "Café", None),
        ("https://e.org/wiki/AC%2FDC", "https://e.org", "AC/DC", None),
        ("https://e.org/wiki/Clock?oldid=7", "https://e.org", "Clock", 7),
        (
            "https://e.org/w/index.php?title=A_B&oldid=7",
            "https://e.org/w/index.php",
            "A B",
            7,
        ),
        ("https://e.org/m/index.php?title=A", "https://e.org/m/index.php", "A", None),
        ("https://e.org/w/index.php/A_B", "https://e.org/w/index.php", "A B", None),
        ("https://e.org/w/index.php?oldid=7", "https://e.org/w/index.php", "", 7),
        ("https://e.org/wiki/A?diff=8&oldid=7", "https://e.org", "A", 8),
        ("https://e.org/wiki/A?diff=prev&oldid=7", "https://e.org", "A", 7),
        ("https://e.org/wiki/A?diff=cur&oldid=7", "https://e.org", "A", None),
        ("https://e.org/wiki/Special:PermanentLink/7", "https://e.org", "", 7),
        ("https://e.org/wiki/Special:Diff/7/8", "https://e.org", "", 8),
    ],
)
def test_a_pasted_address_names_wiki_title_and_revision(
    pasted: str, wiki: str, title: str, revision_id: int | None
) -> None:
    assert parse_page_address(pasted) == PageAddress(wiki, title, revision_id)


@pytest.mark.parametrize(
    "title", ["Clock", "AC/DC", "Node.js", "Http", "What is this?", "a b.c/wiki/d", ""]
)
def test_a_title_is_no_address(title: str) -> None:
    assert parse_page_address(title) is None


@pytest.mark.parametrize(
    ("pasted", "message"),
    [
        ("https://e.org/", "not the address of a wiki's page"),
        ("https://e.org/wiki/", "not the address of a wiki's page"),
        ("https://e.org/w/index.php?curid=7", "not the address of a wiki's page"),
        ("http://[bad/wiki/Clock", "write a host name such as"),
        ("http://e.org:99999/wiki/Clock", "write a host name such as"),
        ("http:///wiki/Clock", "write a host name such as"),
        ("https://e.org/wiki/Clock?oldid=" + "9" * 5000, "number of a revision"),
        ("https://e.org/wiki/Clock?oldid=seven", "number of a revision"),
        ("https://e.org/wiki/Clock?oldid=७", "number of a revision"),
    ],
)
def test_an_address_that_leads_to_no_page_is_explained(
    pasted: str, message: str
) -> None:
    with pytest.raises(PermanentError, match=message):
        parse_page_address(pasted)
