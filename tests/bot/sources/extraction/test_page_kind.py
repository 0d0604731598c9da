"""Pages that are no articles: walls, logins, lists and the like."""

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from bot.sources.extraction import Extractor
from bot.sources.extraction.html import read_html
from bot.sources.extraction.page_kinds import classify_plain, what_stands_there
from bot.sources.extraction.text import clean_text
from bot.sources.folder import SourceFolder
from handlers.model import Source, SourceForm, SourceOutcome
from tests.shared_data import shared_data

BOILERPLATE = SourceOutcome.BOILERPLATE
SOFT_404 = SourceOutcome.SOFT_404
URL = "https://weavers.example/history"
SHELLS = {
    "contact": (
        BOILERPLATE,
        "Contact us\nThe Weavers' Hall\n22 Loom Lane, Oldwick OW4 8PL\nTelephone: 01632"
        " 960 877\nEmail: hall@weavers.example\nOpening hours: Tuesday to Sunday, 10 to"
        " 4\nYour name\nYour email\nYour message\nSend\nFollow us on Facebook",
    ),
    "menu": (
        BOILERPLATE,
        "Weavers' Hall\nHome\nAbout us\nWhat's on\nLearning\nVenue hire\nShop\nSupport"
        " us\nJobs\nContact us\nPrivacy policy\nTerms of use\nCookies",
    ),
    "archive banner": (
        BOILERPLATE,
        "9 captures\n14 Feb 2007 - 3 Jul 2016\nJan FEB Mar\n14\n2006 2007 2008\nAbout"
        " this capture\nCOLLECTED BY\nOrganization: Alexa Crawls\nTIMESTAMPS",
    ),
    "archive without a copy": (
        SOFT_404,
        "Wayback Machine\nHrm.\nWayback Machine doesn't have that page archived.\nThis"
        " page is available on the web!\nHelp make the Wayback Machine more complete!"
        "\nSave this url in the Wayback Machine",
    ),
    "oops": (
        SOFT_404,
        "Oops!\nWe looked high and low but this page is not where it should be.\nIt may"
        " have been moved or deleted.\nTake me to the homepage",
    ),
    "server error": (
        SOFT_404,
        "500 - Internal server error\nSomething went wrong while we were loading this"
        " page. Please try again later.",
    ),
    "login": (
        SourceOutcome.LOGIN_WALL,
        "Reader account\nPlease log in to your account to read this article.\nEmail"
        " address\nPassword\nForgot password?\nNot yet a member? Register now",
    ),
    "cookies": (
        SourceOutcome.COOKIE_WALL,
        "Your privacy matters to us\nTogether with our 214 partners we use cookies to"
        " store and read data on your device for personalised ads.\nAccept all\nReject"
        " all\nManage preferences",
    ),
}
TEXTS = {
    "sentence": "The hall was rebuilt in 1684 after a fire had destroyed the roof.",
    "brief": (
        "Oldwick Herald\nNews\nSport\nFire at mill\nA fire destroyed two floors of the"
        " old spinning mill on Sunday night. Nobody was hurt. The fire brigade was on"
        " the site until noon on Monday.\nShare\nSubscribe\nContact us"
    ),
    "results": (
        "Oldwick Marathon 2019 - men\n1 | John Farrow | GBR | 2:14:08\n2 | Elijah Kemei"
        " | KEN | 2:14:55\n3 | Sam Okoro | GBR | 2:17:30\n4 | Piotr Lis | POL | 2:18:12"
    ),
    "cast": (
        "The Weaver (1987) - full cast\nAnna Merrow ... Judith\nPaul Stanhope ... The"
        " weaver\nLee Castle ... Constable Pine\nDirected by Rose Hale"
    ),
    "museum label": (
        "Loom, about 1790\nOak and iron, 210 x 160 cm\nGiven by the family of Thomas"
        " Reed in 1923\nUsed at Reed's mill in Oldwick until 1851, when the firm bought"
        " its first steam loom."
    ),
    "post": (
        "Post\nOldwick Council\n@OldwickCouncil\nThe bridge on Mill Street will reopen"
        " on Friday 3 May, two weeks earlier than planned.\n9:12 AM · Apr 29, 2019"
    ),
    "about logins": (
        "How the password was born\nIn 1961 the computers at MIT asked their users to"
        " log in with a password for the first time. A year later a student printed"
        " the list of all passwords, so that he could have more time on the machine."
    ),
    "about contact": (
        "The parish council moved its office from Market Street to the Weavers' Hall in"
        " 1974. It could be reached there by telephone on two afternoons a week, and"
        " the clerk, Mary Lowe, answered every letter by hand until she retired."
    ),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_page_without_a_text_is_known_by_its_words(name: str) -> None:
    outcome, text = SHELLS[name]

    found = what_stands_there("", text)

    assert found[0] is outcome


@pytest.mark.parametrize("name", TEXTS)
def test_a_short_text_is_a_text(name: str) -> None:
    assert what_stands_there("", TEXTS[name]) is None


def test_a_long_page_is_taken_for_what_it_shows() -> None:
    _, contact = SHELLS["contact"]

    assert what_stands_there("", contact * 20) is None


def test_a_page_in_another_language_is_not_decided_by_english_words() -> None:
    text = (
        "Kontakt\nHeimatmuseum Altdorf, Lange Gasse 4\nTelefon 0911 555 01\nDas Museum"
        " ist von Dienstag bis Sonntag geöffnet.\nImpressum\nDatenschutz"
    )

    assert what_stands_there("", text) is None


@pytest.mark.parametrize("name", ["contact", "archive banner", "oops", "login"])
@pytest.mark.parametrize("ending", [".html", ".txt"])
@pytest.mark.parametrize("has_index", [True, False])
async def test_a_folder_of_sources_hands_out_no_such_page(
    tmp_path: Path, name: str, ending: str, has_index: bool
) -> None:
    outcome, text = SHELLS[name]
    title, *lines = text.split("\n")
    body = "".join(f"<p>{line}</p>" for line in lines)
    html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}"
    file = tmp_path / (f"a{ending}" if has_index else quote(URL, safe="") + ending)
    file.write_text(html if ending == ".html" else text, encoding="utf-8")
    if has_index:
        entry = {"url": URL, "file": file.name, "captured": "2024-05-31"}
        (tmp_path / "index.json").write_text(json.dumps([entry]), encoding="utf-8")

    async with Extractor(children=1) as extractor:
        fetch = await SourceFolder(tmp_path, extractor).read(
            Source(SourceForm.URL, URL, url=URL)
        )

    assert fetch.outcome is outcome
    assert fetch.document is None


PAGES = Path(__file__).parent / "pages"
SAMPLES = sorted(PAGES.glob("*/*.html"))

# Of 5,699 distinct texts 122 are flagged; all of these that were looked at are walls.
MOST_FLAGGED_SHARE = 0.03


def test_a_page_is_classified_by_what_it_shows() -> None:
    wrong = {}
    for sample in SAMPLES:
        expected = SourceOutcome[sample.parent.name.upper()]

        found = read_html(
            sample.read_bytes(),
            content_type="text/html; charset=utf-8",
            url="https://a.example/x",
        )

        is_read = found.document is not None
        if (found.outcome, is_read) != (expected, expected is SourceOutcome.READ):
            wrong[f"{sample.parent.name}/{sample.stem}"] = found.outcome, found.detail
    assert wrong == {}


def test_each_outcome_has_at_least_six_samples() -> None:
    samples = Counter(sample.parent.name for sample in SAMPLES)

    assert len(samples) == 7
    assert min(samples.values()) >= 6


def test_a_wall_in_front_of_nothing_is_known_from_plain_text_too() -> None:
    wall = classify_plain(
        "404 Not Found\nThe requested URL was not found on this server."
    )

    assert wall.outcome is SourceOutcome.SOFT_404


def test_a_long_text_is_never_a_wall() -> None:
    text = "Page not found. Verify you are human. Subscribe to continue reading. " * 60

    assert classify_plain(text) is None


def cited(file: Path) -> Iterator[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for content in json.loads(line)["citation_contents"].values():
                if content and content.get("content"):
                    yield content["content"]


@pytest.mark.shared_data
def test_few_of_thousands_of_real_page_texts_are_taken_for_walls() -> None:
    folder = shared_data("wiki_live_challenge") / "systems_dev"
    texts = {text for file in sorted(folder.glob("*.gz"))[:3] for text in cited(file)}

    walls = [text for text in texts if classify_plain(clean_text(text))]

    assert len(texts) > 500
    assert len(walls) <= MOST_FLAGGED_SHARE * len(texts)
    assert max(map(len, walls), default=0) < 6000
