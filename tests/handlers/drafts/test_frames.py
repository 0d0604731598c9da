"""What the pages of a site have in common."""

from handlers.drafts.frames import frames, is_of_frame, runs, site_of
from handlers.drafts.screening import screened
from handlers.model import Topic
from tests.handlers.drafts.puppets import document

NOTICE = "the name and the shield of the league are registered marks of the league and may not be used by anybody else"
TOLD = (
    "the lions beat the tigers by two goals to one on monday before a crowd of 900",
    "a bear of the eagles was hurt in the last minute and taken to a hospital",
    "the owls won for the first time since may when they had beaten the hawks",
)


def test_what_three_pages_of_a_site_have_is_its_frame() -> None:
    pages = [frozenset(runs(f"{one} {NOTICE}")) for one in TOLD]

    framed = frames([("news.example", one) for one in pages])["news.example"]

    assert is_of_frame(NOTICE, framed)
    assert not any(is_of_frame(one, framed) for one in TOLD)


def test_one_text_at_three_addresses_is_no_frame() -> None:
    page = frozenset(runs(TOLD[0]))

    assert not frames([("news.example", page)] * 3)["news.example"]


def test_an_address_that_is_none_has_no_site() -> None:
    assert site_of("http://[") == ""
    assert site_of("https://News.example/1") == "news.example"


def test_pages_of_a_site_are_no_copies_for_its_menus() -> None:
    menu = " ".join(f"Item{n} of the long menu of this site." for n in range(60))
    documents = [
        document(
            at,
            f"{menu}\nThe flood in Port Example killed {at + 3} people. It was the {one}.",
            url=f"https://news.example/{at}",
        )
        for at, one in enumerate(TOLD)
    ]

    assert screened(Topic("Port Example flood"), documents).left_out == ()
