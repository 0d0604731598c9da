"""Which sources speak for themselves, when they are enough, and what decisions change."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import (
    Add,
    Backing,
    Corroborate,
    DocumentKind,
    FactDecision,
    Ignore,
    Ignored,
    Imprint,
    Replace,
    SourceText,
    Subject,
    Trust,
    Update,
    UpdateKind,
    UpdateSource,
)
from handlers.sources.addresses import host_of, unarchived
from handlers.sources.reliability import EVERYWHERE, ReliabilityLists, Rule
from handlers.updates.backing import (
    DecisionResult,
    agencies_of,
    apply_decision,
    backing_of,
    in_order,
    site_of,
    source_of,
    voices,
)
from tests.handlers.updates.builders import (
    article,
    candidate,
    document,
    statement,
    subject,
    update,
)

OTHER = "Lorries may no longer use Harbour Bridge, the roads agency announced there."
LISTS = ReliabilityLists(
    (
        Rule("tabloid.example", "", Trust.MIXED, EVERYWHERE),
        Rule("blogs.example", "", Trust.SELF_PUBLISHED, EVERYWHERE),
    )
)


def _source(
    address: str, text: str = OTHER, of: Subject | None = None, page: str = ""
) -> UpdateSource:
    found = candidate(address, text)
    if page:
        found = replace(found, fetch=document(address, page))
    return source_of(found, of or subject(), LISTS)


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://www.bbc.com/news/1", "bbc.com"),
        ("https://news.bbc.co.uk/1", "bbc.co.uk"),
        ("https://a.b.abc.net.au/x", "abc.net.au"),
        ("https://anna.wordpress.com/2026", "anna.wordpress.com"),
        ("https://regional.paper.de", "paper.de"),
        ("https://web.archive.org/web/20260101000000/https://m.bbc.com/1", "bbc.com"),
        ("https://127.0.0.1:8080/1", "127.0.0.1"),
        ("https://localhost/1", "localhost"),
        ("nonsense", ""),
    ],
)
def test_a_site_is_the_domain_that_somebody_registered(address: str, site: str) -> None:
    assert site_of(address) == site


def test_two_sites_with_words_of_their_own_are_two_voices() -> None:
    one, other = _source("https://a.example/1"), _source("https://b.example/1", "Shut.")
    assert voices([one, other]) == 2
    assert backing_of([one], subject()) is Backing.LOW
    assert backing_of([one, other], subject()) is Backing.HIGH


def test_pages_of_one_domain_are_one_voice() -> None:
    one = _source("https://news.a.example/1")
    other = _source("https://www.a.example/2", "Shut.")
    assert backing_of([one, other], subject()) is Backing.LOW


LONG = (
    "The council met on Tuesday evening to hear what engineers had found under the"
    " deck, and voted by nine to two for the closure that shopkeepers had feared."
)


def test_the_same_quote_on_two_sites_is_one_voice() -> None:
    one = _source("https://a.example/1", page=f"{OTHER} {LONG}")
    other = _source("https://b.example/1", page=f"{LONG[::-1]} {OTHER}")
    assert voices([one, other]) == 1


def test_the_same_report_on_two_sites_is_one_voice_whatever_is_quoted() -> None:
    one = _source("https://a.example/1", "Shut.", page=f"Shut. {LONG}")
    other = _source("https://b.example/1", "Barred.", page=f"Barred. {LONG}")
    third = _source("https://c.example/1", "Closed.", page="Closed. We saw it.")
    assert voices([one, other, third]) == 2


def test_two_papers_that_print_one_agency_are_one_voice() -> None:
    one = _source("https://a.example/1", page=f"PORT EXAMPLE (AP) — {OTHER}")
    other = _source("https://b.example/1", "Shut.", page="Shut. © Associated Press")
    third = _source("https://c.example/1", "Barred.", page="Barred, says Reuters.")
    assert agencies_of(one.fetch) == {"ap"}
    assert voices([one, other, third]) == 2


def test_who_stands_between_two_voices_makes_them_one() -> None:
    one = _source("https://a.example/1", "Shut.", page="Shut.")
    other = _source("https://b.example/1", "Barred.", page="Barred. (AFP)")
    between = _source("https://a.example/2", "Closed.", page="(AFP) Closed.")
    again = _source("https://b.example/3", "Locked.", page="Locked.")
    assert voices([one, other]) == 2
    assert voices([one, other, between]) == 1
    assert voices([one, other, between, again]) == 1


_OFFICIAL = "{{Official website|https://hb-trust.example}}\nA bridge."
_OWN = "https://www.hb-trust.example/news"


def test_the_subjects_own_site_is_enough() -> None:
    about = subject(page=article(_OFFICIAL))
    one = _source(_OWN, of=about)
    assert one.is_primary
    assert backing_of([one], about) is Backing.HIGH


def test_a_host_with_the_subjects_name_is_not_its_own_site() -> None:
    assert not _source("https://www.harbourbridge.example/news").is_primary


def test_a_governments_page_is_one_source_like_another() -> None:
    one = _source("https://www.transport.gov.uk/bridge")
    assert not one.is_primary
    assert backing_of([one], subject()) is Backing.LOW


def test_a_journal_article_is_primary() -> None:
    found = candidate("https://j.example/1")
    text = SourceText("A study.", imprint=Imprint(kind=DocumentKind.JOURNAL))
    found = replace(found, fetch=replace(found.fetch, document=text))
    assert source_of(found, subject(), LISTS).is_primary


@pytest.mark.parametrize(
    "named",
    [
        "{{Infobox bridge\n| website = https://www.hb-trust.example/start\n}}",
        "{{Infobox bridge|website={{URL|hb-trust.example}}}}",
        "{{Official website|https://hb-trust.example}}",
    ],
)
def test_the_site_that_the_article_calls_official_is_the_subjects_own(
    named: str,
) -> None:
    about = subject(page=article(f"{named}\nA bridge."))
    assert _source("https://hb-trust.example/news", of=about).is_primary


def test_a_cited_site_is_not_the_subjects_own() -> None:
    cited = "A bridge.<ref>{{cite web|website=A|url=https://a.example/1|title=T}}</ref>"
    about = subject(page=article(cited))
    assert not _source("https://a.example/2", of=about).is_primary


def test_a_sensitive_subject_is_no_witness_of_its_own() -> None:
    about = subject(page=article(_OFFICIAL), is_sensitive=True)
    own = _source(_OWN, of=about)
    assert own.is_primary
    assert backing_of([own], about) is Backing.LOW


def test_a_site_that_is_in_dispute_does_not_count_for_a_sensitive_subject() -> None:
    one = _source("https://a.example/1")
    disputed = _source("https://tabloid.example/1", "Shut.")
    assert backing_of([one, disputed], subject()) is Backing.HIGH
    assert backing_of([one, disputed], subject(is_sensitive=True)) is Backing.LOW


def test_a_site_that_may_not_be_cited_is_never_primary() -> None:
    refused = ReliabilityLists(
        (Rule("hb-trust.example", "", Trust.BLACKLISTED, EVERYWHERE),)
    )
    about, found = subject(page=article(_OFFICIAL)), candidate(_OWN)
    assert source_of(found, about, LISTS).is_primary
    assert not source_of(found, about, refused).is_primary


@given(st.text(max_size=60))
def test_whatever_stands_for_an_address_has_a_site_that_ends_its_host(
    text: str,
) -> None:
    address = f"https://{text}"
    assert host_of(unarchived(address)).endswith(site_of(address))


def test_what_people_publish_themselves_never_counts() -> None:
    one = _source("https://a.example/1")
    blog = _source("https://blogs.example/1", "Shut.")
    assert not blog.is_primary
    assert backing_of([one, blog], subject()) is Backing.LOW


_OTHER = "https://paper.example/bridge"


def _applied(
    decision: FactDecision, *known: Update, address: str = _OTHER
) -> DecisionResult:
    return apply_decision(
        known, candidate(address), decision, subject(), ReliabilityLists(())
    )


def test_a_new_fact_goes_behind_the_statement_that_was_named() -> None:
    behind = statement()
    result = _applied(Add(("History",), behind, 0.8), update(4))

    [_, new] = result.updates
    assert result.number == new.number == 5
    assert (new.kind, new.section, new.after) == (
        UpdateKind.NEW_FACT,
        ("History",),
        behind,
    )


def test_an_outdated_statement_stays_in_its_own_section() -> None:
    old = statement(section=("Traffic",))
    [new] = _applied(Replace(0.9, statement=old)).updates

    assert (new.kind, new.section, new.replaces) == (
        UpdateKind.OUTDATED,
        ("Traffic",),
        old,
    )


def test_one_more_site_supports_an_update_and_one_page_counts_once() -> None:
    [twice] = _applied(Corroborate(1), update(1)).updates
    [still] = _applied(Corroborate(1), twice).updates

    assert len(twice.sources) == len(still.sources) == 2


def test_what_is_ignored_changes_nothing() -> None:
    result = _applied(Ignore(Ignored.TRIVIAL), update(1))

    assert result.updates == (update(1),)
    assert (result.what, result.number) == (Ignored.TRIVIAL.value, None)


def test_what_is_dated_comes_first_then_what_is_outdated_then_what_says_most() -> None:
    undated = replace(update().sources[0], dated=None)
    given = [
        update(1, score=0.5, probability=0.99, backing=Backing.HIGH),
        update(2, kind=UpdateKind.OUTDATED, score=0.1),
        update(3, kind=UpdateKind.OUTDATED, score=0.9, sources=(undated,)),
        update(4, score=0.6),
    ]

    assert [one.number for one in in_order(given)] == [2, 4, 1, 3]
