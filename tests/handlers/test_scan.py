from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import Span
from handlers.page.markup import Kind
from handlers.page.scan import Scan, scan


def found(wikitext: str) -> list[tuple[str, str]]:
    """Each element's kind and text, in document order."""
    return [
        (element.kind.value, wikitext[element.start : element.end])
        for element in scan(wikitext).elements
    ]


def parameters(wikitext: str) -> list[str]:
    """The parts of the first element with pipes."""
    element = next(each for each in scan(wikitext).elements if each.pipes)
    edges = [element.inner_start - 1, *element.pipes, element.inner_end]
    return [wikitext[start + 1 : end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param("plain text | with = signs", [], id="no markup"),
        pytest.param("{{a}}", [("template", "{{a}}")], id="template"),
        pytest.param("{{{a|b}}}", [("argument", "{{{a|b}}}")], id="argument"),
        pytest.param(
            "{{{{{x}}}}}",
            [("template", "{{{{{x}}}}}"), ("argument", "{{{x}}}")],
            id="a template named by an argument",
        ),
        pytest.param("{{{{x}}}}", [("argument", "{{{x}}}")], id="four braces"),
        pytest.param(
            "{{{{a}}|b}}",
            [("template", "{{{{a}}|b}}"), ("template", "{{a}}")],
            id="four braces closed in two steps",
        ),
        pytest.param("{{a|b", [], id="template left open"),
        pytest.param("a}} b]] |} </div", [], id="closers alone"),
        pytest.param(
            "{{a|<ref>{{b|c}}</ref>}}",
            [
                ("template", "{{a|<ref>{{b|c}}</ref>}}"),
                ("ref", "<ref>{{b|c}}</ref>"),
                ("template", "{{b|c}}"),
            ],
            id="template in a ref in a template",
        ),
        pytest.param(
            "{{a|<ref>{{b</ref>}}",
            [("template", "{{a|<ref>{{b</ref>}}"), ("ref", "<ref>{{b</ref>")],
            id="a template left open in a ref stays in it",
        ),
        pytest.param(
            "{{a|[[b|c}} {{d}}",
            [("template", "{{a|[[b|c}}"), ("template", "{{d}}")],
            id="a link left open in a template",
        ),
        pytest.param("<ref name=a/>", [("ref reuse", "<ref name=a/>")], id="reuse"),
        pytest.param(
            '<ref name="a" / >', [("ref reuse", '<ref name="a" / >')], id="odd slash"
        ),
        pytest.param("<REF>a</Ref >", [("ref", "<REF>a</Ref >")], id="upper case"),
        pytest.param("<references/>", [("references", "<references/>")], id="list"),
        pytest.param(
            "<references><ref name=a>b</ref></references>",
            [
                ("references", "<references><ref name=a>b</ref></references>"),
                ("ref", "<ref name=a>b</ref>"),
            ],
            id="list-defined",
        ),
        pytest.param(
            "{{reflist|refs=<ref name=a>b</ref>}}",
            [
                ("template", "{{reflist|refs=<ref name=a>b</ref>}}"),
                ("ref", "<ref name=a>b</ref>"),
            ],
            id="list-defined in a template",
        ),
        pytest.param("<referee>a", [], id="a tag that only starts like ref"),
        pytest.param("1 <ref 2 and 3 <b 4", [], id="angles that are no tags"),
        pytest.param(
            "<!--<ref>a</ref>-->b",
            [("comment", "<!--<ref>a</ref>-->")],
            id="ref in a comment",
        ),
        pytest.param("a<!--b{{c}}", [("comment", "<!--b{{c}}")], id="open comment"),
        pytest.param(
            "<nowiki><ref>{{a}}</nowiki>",
            [("opaque", "<nowiki><ref>{{a}}</nowiki>")],
            id="ref in nowiki",
        ),
        pytest.param(
            "<nowiki>{{a}}",
            [("tag", "<nowiki>"), ("template", "{{a}}")],
            id="nowiki left open",
        ),
        pytest.param("<nowiki/>", [("tag", "<nowiki/>")], id="empty nowiki"),
        pytest.param(
            "<math>{{a}}</math>", [("opaque", "<math>{{a}}</math>")], id="formula"
        ),
        pytest.param(
            "a<br>b<span class=x>c</span>",
            [("tag", "<br>"), ("tag", "<span class=x>"), ("tag", "</span>")],
            id="other tags",
        ),
        pytest.param("a</ref>b", [("tag", "</ref>")], id="a closing ref tag alone"),
        pytest.param("[[a|b]]", [("link", "[[a|b]]")], id="link"),
        pytest.param(
            "[[File:a|b|c [[d]] [http://e f]]]",
            [
                ("link", "[[File:a|b|c [[d]] [http://e f]]]"),
                ("link", "[[d]]"),
                ("external link", "[http://e f]"),
            ],
            id="picture with links in its caption",
        ),
        pytest.param(
            "[//a.org b] [x] [1]", [("external link", "[//a.org b]")], id="external"
        ),
        pytest.param(
            "[[File:a|[[b|[http://c]]]]]",
            [
                ("link", "[[File:a|[[b|[http://c]]]]]"),
                ("link", "[[b|[http://c]]]"),
                ("external link", "[http://c]"),
            ],
            id="brackets that close three",
        ),
        pytest.param("[http://a\nb]", [], id="external links end with the line"),
        pytest.param(
            "{{a|[http://b|c]}}",
            [("template", "{{a|[http://b|c]}}")],
            id="pipes part a template before external links are read",
        ),
        pytest.param(
            "{|\n|a\n{|\n|b\n|}\n|}",
            [("table", "{|\n|a\n{|\n|b\n|}\n|}"), ("table", "{|\n|b\n|}")],
            id="nested tables",
        ),
        pytest.param(
            "{|\n|[[a\n|}\nb]]", [("table", "{|\n|[[a\n|}")], id="link across a table"
        ),
        pytest.param(
            "{{a\n|b=c\n|}}", [("template", "{{a\n|b=c\n|}}")], id="no end of table"
        ),
    ],
)
def test_each_piece_of_markup_is_found(
    wikitext: str, expected: list[tuple[str, str]]
) -> None:
    assert found(wikitext) == expected


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        pytest.param("== a ==\nb", ["== a ==\n"], id="first line"),
        pytest.param("a\n= b =\nc", ["= b =\n"], id="level one"),
        pytest.param("a\n== b ==", ["== b =="], id="end of the page"),
        pytest.param("a == b ==\n", [], id="not at the start of a line"),
        pytest.param("\n== b == c\n", [], id="words after it"),
        pytest.param(
            "\n== b == <!-- c --> \nd", ["== b == <!-- c --> \n"], id="comment after it"
        ),
        pytest.param(
            "\n== b <!-- c\nd --> ==\n", ["== b <!-- c\nd --> ==\n"], id="long comment"
        ),
        pytest.param("<!--\n== b ==\n-->", [], id="in a comment"),
        pytest.param("<nowiki>\n== b ==\n</nowiki>", [], id="in nowiki"),
        pytest.param("<ref>\n== b ==\n</ref>", [], id="in a ref"),
        pytest.param("{{a|\n== b ==\n}}", [], id="in a template"),
        pytest.param("\n== b {{c\n}} ==\n", [], id="cut by a template"),
        pytest.param("[[a\n== b ==\n]]", ["== b ==\n"], id="after a link left open"),
        pytest.param("{{a\n== b ==\n", ["== b ==\n"], id="after braces left open"),
        pytest.param("{|\n|\n== b ==\n|}", ["== b ==\n"], id="in a table"),
    ],
)
def test_headings_stand_at_line_starts_in_running_text(
    wikitext: str, expected: list[str]
) -> None:
    headings = scan(wikitext).headings

    assert [wikitext[each.start : each.end] for each in headings] == expected


@pytest.mark.parametrize(
    ("tag", "attributes"),
    [
        pytest.param("<ref name=a/>", {"name": "a"}, id="bare"),
        pytest.param("<ref name = 'a b' />", {"name": "a b"}, id="single quotes"),
        pytest.param(
            '<ref group=n NAME="a  b"/>', {"group": "n", "name": "a b"}, id="two"
        ),
        pytest.param('<ref name="a>b</ref>', {"name": "a"}, id="quote left open"),
        pytest.param('<ref name="O&apos;N"/>', {"name": "O'N"}, id="entity"),
        pytest.param(
            "<ref <!-- name=b --> name=a>c</ref>", {"name": "a"}, id="comment"
        ),
        pytest.param("<ref\nname=a\n>c</ref>", {"name": "a"}, id="over lines"),
        pytest.param("<ref name=>c</ref>", {}, id="no value"),
        pytest.param("<ref name=Ünï-1.2/>", {"name": "Ünï-1.2"}, id="other letters"),
    ],
)
def test_attributes_are_read_in_every_form(
    tag: str, attributes: dict[str, str]
) -> None:
    elements = scan(tag).elements

    refs = [each for each in elements if each.name == "ref"]
    assert dict(refs[0].attributes) == attributes


@pytest.mark.parametrize(
    ("wikitext", "parts"),
    [
        pytest.param("{{a|b=c|d}}", ["a", "b=c", "d"], id="flat"),
        pytest.param(
            "{{a|[[b|c]]|{{d|e}}|f}}", ["a", "[[b|c]]", "{{d|e}}", "f"], id="nested"
        ),
        pytest.param("{{a|<!--|-->b}}", ["a", "<!--|-->b"], id="comment"),
        pytest.param("{{a|<nowiki>|</nowiki>}}", ["a", "<nowiki>|</nowiki>"], id="raw"),
        pytest.param("{{a|<ref>|</ref>|b}}", ["a", "<ref>|</ref>", "b"], id="ref"),
        pytest.param("{{a|[[b|c|d}}", ["a", "[[b", "c", "d"], id="link left open"),
        pytest.param("{{a|b{{!}}c}}", ["a", "b{{!}}c"], id="escaped pipe"),
        pytest.param("[[File:a|b|{{c|d}}]]", ["File:a", "b", "{{c|d}}"], id="link"),
    ],
)
def test_pipes_are_those_of_the_element_itself(wikitext: str, parts: list[str]) -> None:
    assert parameters(wikitext) == parts


@pytest.mark.parametrize(
    ("wikitext", "name"),
    [
        pytest.param("{{ Cite_web \n|a=b}}", "cite web", id="case and spaces"),
        pytest.param("{{Template:sfn|a}}", "sfn", id="namespace"),
        pytest.param("{{cite web<!-- x -->|a=b}}", "cite web", id="comment"),
        pytest.param("{{" + "a" * 301 + "|b}}", "", id="too long for a title"),
        pytest.param("{{#tag:ref|a}}", "#tag:ref", id="parser function"),
    ],
)
def test_names_of_templates_are_normalised(wikitext: str, name: str) -> None:
    elements = scan(wikitext).elements

    assert elements[0].name == name


@pytest.mark.parametrize(
    ("wikitext", "unclosed"),
    [
        pytest.param("a<ref>b", [Span(1, 6)], id="to the end"),
        pytest.param("<ref>a<ref>b</ref>", [Span(0, 5)], id="before another"),
        pytest.param('<ref name="a" / b', [Span(0, 4)], id="broken off"),
        pytest.param(
            "<references><ref>a</references>b</ref>", [Span(12, 17)], id="in a list"
        ),
        pytest.param("<nowiki><ref></nowiki><!--<ref>", [], id="hidden"),
    ],
)
def test_refs_left_open_are_reported(wikitext: str, unclosed: list[Span]) -> None:
    assert list(scan(wikitext).unclosed) == unclosed


_TOKENS = """
{ {{ {{{ } }} }}} [ [[ ] ]] ]]] | {| |} = == a b=c : http://x <!-- --> <ref> </ref>
<ref/> <ref <references> </references> <nowiki> </nowiki> <b> <b / > < " ' {{!}}
[http://a [[File:"""
_MARKUP = st.lists(st.sampled_from([*_TOKENS.split(), "\n", " "])).map("".join)


@given(_MARKUP | st.text())
@settings(max_examples=400, deadline=None)
def test_elements_form_a_tree_in_document_order(wikitext: str) -> None:
    elements = scan(wikitext).elements

    for index, element in enumerate(elements):
        assert 0 <= element.start < element.end <= len(wikitext)
        assert element.start <= element.inner_start <= element.inner_end <= element.end
        assert element.parent < index
        for pipe in element.pipes:
            assert wikitext[pipe] == "|"
    for index, element in enumerate(elements[1:], start=1):
        around = elements[element.parent] if element.parent >= 0 else None
        before = elements[index - 1]
        assert before.start < element.start
        assert (
            around is None or around.start < element.start < element.end <= around.end
        )
        assert before.end <= element.start or before.end >= element.end


@given(_MARKUP)
@settings(max_examples=300, deadline=None)
def test_every_visible_ref_tag_is_an_element_or_unclosed(wikitext: str) -> None:
    result = scan(wikitext)

    assert _ref_openers(result) == {span.start for span in result.unclosed} | {
        each.start
        for each in result.elements
        if each.kind in (Kind.REF, Kind.REF_REUSE)
    }


def _ref_openers(result: Scan) -> set[int]:
    """Where "<ref" stands outside comments, opaque tags and other tags."""
    hidden = [
        each for each in result.elements if each.kind in (Kind.COMMENT, Kind.OPAQUE)
    ]
    return {
        at
        for at in range(len(result.text))
        if result.text.startswith(("<ref>", "<ref/", "<ref ", "<ref\n"), at)
        and not any(each.start <= at < each.end for each in hidden)
    }


@pytest.mark.parametrize(
    "wikitext",
    [
        pytest.param("{{a|" * 10_000 + "}}" * 10_000, id="templates"),
        pytest.param("[[a|" * 10_000 + "]]" * 10_000, id="links"),
        pytest.param("\n{|" * 10_000 + "\n|}" * 10_000, id="tables"),
        pytest.param("{" * 30_000 + "}" * 30_000, id="braces"),
    ],
)
def test_ten_thousand_levels_are_no_trouble(wikitext: str) -> None:
    elements = scan(wikitext).elements

    assert len(elements) == 10_000
    assert [each.parent for each in elements] == list(range(-1, 9_999))
