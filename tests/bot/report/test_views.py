"""What the report calls a source."""

import pytest

from bot.report.claims import findings_of
from handlers.citations.quote_links import source_title
from handlers.model import SourceForm
from tests.builders import claim_check, drift, fetch, page, source


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(
            "Smith, ''The Old Quay'', 1999", "Smith, The Old Quay, 1999", id="italics"
        ),
        pytest.param(
            "[[Ada Holm|Holm]] (1874), p. 3", "Holm (1874), p. 3", id="a link"
        ),
        pytest.param("Holm&nbsp;1874", "Holm 1874", id="an entity"),
        pytest.param("''''", "''''", id="nothing but markup"),
    ],
)
def test_a_source_that_is_only_text_is_called_what_the_article_shows(
    raw: str, shown: str
) -> None:
    cited = source(form=SourceForm.TEXT, raw=raw, title=None, url=None, work=None)

    assert source_title(cited, None) == shown


def test_a_source_without_a_title_is_called_as_it_calls_itself() -> None:
    cited = source(title=None)

    assert source_title(cited, fetch(cited)) == "Sawyerville-Eoline EF-3 Tornado"


def test_only_a_web_address_is_offered_as_an_archived_copy() -> None:
    hostile = drift(template=None, archive_url="javascript:alert(1)")

    [found] = findings_of(claim_check(drift=hostile), page().id)

    assert found.address is None
    assert found.template is None
