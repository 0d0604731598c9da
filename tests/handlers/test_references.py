import json
import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import (
    Citation,
    CitationForm,
    Source,
    SourceForm,
    TagKind,
    UnattachedReason,
    UrlStatus,
)
from handlers.wikitext.citing.dates import parse_date
from handlers.wikitext.citing.markers import References
from handlers.wikitext.citing.references import find_references
from handlers.wikitext.citing.template_names import Role, role_of
from handlers.wikitext.scanning.markup import plain_text
from handlers.wikitext.scanning.scan import Kind, scan
from handlers.wikitext.scanning.sections import find_sections
from tests.shared_data import shared_data
from tests.wikitext_bombs import BOMBS, Bomb

SMITH = "{{cite book|last=Smith|first=Ann|year=2001|title=Birds}}"


def references_of(wikitext: str) -> References:
    return find_references(scan(wikitext))


def citations_of(wikitext: str) -> list[Citation]:
    return [marker.citation for marker in references_of(wikitext).markers]


def only_source(wikitext: str) -> Source:
    """The source of the one marker, which has one source."""
    (citation,) = citations_of(wikitext)
    (source,) = citation.sources
    return source


def summary(citation: Citation) -> tuple[str, list[str]]:
    """The marker's form and what it leads to."""
    titles = [each.title or each.url or each.raw for each in citation.sources]
    return citation.form.value, titles


# --- markers ---


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param("a<ref>Book</ref>", [("ref", ["Book"])], id="ref"),
        pytest.param(
            "a<ref name=n>Book</ref> b<ref name='n' />",
            [("ref", ["Book"]), ("named reuse", ["Book"])],
            id="reuse",
        ),
        pytest.param(
            "a<ref name=n /> b<ref name=n>Book</ref>",
            [("named reuse", ["Book"]), ("ref", ["Book"])],
            id="reuse before the definition",
        ),
        pytest.param(
            "a<ref name=n></ref><references><ref name=n>Book</ref></references>",
            [("named reuse", ["Book"])],
            id="empty ref with a name, list-defined",
        ),
        pytest.param(
            "a<ref name=n/>{{reflist|30em|refs=\n<ref name=n>Book</ref>}}",
            [("named reuse", ["Book"])],
            id="list-defined in a template",
        ),
        pytest.param(
            "a<ref name=n>One</ref>b<ref name=n>Two</ref>c<ref name=n/>",
            [("ref", ["One"]), ("ref", ["Two"]), ("named reuse", ["One"])],
            id="the first definition wins",
        ),
        pytest.param(
            "a<ref name=n></ref>b<ref name=n>Two</ref>",
            [("named reuse", ["Two"]), ("ref", ["Two"])],
            id="an empty definition is none",
        ),
        pytest.param(
            "<ref name=n group=A>One</ref><ref name=n>Two</ref>"
            "<ref name=n /><ref name=n group=A />",
            [
                ("ref", ["One"]),
                ("ref", ["Two"]),
                ("named reuse", ["Two"]),
                ("named reuse", ["One"]),
            ],
            id="groups keep names apart",
        ),
        pytest.param(
            "<ref name=n>One</ref><ref name=m>Two</ref>{{r|n|m}}",
            [
                ("ref", ["One"]),
                ("ref", ["Two"]),
                ("r template", ["One"]),
                ("r template", ["Two"]),
            ],
            id="r with two names",
        ),
        pytest.param(
            "<ref name=n group=A>One</ref>{{r|n|group=A}}",
            [("ref", ["One"]), ("r template", ["One"])],
            id="r with a group",
        ),
        pytest.param(
            "a{{refn|Book by Smith}}",
            [("footnote template", ["Book by Smith"])],
            id="refn",
        ),
        pytest.param(
            "a{{#tag:ref|Book|name=n}}<ref name=n/>",
            [("footnote template", ["Book"]), ("named reuse", ["Book"])],
            id="tag function",
        ),
        pytest.param(
            "a{{efn|See {{cite web|url=http://a.b|title=T}}}}",
            [("footnote template", ["T"])],
            id="a note that only cites",
        ),
        pytest.param(
            f"a{{{{sfn|Smith|2001|p=3}}}}\n{SMITH}",
            [("short footnote", ["Birds"]), ("inline template", ["Birds"])],
            id="short footnote and bibliography",
        ),
        pytest.param(
            f"a<ref>{{{{harvnb|Smith|2001}}}}</ref> <ref>{SMITH}</ref>",
            [("ref", ["Birds"]), ("ref", ["Birds"])],
            id="short citation in a ref",
        ),
        pytest.param(
            f"a{{{{cn}}}} b<ref>{SMITH} {{{{cite web|title=T}}}}</ref>",
            [("ref", ["Birds", "T"])],
            id="two citations in one ref",
        ),
        pytest.param(f"a {SMITH}", [("inline template", ["Birds"])], id="inline"),
        pytest.param("<!-- <ref>a</ref> --> <nowiki><ref/></nowiki>", [], id="hidden"),
        pytest.param("{{infobox|a=b<ref>c</ref>}}", [("ref", ["c"])], id="infobox"),
    ],
)
def test_every_marker_leads_to_its_sources(
    wikitext: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert [summary(each) for each in citations_of(wikitext)] == expected


@pytest.mark.parametrize(
    ("wikitext", "problem"),
    [
        pytest.param("a<ref name=n/>", "no reference is named “n”", id="reuse"),
        pytest.param(
            "a<ref name=n group=A/><ref name=n>b</ref>",
            "no reference is named “n” in the group “A”",
            id="other group",
        ),
        pytest.param("a{{r|n}}", "no reference is named “n”", id="r"),
        pytest.param(
            "a{{sfn|Smith|Jones|2001a}}",
            "no full citation is given for “Smith & Jones 2001a”",
            id="sfn",
        ),
        pytest.param(
            "a<ref>{{harvnb|Smith|2001}}</ref>",
            "no full citation is given for “Smith 2001”",
            id="harvnb in a ref",
        ),
        pytest.param(
            "a{{efn|These are words of explanation.}}",
            "the note gives no source",
            id="note",
        ),
    ],
)
def test_a_marker_that_leads_nowhere_says_why(wikitext: str, problem: str) -> None:
    citation = citations_of(wikitext)[0]

    assert citation.sources == ()
    assert citation.problem == problem


def test_a_note_is_running_text_with_citations_of_its_own() -> None:
    inner = "Some say so.<ref>Book</ref> Others do not.{{sfn|Smith|2001}}"
    wikitext = f"a{{{{efn|name=n|{inner}}}}} {SMITH}"

    found = references_of(wikitext)

    note, book, smith, bibliography = found.markers
    assert note.citation.form is CitationForm.FOOTNOTE_TEMPLATE
    assert note.citation.group == "lower-alpha"
    assert note.citation.sources == ()
    assert (
        note.citation.problem == "the note explains, and what it cites stands inside it"
    )
    assert summary(book.citation) == ("ref", ["Book"])
    assert summary(smith.citation) == ("short footnote", ["Birds"])
    assert [each.note for each in found.markers] == [-1, note.element, note.element, -1]
    definition = found.definitions[0]
    assert definition.is_note
    assert definition.body.of(wikitext) == inner
    assert bibliography.note == -1


def test_a_ref_in_a_group_of_notes_is_a_note_too() -> None:
    wikitext = f"a<ref group=note>He was born in Rome. {SMITH}</ref>"

    note, inner = references_of(wikitext).markers

    assert note.citation.sources == ()
    assert summary(inner.citation) == ("inline template", ["Birds"])
    assert inner.note == note.element


@pytest.mark.parametrize(
    ("wikitext", "pages"),
    [
        pytest.param("<ref>a</ref>{{rp|12}}", ["12"], id="rp"),
        pytest.param("<ref>a</ref> {{rp|pp=3–4}}", ["3–4"], id="rp named"),
        pytest.param("<ref>a</ref> b {{rp|12}}", [None], id="rp after words"),
        pytest.param("{{rp|12}}<ref>a</ref>", [None], id="rp before any"),
        pytest.param("{{sfn|A|2001|pp=3-4}}", ["3-4"], id="sfn"),
        pytest.param("{{sfn|A|2001|loc=ch. 2}}", ["ch. 2"], id="place"),
        pytest.param("{{r|a|p=3}}", ["3"], id="r"),
        pytest.param("{{r|a|b|p1=3|p2=4}}", ["3", "4"], id="r with two"),
        pytest.param(
            "{{sfnm|1a1=A|1y=2001|1p=3|2a1=B|2a2=C|2y=2005|2pp=4-5}}",
            ["3", "4-5"],
            id="sfnm",
        ),
    ],
)
def test_pages_belong_to_the_marker(wikitext: str, pages: list[str | None]) -> None:
    assert [each.pages for each in citations_of(wikitext)] == pages


@pytest.mark.parametrize(
    ("short", "full"),
    [
        pytest.param("{{sfn|Smith|2001}}", "|last=Smith|year=2001", id="last"),
        pytest.param("{{sfn|Smith|2001}}", "|author=Smith, Ann|date=2001", id="author"),
        pytest.param("{{harv|Smith|2001}}", "|author=Ann Smith|year=2001", id="whole"),
        pytest.param("{{sfnp|Smith|2001}}", "|surname1=Smith|year=2001", id="surname"),
        pytest.param(
            "{{harvtxt|Smith|Jones|2001}}",
            "|last1=Smith|last2=Jones|date=5 May 2001",
            id="two",
        ),
        pytest.param(
            "{{harvp|Smith|2001}}", "|editor-last=Smith|year=2001", id="editor"
        ),
        pytest.param("{{harvnb|Smith|2001b}}", "|last=Smith|year=2001b", id="letter"),
        pytest.param(
            "{{sfn|Smith|2001}}", "|vauthors=Smith A|year=2001", id="vauthors"
        ),
        pytest.param(
            "{{sfn|NWS|2001}}",
            "|author=Weather Service|year=2001|ref={{harvid|NWS|2001}}",
            id="harvid",
        ),
        pytest.param(
            "{{sfn|NWS|2001}}", "|title=a|ref={{SfnRef|NWS|2001}}", id="sfnref"
        ),
        pytest.param("{{sfn|NWS|2001}}", "|title=a|ref=CITEREFNWS2001", id="anchor"),
        pytest.param(
            "{{sfn|De  la Cruz|n.d.}}", "|last=de la Cruz|date=n.d.", id="n.d."
        ),
        pytest.param(
            "{{sfnm|1a1=Smith|1y=2001|2a1=Smith|2y=2001}}",
            "|last=Smith|year=2001",
            id="sfnm",
        ),
    ],
)
def test_short_citations_find_the_full_one_anywhere(short: str, full: str) -> None:
    wikitext = f"a{short}\n== Books ==\n* {{{{citation|title=T{full}}}}}"

    *shorts, bibliography = citations_of(wikitext)

    assert shorts
    for each in shorts:
        assert each.sources == bibliography.sources


# --- sources ---


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


# --- tags and what is left over ---


@pytest.mark.parametrize(
    ("tag", "kind", "dated"),
    [
        ("{{Citation needed|date=May 2024}}", TagKind.CITATION_NEEDED, "May 2024"),
        ("{{cn}}", TagKind.CITATION_NEEDED, None),
        ("{{Fact | date = 2009 }}", TagKind.CITATION_NEEDED, "2009"),
        ("{{failed_verification}}", TagKind.FAILED_VERIFICATION, None),
        ("{{Dead link|bot=x|date=May 2024}}", TagKind.DEAD_LINK, "May 2024"),
        ("{{better source needed}}", TagKind.BETTER_SOURCE_NEEDED, None),
        ("{{Dubious|talk}}", TagKind.DUBIOUS, None),
        ("{{update after|2020}}", TagKind.OUTDATED, None),
        ("{{Clarify|reason=a{{!}}b|date=May 2024}}", TagKind.OTHER, "May 2024"),
        ("{{who?}}", TagKind.OTHER, None),
        ("{{référence nécessaire|a b}}", TagKind.CITATION_NEEDED, None),
    ],
)
def test_cleanup_tags_are_known_by_all_their_names(
    tag: str, kind: TagKind, dated: str | None
) -> None:
    wikitext = f"Birds fly.{tag} They nest.<ref>a</ref>"

    found = references_of(wikitext).tags

    assert [(each.kind, each.dated, each.span.of(wikitext)) for each in found] == [
        (kind, dated, tag)
    ]


def test_a_tag_inside_a_reference_is_found() -> None:
    found = references_of("a<ref>{{cite web|url=http://a {{dead link}}}}</ref>").tags

    assert [each.kind for each in found] == [TagKind.DEAD_LINK]


@pytest.mark.parametrize(
    ("wikitext", "reason", "raw"),
    [
        pytest.param("a<ref>b", UnattachedReason.UNCLOSED, "<ref>b", id="unclosed"),
        pytest.param(
            "a<ref> </ref>", UnattachedReason.EMPTY, "<ref> </ref>", id="empty"
        ),
        pytest.param(
            "a<ref><!-- b --></ref>",
            UnattachedReason.EMPTY,
            "<ref><!-- b --></ref>",
            id="only a comment",
        ),
        pytest.param("a<ref/>", UnattachedReason.EMPTY, "<ref/>", id="no name"),
        pytest.param(
            "== a<ref>b</ref> ==",
            UnattachedReason.IN_HEADING,
            "<ref>b</ref>",
            id="heading",
        ),
        pytest.param(
            "<references><ref name=a>b</ref></references>",
            UnattachedReason.NEVER_USED,
            "<ref name=a>b</ref>",
            id="never used",
        ),
    ],
)
def test_references_that_are_no_marker_have_a_reason(
    wikitext: str, reason: UnattachedReason, raw: str
) -> None:
    found = references_of(wikitext)

    assert found.markers == ()
    assert [(each.reason, each.raw) for each in found.unattached] == [(reason, raw)]


_PIECES = """
<ref> </ref> <ref/> <ref|name=a> <ref|name=a/> <ref|name=a|group=b> {{r|a}} {{efn| }}
{{refn|group=b| {{sfn|A|2001}} {{cite|web||last=A|year=2001}} {{rp|3}} <references>
</references> {{reflist|refs= http://a.b [http://a.b ] {{cn}} <!-- --> word words == [[ ]]
"""


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    each.replace("|", " ", 1) if each.startswith("<") else each
                    for each in _PIECES.split()
                ),
                "\n",
                " ",
            ]
        )
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_every_ref_is_accounted_for_once_or_defined(wikitext: str) -> None:
    result = scan(wikitext)

    found = find_references(result)

    known = {each.citation.marker.start for each in found.markers}
    known |= {each.span.start for each in found.definitions}
    known |= {each.span.start for each in found.unattached}
    refs = {each.start for each in result.elements if each.name == "ref"} - {
        each.start for each in result.elements if wikitext.startswith("</", each.start)
    }
    assert refs | {span.start for span in result.unclosed} <= known
    starts = [each.citation.marker.start for each in found.markers]
    assert starts == sorted(starts)


# --- whole pages ---


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_bomb_goes_off_without_harm(bomb: Bomb) -> None:
    # At this size a quadratic reader would need minutes.
    result = scan(bomb(10_000))

    found = find_references(result)

    assert len(find_sections(result)) >= 1
    assert all(len(each.raw) <= 200 for each in found.unattached)


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
