"""A reference with all that its templates and tags state, once a page."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import (
    CitationForm,
    TagKind,
    UnattachedReason,
)
from handlers.page.markup import Kind
from handlers.page.references import find_references
from handlers.page.scan import Scan, scan
from handlers.page.sections import find_sections
from handlers.page.template_names import Role, role_of
from tests.handlers.cited import (
    SMITH,
    citations_of,
    references_of,
    summary,
)
from tests.shared_data import shared_data
from tests.wikitext_bombs import BOMBS


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
def articles() -> list[tuple[dict[str, int], str, Scan]]:
    """Each real article with what its index says of it, and all that stands in it."""
    folder = shared_data("wikitext_articles")
    rows = [json.loads(line) for line in _lines(folder / "index.jsonl")]
    texts = [(folder / row["file"]).read_bytes().decode() for row in rows]
    return [(row, text, scan(text)) for row, text in zip(rows, texts, strict=True)]


@pytest.mark.shared_data
def test_every_ref_of_real_articles_is_counted_and_accounted_for(
    articles: list[tuple[dict[str, int], str, Scan]],
) -> None:
    for row, text, result in articles:
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
    articles: list[tuple[dict[str, int], str, Scan]],
) -> None:
    for row, text, result in articles:
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
    articles: list[tuple[dict[str, int], str, Scan]],
) -> None:
    citations = [each for _, text, _ in articles for each in citations_of(text)]

    lost = [each for each in citations if not each.sources]
    assert len(citations) > 11_000
    assert len(lost) < len(citations) / 80
    assert all(each.problem for each in lost)
