from datetime import date

import pytest

from handlers.model import (
    Source,
    SourceForm,
    UrlStatus,
)
from handlers.page.markup import plain_text
from handlers.page.sources import parse_date
from tests.handlers.cited import only_source


def test_all_fields_of_a_citation_template_are_read() -> None:
    template = """{{ Cite  Journal
        | last1 = Smith | first1 = Ann | last2 = Jones | author3 = WHO
        | title = The ''[[Bird|birds]]'' &amp; {{nowrap|their nests}} {{!}} a study
        | url = https://a.org/x?a=1&amp;b=2&copy=3 | journal = [[Nature]]
        | archiveurl = https://web.archive.org/web/2020/https://a.org/x
        | archive-date = 5 May 2020 | dead-url = yes | accessdate = 2019-02-03
        | doi = 10.1/2 | pmid = 123 | pmc = 456 | eprint = 1901.1 | isbn = 978-1
        | pages = 3–4 | quote = “Birds nest.” | date = May 2018 | publisher = Acme
        }}"""

    source = only_source(f"a<ref>{template}</ref>")

    assert source == Source(
        form=SourceForm.TEMPLATE,
        raw=template,
        template="cite journal",
        url="https://a.org/x?a=1&b=2&copy=3",
        archive_url="https://web.archive.org/web/2020/https://a.org/x",
        archive_date=date(2020, 5, 5),
        url_status=UrlStatus.DEAD,
        access_date=date(2019, 2, 3),
        doi="10.1/2",
        pmid="123",
        pmc="456",
        arxiv="1901.1",
        isbn="978-1",
        pages="3–4",
        quote="“Birds nest.”",
        title="The birds & their nests | a study",
        authors=("Ann Smith", "Jones", "WHO"),
        work="Nature",
        published="May 2018",
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "[http://a.b/c The ''title'']",
            {"form": SourceForm.URL, "url": "http://a.b/c", "title": "The title"},
            id="link",
        ),
        pytest.param(
            "http://a.b/c.", {"form": SourceForm.URL, "url": "http://a.b/c"}, id="bare"
        ),
        pytest.param(
            "[//a.b/c T]", {"url": "https://a.b/c", "title": "T"}, id="no scheme"
        ),
        pytest.param(
            "Smith, ''Birds'', p. 3",
            {"form": SourceForm.TEXT, "raw": "Smith, ''Birds'', p. 3", "url": None},
            id="text",
        ),
        pytest.param(
            "{{IMDb title|123}}",
            {"form": SourceForm.TEMPLATE, "template": "imdb title", "url": None},
            id="unknown template",
        ),
        pytest.param(
            "Smith 2001. {{doi|10.1/2}} {{PMID|7}}",
            {"form": SourceForm.TEXT, "doi": "10.1/2", "pmid": "7"},
            id="identifiers beside text",
        ),
        pytest.param("{{ISBN|978-1}}", {"isbn": "978-1"}, id="identifier alone"),
        pytest.param(
            "http://a.b {{webarchive|url=http://web.archive.org/1|date=May 5, 2020}}",
            {
                "url": "http://a.b",
                "archive_url": "http://web.archive.org/1",
                "archive_date": date(2020, 5, 5),
            },
            id="archived link",
        ),
        pytest.param(
            "[http://a.b T] {{wayback|url=http://a.b|date=20080102030405}}",
            {
                "archive_url": "https://web.archive.org/web/20080102030405/http://a.b",
                "archive_date": date(2008, 1, 2),
            },
            id="old archive template",
        ),
        pytest.param(
            "[http://a.b T] {{dead link|date=May 2020}}",
            {"url": "http://a.b", "url_status": UrlStatus.DEAD},
            id="dead link",
        ),
        pytest.param(
            "{{cite web|url=[http://a.b t]|title=T}}",
            {"url": "http://a.b"},
            id="brackets",
        ),
        pytest.param(
            "{{cite web|url=http://a.b/{{!}}c|title=[http://x y]}}",
            {"url": "http://a.b/|c", "title": "y"},
            id="escaped pipe",
        ),
        pytest.param(
            "{{cite web|url=www.a.b|title=<!-- t --><nowiki>[T]</nowiki>}}",
            {"url": "http://www.a.b", "title": "[T]"},
            id="no scheme in a template",
        ),
        pytest.param("{{cite web|url=none|title=T}}", {"url": None}, id="no address"),
        pytest.param("{{cite doi|10.1/2}}", {"doi": "10.1/2"}, id="by position"),
        pytest.param(
            "{{cite journal|id={{PMID|12}}, {{doi|10.1/2}}|title=T}}",
            {"pmid": "12", "doi": "10.1/2"},
            id="identifiers in id",
        ),
        pytest.param(
            "{{cite web|title=A|title=B|url=}}", {"title": "B", "url": None}, id="twice"
        ),
        pytest.param(
            "{{small|{{cite web|title=T}}}}", {"template": "cite web"}, id="wrapped"
        ),
        pytest.param(
            "{{cite book|author1-last=A|author1-first=B|chapter=C|title=T|newspaper=N}}",
            {"authors": ("B A",), "title": "T", "work": "N"},
            id="other names",
        ),
        pytest.param(
            "{{cite book|vauthors=Smith A, Jones B}}",
            {"authors": ("Smith A", "Jones B")},
            id="vauthors",
        ),
        pytest.param(
            "{{Internetquelle|autor=A|titel=T|url=http://a.b|abruf=2020-05-01|werk=W}}",
            {
                "title": "T",
                "access_date": date(2020, 5, 1),
                "authors": ("A",),
                "work": "W",
            },
            id="German",
        ),
        pytest.param(
            "{{Lien web|titre=T|nom1=N|prénom1=P|consulté le=3 août 2015|site=S}}",
            {"title": "T", "access_date": date(2015, 8, 3), "authors": ("P N",)},
            id="French",
        ),
        pytest.param(
            "{{cita web|título=T|fechaacceso=3 de mayo de 2015|apellidos=A|obra=O}}",
            {"title": "T", "access_date": date(2015, 5, 3), "work": "O"},
            id="Spanish",
        ),
    ],
)
def test_a_body_is_read_in_every_form(body: str, expected: dict[str, object]) -> None:
    source = only_source(f"a<ref>{body}</ref>")

    assert {name: getattr(source, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("live", UrlStatus.LIVE),
        ("no", UrlStatus.LIVE),
        ("Dead", UrlStatus.DEAD),
        ("yes", UrlStatus.DEAD),
        ("deviated", UrlStatus.DEVIATED),
        ("unfit", UrlStatus.UNFIT),
        ("usurped", UrlStatus.USURPED),
        ("bot: unknown", None),
    ],
)
def test_the_state_of_an_address(status: str, expected: UrlStatus | None) -> None:
    source = only_source(f"<ref>{{{{cite web|url-status={status}|title=T}}}}</ref>")

    assert source.url_status is expected


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2020-05-01", date(2020, 5, 1)),
        ("2020-05", date(2020, 5, 1)),
        ("2020/5/1", date(2020, 5, 1)),
        ("1 May 2020", date(2020, 5, 1)),
        ("May 1, 2020", date(2020, 5, 1)),
        ("May 1st, 2020", date(2020, 5, 1)),
        ("Friday, 1 May 2020", date(2020, 5, 1)),
        ("Sept. 3, 2010", date(2010, 9, 3)),
        ("2010 Dec 3", date(2010, 12, 3)),
        ("May 2020", date(2020, 5, 1)),
        ("3. März 2011", date(2011, 3, 3)),
        ("03.04.2011", date(2011, 4, 3)),
        ("20080102030405", date(2008, 1, 2)),
        ("2020", None),
        ("31 February 2020", None),
        ("1–2 May 2020", None),
        ("May 2020 or June 2021", None),
        ("soon", None),
        ("", None),
        ("0000-01-01", None),
        ("²020-05-01", None),
    ],
)
def test_dates_in_every_usual_form(text: str, day: date | None) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("wikitext", "plain"),
    [
        pytest.param("  a \n b ", "a b", id="space"),
        pytest.param("'''a''' ''b''", "a b", id="quotes"),
        pytest.param("O'Neil's", "O'Neil's", id="apostrophes"),
        pytest.param("[[a|b]] [[c]]", "b c", id="links"),
        pytest.param("{{lang|fr|{{nowrap|été}}}}", "été", id="nested templates"),
        pytest.param("{{abbr|UN|United Nations}}", "UN", id="abbreviation"),
        pytest.param("a<ref>b</ref><!-- c -->", "a", id="ref and comment"),
        pytest.param("&lt;a&gt; &copy=1 &#233;", "<a> &copy=1 é", id="entities"),
        pytest.param("[[a [[b {{c", "a b c", id="left open"),
        pytest.param("[[a]] " * 500, " ".join(["a"] * 500), id="too long"),
    ],
)
def test_markup_is_taken_out_of_values(wikitext: str, plain: str) -> None:
    assert plain_text(wikitext) == plain
