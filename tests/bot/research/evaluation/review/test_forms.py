"""The benchmark's forms: what is read is written again, and what is broken is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.research.evaluation.review import wiki_fact
from bot.research.evaluation.review.articles import (
    GENERATED,
    Agency,
    Place,
    articles_of,
    file_name,
    place_of,
    references,
)
from bot.research.evaluation.review.directory import benchmark_files
from handlers.ports import PermanentError
from tests.bot.research.evaluation.review.folder import FACTS, TITLE, shared_form


def write(place: Place, folder: Path) -> Place:
    for where, text in benchmark_files(place, place.systems()):
        (folder / where).parent.mkdir(parents=True, exist_ok=True)
        (folder / where).write_text(text, "utf-8")
    return place_of(folder)


def test_both_forms_hold_the_same(tmp_path: Path) -> None:
    shared = place_of(shared_form(tmp_path / "shared"))
    directory = write(shared, tmp_path / "2026_Jan_Jun")

    assert (shared.is_directory, directory.is_directory) == (False, True)
    assert directory.name == "2026_Jan_Jun"
    assert directory.systems() == shared.systems() == ("good", "mute")
    [one], [other] = references(shared), references(directory)
    assert (one.facts, one.markdown) == (other.facts, other.markdown)
    assert one.facts == FACTS
    for system in shared.systems():
        [mine] = articles_of(shared, system)
        [theirs] = articles_of(directory, system)
        assert replace(mine, sha256="") == replace(theirs, sha256="")
    assert wiki_fact.registered(shared) == wiki_fact.registered(directory)


def test_a_reference_may_be_a_number_a_list_or_nothing(tmp_path: Path) -> None:
    [article] = articles_of(place_of(shared_form(tmp_path)), "good")

    assert [one.refs for one in article.statements] == [
        ("1",), ("1", "2"), ("3",), ("2",), (),
    ]  # fmt: skip
    assert article.pages["3"].error == "timeout"


def test_what_is_null_or_too_long_in_a_page_costs_no_article() -> None:
    odd = {
        "title": "Odd",
        "statements": [{"fact": None, "ref_idx": None}, {"fact": "It is odd."}],
        "citation_urls": None,
        "citation_contents": {"1": None, "2": {"content": "x" * 5_000_000}},
    }

    article = GENERATED.validate_json(json.dumps(odd))

    assert [one.text for one in article.statements] == ["", "It is odd."]
    assert article.pages["1"].content == ""
    assert 0 < len(article.pages["2"].content) < 5_000_000


def test_a_broken_line_or_file_is_named_with_its_place(tmp_path: Path) -> None:
    shared = place_of(shared_form(tmp_path / "a"))
    directory = write(shared, tmp_path / "b")
    with (tmp_path / "a" / "systems_dev" / "good.jsonl").open("a") as lines:
        lines.write('{"title": "Another", "statements": 3}\n')
    file = directory.system("good") / f"{TITLE}.json"
    file.write_text('{"query": {\n"pages": oops}}', "utf-8")

    with pytest.raises(PermanentError, match=r"good\.jsonl, line 2: statements: "):
        list(articles_of(shared, "good"))
    with pytest.raises(PermanentError, match=rf"{TITLE}\.json, line 2: "):
        list(articles_of(directory, "good"))


def test_what_is_not_in_the_benchmark_is_refused(tmp_path: Path) -> None:
    place = place_of(shared_form(tmp_path / "wlc"))

    for name in ("../x", "a/b", "", ".."):
        with pytest.raises(PermanentError, match="no name of a system"):
            place.system(name)
    with pytest.raises(PermanentError, match="with articles: good, mute"):
        list(articles_of(place, "none"))
    with pytest.raises(PermanentError, match="no benchmark of Wiki Live Challenge"):
        place_of(tmp_path)


def test_a_system_is_registered_once_and_validated(tmp_path: Path) -> None:
    place = place_of(shared_form(tmp_path))
    place.registry.write_text(
        wiki_fact.register(place, "new_one", "New", has_citations=False),
        "utf-8",
    )

    found = {one.name: one for one in wiki_fact.entries(place)}
    assert wiki_fact.registered(place)["new_one"] == Agency("New", has_citations=False)
    assert found["good"].faults == ()
    assert found["new_one"].faults == (f"no article of 1 subjects: {TITLE}",)
    with pytest.raises(PermanentError, match="registered already"):
        wiki_fact.register(place, "good", "Good", has_citations=True)
    for names in (("",), ("Long", "x" * 3_000)):
        with pytest.raises(PermanentError, match="newer cannot be registered"):
            wiki_fact.register(place, "newer", *names, has_citations=True)


def test_a_long_title_has_a_name_that_a_disk_takes() -> None:
    one, other = file_name("Ø" * 300), file_name("Ø" * 300 + "!")

    assert one != other
    assert len(f"{one}_verifiability.json".encode()) <= 255
    assert file_name("AC/DC live") == "AC_DC_live"
