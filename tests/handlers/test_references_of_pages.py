import json
import re
from pathlib import Path

import pytest

from handlers.page.markup import Kind
from handlers.page.references import find_references
from handlers.page.scan import scan
from handlers.page.sections import find_sections
from handlers.page.template_names import Role, role_of
from tests.handlers.cited import (
    citations_of,
)
from tests.shared_data import shared_data
from tests.wikitext_bombs import BOMBS


def test_a_bomb_goes_off_without_harm() -> None:
    # That it takes no longer than prose, `hardening/test_wikitext` shows.
    for name, bomb in BOMBS.items():
        found = find_references(scan(bomb(300)))

        assert all(len(each.raw) <= 200 for each in found.unattached), name


@pytest.mark.shared_data
def test_the_collected_bombs_go_off_without_harm() -> None:
    folder = shared_data("security_corpora") / "parser-bombs"
    bombs = json.loads((folder / "bombs.json").read_text())["wikitext"]

    for bomb in bombs:
        result = scan(bomb["unit"] * max(bomb["repeat"]))
        find_references(result)
        find_sections(result)

    assert len(bombs) == 16


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@pytest.fixture(scope="module")
def articles() -> list[tuple[dict[str, int], str]]:
    """Each real article with what its index says of it."""
    folder = shared_data("wikitext_articles")
    rows = [json.loads(line) for line in _lines(folder / "index.jsonl")]
    return [(row, (folder / row["file"]).read_bytes().decode()) for row in rows]


@pytest.mark.shared_data
def test_every_ref_of_real_articles_is_counted_and_accounted_for(
    articles: list[tuple[dict[str, int], str]],
) -> None:
    for row, text in articles:
        result = scan(text)
        found = find_references(result)

        refs = [
            each for each in result.elements if each.kind in (Kind.REF, Kind.REF_REUSE)
        ]
        # The index also counts those that comments and nowiki hide.
        hidden = sum(
            len(re.findall(r"(?i)<ref[\s/>]", text[each.start : each.end]))
            for each in result.elements
            if each.kind in (Kind.COMMENT, Kind.OPAQUE)
        )
        assert len(refs) + len(result.unclosed) + hidden == row["n_ref_tags"]
        known = {each.citation.marker.start for each in found.markers}
        known |= {each.span.start for each in found.definitions if each.is_listed}
        known |= {each.span.start for each in found.unattached}
        assert {each.start for each in refs} <= known


@pytest.mark.shared_data
def test_sources_of_real_articles_are_as_many_as_their_index_says(
    articles: list[tuple[dict[str, int], str]],
) -> None:
    for row, text in articles:
        result = scan(text)

        # The index counts English names by pattern: {{citation needed}} and hidden ones, too.
        names = [
            each.name
            for each in result.elements
            if each.kind is Kind.TEMPLATE and each.name.startswith(("cite", "citation"))
        ]
        cited = sum(role_of(name) is Role.FULL for name in names)
        needed = sum(name.startswith("citation ") for name in names)
        hidden = sum(
            text.lower().count("{{cit", each.start, each.end)
            for each in result.elements
            if each.kind in (Kind.COMMENT, Kind.OPAQUE)
        )
        assert abs(cited + needed + hidden - row["n_cite_templates"]) <= 2, row


@pytest.mark.shared_data
def test_nearly_all_markers_of_real_articles_lead_to_a_source(
    articles: list[tuple[dict[str, int], str]],
) -> None:
    citations = [each for _, text in articles for each in citations_of(text)]

    lost = [each for each in citations if not each.sources]
    assert len(citations) > 11_000
    assert len(lost) < len(citations) / 80
    assert all(each.problem for each in lost)
