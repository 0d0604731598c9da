from collections.abc import Callable

import pytest
from lxml import etree
from lxml import html as lxml_html

from bot.sources.extraction import visibility
from bot.sources.extraction.text import Extraction
from handlers.model import MissingKind, MissingPiece, SourceOutcome
from tests.bot.sources.extraction.test_html import SENTENCES, page, paragraphs, read

HIDDEN = (
    "The ferry sank on 9 March 1961 and forty people of Larkfield lost their lives."
)
VISIBLE = "".join(f"<p>{one}</p>" for one in SENTENCES)

# Ways to keep words from a reader that a browser without scripts knows: head, body.
WAYS = {
    "hidden": ("", f"<p hidden>{HIDDEN}</p>"),
    "hidden until found": ("", f'<p hidden="until-found">{HIDDEN}</p>'),
    "display none": ("", f'<p style="display:none">{HIDDEN}</p>'),
    "display none, in odd letters": (
        "",
        f'<p style="DISPLAY : None  ! important">{HIDDEN}</p>',
    ),
    "display none, escaped": ("", rf'<p style="d\69splay:n\6fne">{HIDDEN}</p>'),
    "display none, with a comment": (
        "",
        f'<p style="display:/* x */none">{HIDDEN}</p>',
    ),
    "a class": ("<style>.x{display:none}</style>", f'<p class="x">{HIDDEN}</p>'),
    "an important class": (
        "<style>.x{display:none!important}</style>",
        f'<p class="x" style="display:block">{HIDDEN}</p>',
    ),
    "an inner class": (
        "<style>main .a > .x ~ p{visibility:hidden}</style>",
        f'<main><div class="a"><i class="x"></i><p>{HIDDEN}</p></div></main>',
    ),
    "a nested rule": (
        "<style>.a{ color:red; & .x{display:none} }</style>",
        f'<div class="a"><p class="x">{HIDDEN}</p></div>',
    ),
    "an attribute": (
        "<style>[data-x]{display:none}</style>",
        f'<p data-x="1">{HIDDEN}</p>',
    ),
    "every screen": (
        "<style>@media (min-width:1px){.x{display:none}}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "each screen by itself": (
        "<style>@media (max-width:600px){.x{display:none}}"
        "@media screen and (min-width:601px){.x{opacity:0}}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "what browsers support": (
        "<style>@supports (display:grid){@layer a{.x{display:none}}}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "visibility": ("", f'<p style="visibility:hidden">{HIDDEN}</p>'),
    "collapse": ("", f'<p style="visibility:collapse">{HIDDEN}</p>'),
    "opacity": ("", f'<p style="opacity:0">{HIDDEN}</p>'),
    "opacity in per cent": ("", f'<p style="opacity:0%">{HIDDEN}</p>'),
    "white on white": ("", f'<p style="color:white">{HIDDEN}</p>'),
    "white on white, as numbers": ("", f'<p style="color:hsl(0 0% 100%)">{HIDDEN}</p>'),
    "nearly white": ("", f'<p style="color:#fdfdfd">{HIDDEN}</p>'),
    "black on black": ("", f'<p style="background:#000;color:#000">{HIDDEN}</p>'),
    "transparent": ("", f'<p style="color:transparent">{HIDDEN}</p>'),
    "a white word of a paragraph, with a style sheet elsewhere": (
        '<link rel="stylesheet" href="/all.css">',
        f'<p>So it was.<span style="color:#fff">{HIDDEN}</span></p>',
    ),
    "white font": ("", f'<p><font color="white">{HIDDEN}</font></p>'),
    "no font size": ("", f'<p style="font-size:0">{HIDDEN}</p>'),
    "tiny font": ("", f'<p style="font:0.1px/1 serif">{HIDDEN}</p>'),
    "off screen": ("", f'<p style="position:absolute;left:-9999px">{HIDDEN}</p>'),
    "above the screen": ("", f'<p style="position:fixed;top:-200em">{HIDDEN}</p>'),
    "indented": ("", f'<p style="text-indent:-9999px">{HIDDEN}</p>'),
    "moved": ("", f'<p style="transform:translateX(-9999px)">{HIDDEN}</p>'),
    "scaled": ("", f'<p style="transform:scale(0)">{HIDDEN}</p>'),
    "clipped": (
        "",
        f'<p style="position:absolute;clip:rect(0,0,0,0)">{HIDDEN}</p>',
    ),
    "clipped by a path": ("", f'<p style="clip-path:inset(50%)">{HIDDEN}</p>'),
    "no height": ("", f'<p style="height:0;overflow:hidden">{HIDDEN}</p>'),
    "template": ("", f"<template><p>{HIDDEN}</p></template>"),
    "closed dialog": ("", f"<dialog><p>{HIDDEN}</p></dialog>"),
    "closed popover": ("", f"<p popover>{HIDDEN}</p>"),
    "deleted": ("", f"<p><del>{HIDDEN}</del></p>"),
    "struck out": ("", f"<p><s>{HIDDEN}</s></p>"),
    "struck out by style": (
        "",
        f'<p style="text-decoration:line-through">{HIDDEN}</p>',
    ),
}


@pytest.mark.parametrize(("head", "body"), WAYS.values(), ids=WAYS)
def test_words_that_the_page_does_not_show_are_not_its_text(
    head: str, body: str
) -> None:
    found = read(page(f"<article>{VISIBLE}{body}</article>", head))

    document = found.document
    assert document is not None, found
    assert "forty people" not in document.text
    assert all(one in document.text for one in SENTENCES)


@pytest.mark.parametrize("way", sorted(set(WAYS) - {"template", "closed dialog"}))
def test_that_words_were_hidden_is_said(way: str) -> None:
    head, body = WAYS[way]

    document = read(page(f"<article>{VISIBLE}{body}</article>", head)).document

    assert document is not None
    assert document.missing == (MissingPiece(MissingKind.HIDDEN),)


SHOWN = {
    "plain": ("", f"<p>{HIDDEN}</p>"),
    "print": (
        "<style>@media print{p{display:none}}</style>",
        f"<p>{HIDDEN}</p>",
    ),
    "a style sheet for print": (
        '<style media="print">p{display:none}</style>',
        f"<p>{HIDDEN}</p>",
    ),
    "large screens only": (
        "<style>.x{display:none}@media (min-width:800px){.x{display:block}}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "small screens only": (
        "<style>@media (min-width:800px){.x{display:none}}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "a later rule": (
        "<style>.x{display:none}p.x{display:block}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "a pseudo-element": (
        "<style>.x::before{display:none}</style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "hidden, but styled": (
        "<style>[hidden]{display:block}</style>",
        f"<p hidden>{HIDDEN}</p>",
    ),
    "visible in an invisible box": (
        "",
        f'<div style="visibility:hidden"><p style="visibility:visible">{HIDDEN}</p></div>',
    ),
    "a size of its own in a box without": (
        "",
        f'<div style="font-size:0"><p style="font-size:16px">{HIDDEN}</p></div>',
    ),
    "white on blue": (
        "",
        f'<div style="background:#036"><p style="color:#fff">{HIDDEN}</p></div>',
    ),
    "white on an image": (
        "",
        f'<div style="background:url(a.jpg)"><p style="color:#fff">{HIDDEN}</p></div>',
    ),
    "white above an image": (
        "",
        '<img src="a.jpg"><div style="position:absolute;bottom:0">'
        f'<p style="color:#fff">{HIDDEN}</p></div>',
    ),
    "white, with a style sheet elsewhere": (
        '<link rel="stylesheet" href="/all.css">',
        f'<div class="hero" style="color:#fff"><p>{HIDDEN}</p></div>',
    ),
    "letters filled by a gradient": (
        "",
        '<p style="background:linear-gradient(red,blue);-webkit-background-clip:text;'
        f'color:transparent">{HIDDEN}</p>',
    ),
    "a closed tab": (
        "",
        '<a role="tab" aria-controls="t" href="/t">More</a>'
        f'<div role="tabpanel" id="t" hidden><p>{HIDDEN}</p></div>',
    ),
    "a closed accordion": (
        "<style>.panel{display:none}</style>",
        '<button data-bs-target="#t">More</button>'
        f'<div class="panel" id="t"><p>{HIDDEN}</p></div>',
    ),
    "closed details": (
        "",
        f"<details><summary>More</summary><p>{HIDDEN}</p></details>",
    ),
    "a body that waits for its script": (
        "<style>body{display:none!important}html{opacity:0}</style>",
        f"<p>{HIDDEN}</p>",
    ),
    "a list without scripts": (
        "<noscript><style>.x{display:none}</style></noscript>",
        f'<p class="x">{HIDDEN}</p>',
    ),
    "a broken sheet": (
        "<style>}} .x{{{ p:unknown(, { display:none } </style>",
        f'<p class="x">{HIDDEN}</p>',
    ),
}


@pytest.mark.parametrize(("head", "body"), SHOWN.values(), ids=SHOWN)
def test_words_that_a_reader_can_see_stay(head: str, body: str) -> None:
    document = read(page(f"<article>{VISIBLE}{body}</article>", head)).document

    assert document is not None
    assert HIDDEN in document.text
    assert document.missing == ()


def test_labels_for_screen_readers_are_left_out_without_a_word() -> None:
    label = (
        '<span style="position:absolute;width:1px;height:1px;overflow:hidden">'
        "opens in a new window</span>"
    )
    document = read(page(f"<article>{VISIBLE}<p>A map.{label}</p></article>")).document

    assert document is not None
    assert "new window" not in document.text
    assert document.missing == ()


def test_a_panel_whose_only_control_is_hidden_stays_closed() -> None:
    body = f'<div hidden><a href="#t">More</a></div><p id="t" hidden>{HIDDEN}</p>'

    document = read(page(f"<article>{VISIBLE}{body}</article>")).document

    assert document is not None
    assert "forty people" not in document.text


def test_words_around_hidden_ones_do_not_run_together() -> None:
    body = "<p>Before it<span hidden> nothing </span> and after it, all was well.</p>"

    document = read(page(f"<article>{VISIBLE}{body}</article>")).document

    assert document is not None
    assert "Before it and after it, all was well." in document.text


def test_a_page_that_hides_most_of_its_words_is_not_judged() -> None:
    long = paragraphs(
        tuple(f"{one} {number}." for number in range(9) for one in SENTENCES)
    )
    body = f'<article>{VISIBLE}<div style="opacity:0">{long}</div></article>'

    found = read(page(body))

    assert found.outcome is SourceOutcome.INCOMPLETE
    assert found.document is None


def test_it_comes_back_from_the_child_process() -> None:
    found = read(page(f"<article>{VISIBLE}<p hidden>{HIDDEN}</p></article>"))

    assert Extraction.from_json(found.to_json()) == found


# Rules times elements, at so many of both.
MULTIPLIED: dict[str, Callable[[int], tuple[str, str]]] = {
    "descendants": lambda n: (
        "<style>a b b b b b b i{display:none}</style>",
        "<b>" * 60 + "<i>x</i>" * n,
    ),
    "siblings": lambda n: (
        "<style>i ~ i ~ u ~ b{display:none}</style>",
        "<i>x</i>" * n + "<b>x</b>" * n,
    ),
    "types": lambda n: (
        "<style>i:first-of-type{display:none}</style>",
        "<i>x</i>" * n,
    ),
    "having": lambda n: (
        "<style>:has(u){display:none}</style>",
        "<div>" * 100 + "<i>x</i>" * n,
    ),
    "rules": lambda n: ("<style>" + "i{opacity:0}" * n + "</style>", "<i>x</i>" * n),
    "attributes": lambda n: (
        "<style>" + '[a*="yx"]{opacity:0}' * n + "</style>",
        f'<i a="{"y" * n}">x</i>' * 20,
    ),
    "inline": lambda n: (
        "",
        "".join(f'<i style="opacity:{at};{"top:1px;" * 30}">x</i>' for at in range(n)),
    ),
}
ADDED: dict[str, Callable[[int], tuple[str, str]]] = {
    "nested": lambda n: ("<style>" + "i{" * n + "</style>", "<i>x</i>" * 20),
    "brackets": lambda n: ("<style>" + "i:not(" * n + "</style>", "<i>x</i>" * 20),
    "many in one list": lambda n: (
        "<style>" + ".x," * (n // 10) + "i{opacity:0}</style>",
        "<i>x</i>" * 20,
    ),
    "one style many times": lambda n: (
        "",
        f'<i style="{"opacity:0;" * 20}">x</i>' * n,
    ),
    "hidden in a row": lambda n: ("", "<i hidden>x</i>y" * n),
}


def _tree(sheet: tuple[str, str]) -> etree._Element:
    head, body = sheet
    return lxml_html.document_fromstring(page(f"<p>{HIDDEN}</p>{body}", head))


@pytest.mark.parametrize("way", MULTIPLIED)
def test_work_that_is_multiplied_is_given_up(way: str) -> None:
    tree = _tree(MULTIPLIED[way](20_000))

    with pytest.raises(visibility.StylesTooLargeError):
        visibility.take_out_hidden(tree)


@pytest.mark.parametrize("way", sorted({*MULTIPLIED, *ADDED} - {"descendants"}))
def test_work_that_only_adds_up_is_done(way: str) -> None:
    many = 20_000 if way in ADDED else 50
    tree = _tree((MULTIPLIED | ADDED)[way](many))

    visibility.take_out_hidden(tree)


def test_a_page_with_too_many_styles_is_not_judged() -> None:
    head, body = MULTIPLIED["rules"](20_000)

    found = read(page(f"<article>{VISIBLE}{body}</article>", head))

    assert found.outcome is SourceOutcome.INCOMPLETE
