"""The lists that ship, and that they are what their data says."""

import re
from pathlib import Path

import pytest

from bot.research.training.reliability import SHIPPED, make
from bot.sources.reliability import load_reliability
from handlers.model import Trust
from handlers.ports import PermanentError
from tests.shared_data import shared_data

LISTS = load_reliability()
ENWIKI = "en.wikipedia.org"


@pytest.mark.parametrize(
    ("address", "trust", "shortcut"),
    [
        ("https://www.nytimes.com/2020/01/01/a.html", Trust.RELIABLE, "WP:NYTIMES"),
        ("https://www.dailymail.co.uk/news/a", Trust.DEPRECATED, "WP:RSPDM"),
        ("https://www.imdb.com/title/tt1", Trust.UNRELIABLE, "WP:IMDB"),
        ("https://www.infowars.com/a", Trust.BLACKLISTED, "WP:INFOWARS"),
        ("https://www.atlasobscura.com/places/a", Trust.UNRELIABLE, "WP:AOPLACES"),
        ("https://www.atlasobscura.com/articles/a", Trust.RELIABLE, "WP:AOARTICLES"),
        ("https://www.forbes.com/sites/jane/2020/a", Trust.SELF_PUBLISHED, None),
        ("https://www.cnet.com/a", Trust.MIXED, "WP:CNET"),
        ("https://simple.wikipedia.org/wiki/Ant", Trust.MIRROR, "WP:RSPWP"),
        ("https://someone.blogspot.com/2020", Trust.UNRELIABLE, "WP:BLOGGER"),
        ("http://ardsj.com/", Trust.QUESTIONED, None),
        ("https://sites.google.com/site/ijcsis/home", Trust.QUESTIONED, None),
        ("https://sites.google.com/site/mine", Trust.SELF_PUBLISHED, None),
        ("https://www.weather.gov/bmx/event", Trust.UNLISTED, None),
        ("https://www.tmu.ac.in/", Trust.UNLISTED, None),
    ],
)
def test_what_the_english_wikipedia_thinks(
    address: str, trust: Trust, shortcut: str | None
) -> None:
    found = LISTS.of(address, ENWIKI)

    assert found.trust is trust
    assert shortcut is None or found.shortcut == shortcut


def test_a_label_says_whose_list_it_is() -> None:
    def named_by(address: str, wiki: str = ENWIKI) -> str:
        return LISTS.of(address, wiki).named_by

    assert named_by("https://www.nytimes.com/a") == "WP:RSP, April 2026"
    assert named_by("http://ardsj.com/") == "Stop Predatory Journals, 2017"
    assert named_by("https://x.com/a", "de.wikipedia.org") == "Sidenote"
    assert named_by("https://www.weather.gov/") == ""


def test_an_old_list_alone_is_no_reason_to_ask_for_another_source() -> None:
    found = LISTS.of("http://ardsj.com/", ENWIKI).trust

    assert not found.asks_for_another
    assert not found.may_be_recommended
    assert LISTS.of("https://www.dailymail.co.uk/", ENWIKI).trust.asks_for_another


def test_what_a_wiki_says_itself_counts_before_all_lists() -> None:
    own = LISTS.with_own(
        "de.wikipedia.org",
        {
            "example.org": Trust.UNRELIABLE,
            "https://www.example.org/archive/": Trust.RELIABLE,
            "x.com": Trust.MIXED,
        },
    )

    def trust(address: str, wiki: str = "de.wikipedia.org") -> Trust:
        return own.of(address, wiki).trust

    assert trust("https://example.org/news") is Trust.UNRELIABLE
    assert trust("https://example.org/archive/1") is Trust.RELIABLE
    assert trust("https://x.com/someone") is Trust.MIXED
    assert trust("https://x.com/someone", ENWIKI) is Trust.SELF_PUBLISHED
    assert trust("https://www.nytimes.com/", ENWIKI) is Trust.RELIABLE
    assert own.of("https://example.org/", "de.wikipedia.org").named_by == (
        "de.wikipedia.org"
    )
    assert LISTS.with_own("de.wikipedia.org", {}) is LISTS


@pytest.mark.parametrize(
    ("address", "trust"),
    [
        ("https://www.dailymail.co.uk/news/a", Trust.UNLISTED),
        ("https://en.wikipedia.org/wiki/Ant", Trust.MIRROR),
        ("https://x.com/someone/status/1", Trust.SELF_PUBLISHED),
    ],
)
def test_on_other_wikis_only_copies_and_self_published_pages_are_known(
    address: str, trust: Trust
) -> None:
    assert LISTS.of(address, "de.wikipedia.org").trust is trust


def test_every_line_is_a_host_in_its_plain_form() -> None:
    lines = [
        line.split("\t")[0]
        for file in SHIPPED.glob("*.tsv")
        for line in file.read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]

    assert len(lines) > 3000
    for place in lines:
        host, _, path = place.partition("/")
        assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", host), place
        assert path == path.lower().strip("/"), place


def test_nothing_that_editors_wrote_ships() -> None:
    for file in SHIPPED.glob("*.tsv"):
        for line in file.read_text("utf-8").splitlines():
            assert line.startswith("#") or len(line.split("\t")) <= 3, line


def test_whose_lists_they_are_stands_beside_them() -> None:
    text = (SHIPPED / "ATTRIBUTION.md").read_text("utf-8")

    assert "CC BY-SA 4.0" in text
    assert "Copyright (c) 2017 Stop Predatory Journals" in text
    assert all(file.name in text for file in SHIPPED.glob("*.tsv"))


@pytest.mark.shared_data
def test_the_lists_are_made_from_their_data_again() -> None:
    files = make(shared_data("source_reliability/rsp_2026.jsonl").parent)

    assert len(files) == 2
    for name, text in files.items():
        assert (SHIPPED / name).read_text("utf-8") == text, name


def test_rows_about_one_address_are_put_together(tmp_path: Path) -> None:
    rows = [
        '{"domains": ["A.example"], "status": "gr", "blacklisted": false, "shortcut": null}',
        '{"domains": ["a.example"], "status": "gu", "blacklisted": false, "shortcut": "WP:A"}',
        '{"domains": ["b.example"], "status": "gu", "blacklisted": false, "shortcut": null}',
        '{"domains": ["b.example", "b.example/x/"], "status": "d", "blacklisted": true, "shortcut": null}',
        '{"domains": ["c.example", "c.example/y"], "status": "gr", "blacklisted": false, "shortcut": null}',
        '{"domains": ["no host"], "status": "gr", "blacklisted": false, "shortcut": null}',
    ]
    (tmp_path / "rsp_2026.jsonl").write_text("\n".join(rows), "utf-8")
    header = "url,name\n"
    (tmp_path / "predatory_journals.csv").write_text(
        f"{header}http://www.j.example/Default.aspx,J\n"
        "http://k.example/Abc/index.php,K\n"
        "http://l.ac.in/journal.htm,L\n"
        "http://m.example/journals.html,M\n"
        "nothing,N\n",
        "utf-8",
    )
    (tmp_path / "predatory_publishers.csv").write_text(header, "utf-8")
    (tmp_path / "predatory_hijacked.csv").write_text(
        "hijacked,hijackedurl\nJ,http://www.j.example\n", "utf-8"
    )

    files = make(tmp_path)

    assert files["enwiki_perennial_sources.tsv"].splitlines() == [
        "a.example\tmixed\tWP:A",
        "b.example\tblacklisted",
        "c.example\treliable",
    ]
    assert files["predatory.tsv"].splitlines() == [
        "j.example\tpredatory",
        "k.example/abc\tpredatory",
        "l.ac.in/journal.htm\tpredatory",
        "m.example\tpredatory",
    ]


def test_a_folder_without_the_data_is_reported_with_what_it_must_hold(
    tmp_path: Path,
) -> None:
    with pytest.raises(PermanentError, match=r"rsp_2026\.jsonl"):
        make(tmp_path)
