"""A dossier as wikitext: valid, readable, and no document's words take effect."""

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import mwparserfromhell
import pytest

from bot.records.watches import Policy
from bot.surfaces.dossier_page import Setting, addresses, dossier, templates
from bot.surfaces.messages import LANGUAGES, Words, message
from handlers.model import DraftSection, Left, LeftOut, Origin, SourceText
from tests.bot.report.drafts.makers import (
    BURST,
    FIRST,
    TWELVE,
    document,
    draft,
    hostile,
    sentence,
    worded,
)
from tests.bot.report.test_html import Outline
from tests.bot.wiki.markup.corpora import hostile_texts
from tests.rig.wiki.mediawiki import Wiki

_WANTED = "text|categories|templates|links|sections|properties|parsewarnings"


def test_a_dossier_reads_well_as_wikitext() -> None:
    text = dossier(draft(), Setting(bot="SidenoteBot"))

    assert "__NOINDEX__" in text
    assert "It is not an article" in text
    assert Words().say("dossier-quoted") in text
    assert (
        f'* “{BURST[:-1]}.”<ref name="news0-example-1" /><sup>&nbsp;[https://' in text
    )
    assert "== Victims ==" in text
    assert "a blog" in text
    assert "Problem: gdelt" in text


def test_each_source_has_one_footnote_and_no_address_tracks_its_reader() -> None:
    text = dossier(draft())

    assert text.count('<ref name="news0-example-1">{{cite news') == 1
    assert "|url=https://news0.example/flood?id=0 " in text
    assert "utm_" not in text
    assert "#:~:text=Twelve%20people" in text


def test_a_link_leads_to_the_very_words_and_signs_nothing() -> None:
    tildes = "Twelve ~~~~ people __TOC__ died there."
    one = document(0, tildes)
    text = dossier(hostile([tildes]))

    assert one.fetch.document
    assert "#:~:text=Twelve%20%7E%7E%7E%7E%20people%20%5F%5FTOC%5F%5F%20died" in text
    assert "~~~" not in text


def test_what_a_model_wrote_is_shown_as_far_as_the_policy_goes() -> None:
    words = "The mayor counted twelve dead."
    by_policy = {one: dossier(worded(), Setting(one)) for one in Policy}

    assert words not in by_policy[Policy.POINTER]
    assert f"* “{TWELVE}”" in by_policy[Policy.POINTER]
    assert f"* {words}<ref" in by_policy[Policy.FACTS]
    assert f"** “{TWELVE}”" in by_policy[Policy.FACTS]
    assert f"\n{words}<ref" in by_policy[Policy.WORDING]
    assert TWELVE not in by_policy[Policy.WORDING]
    assert Words().say("dossier-facts") in by_policy[Policy.FACTS]
    assert Words().say("dossier-worded") in by_policy[Policy.WORDING]


def test_a_quote_is_never_shown_as_our_own_prose() -> None:
    text = dossier(draft(), Setting(Policy.WORDING))

    assert f"“{BURST}”<ref" in text
    assert "\n* “" not in text


def test_an_address_that_the_wiki_refuses_is_shown_and_not_linked() -> None:
    one = draft()
    assert addresses(one) == {f"https://news{n}.example/flood?id={n}" for n in range(3)}

    text = dossier(one, Setting(refused=addresses(one)))

    assert not re.search(r"https?://", text)
    assert "news0&#46;example" in text


def test_the_page_behind_an_archived_copy_is_asked_about_and_refused_alike() -> None:
    """A spam blacklist that lists it refuses the whole page for the template's url."""
    page, copy = "https://listed.example/flood", "https://archive.today/AbC12"
    read = document(0, FIRST, page)
    one = replace(read, fetch=replace(read.fetch, origin=Origin.ARCHIVE, url=copy))
    draft_made = draft(
        sections=(DraftSection("", ((sentence(one, BURST),),)),),
        documents=(one,),
        disagreements=(),
    )
    text = dossier(draft_made)
    refused = dossier(draft_made, Setting(refused=frozenset({page})))

    assert f"|url={page} |archive-url={copy} " in text
    assert addresses(draft_made) == {page, copy}
    assert "listed.example" not in refused
    assert copy in refused


def test_a_page_without_a_title_is_cited_without_a_template_that_would_complain() -> (
    None
):
    text = SourceText(FIRST)
    one = document(0, FIRST, document=text)
    draft_made = draft(
        sections=(DraftSection("", ((sentence(one, BURST),),)),),
        documents=(one,),
        disagreements=(),
    )

    wikitext = dossier(draft_made)

    assert "{{cite" not in wikitext
    assert "[https://news0.example/flood?id=0 " in wikitext


def test_what_a_template_of_the_wiki_would_show_is_written_out_where_it_lacks_it() -> (
    None
):
    one = draft()
    names = templates(one)
    assert names == {"cite news"}

    text = dossier(one, Setting(missing=names))

    assert "{{" not in text
    assert "[https://news0.example/flood?id=0 Flood report 0]" in text


def test_sources_that_say_more_than_may_be_quoted_are_pointed_to() -> None:
    text = dossier(draft())

    assert (
        '== Worth reading ==\n* Flood report 1<ref name="news1-example-2" />: 3'
        " sentences more on the topic (Victims)" in text
    )


def test_words_beyond_what_may_be_quoted_are_shown_by_no_policy() -> None:
    draft_made = worded()
    [section] = draft_made.sections
    [one] = section.sentences
    hidden = replace(one, cites=(replace(one.cites[0], is_shown=False),))
    draft_made = replace(
        draft_made, sections=(replace(section, paragraphs=((hidden,),)),)
    )

    for policy in Policy:
        text = dossier(draft_made, Setting(policy))
        assert TWELVE not in text
        assert ("The mayor counted" in text) is (policy is not Policy.POINTER)


def test_disagreeing_sentences_stand_side_by_side() -> None:
    text = dossier(draft())

    assert "'''The sources disagree in 1 place; see [[#Where the sources" in text
    row = text[text.index("|-\n| number of dead") :]
    assert row.index("Twelve people") < row.index("Fourteen people")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_dossier_is_in_the_language_of_its_wiki(language: str) -> None:
    """Of ours, nothing is in English; `_PARTS` are in it, and the sources as they are."""
    draft_made = draft()
    draft_made = replace(
        draft_made, topic=replace(draft_made.topic, language=language), troubles=()
    )
    shown, say = dossier(draft_made, Setting(bot="SidenoteBot")), Words(language).say

    unranked = dossier(replace(draft_made, reranker=""), Setting(bot="SidenoteBot"))
    made_by = f"{draft_made.engine.name} {draft_made.engine.version}", "PRR"
    ranked = say("dossier-engine", *made_by, "merged")
    assert ranked in shown
    assert ranked not in unranked
    assert say("dossier-engine-unranked", *made_by) in unranked
    for key in _PARTS:
        assert say(key) in shown, key
        assert (Words().say(key) in shown) is (say(key) == Words().say(key)), key
    [left] = draft_made.left_out
    assert say(f"dossier-left-{left.why.name.lower().replace('_', '-')}") in shown
    assert shown.count("[[") == shown.count("]]")
    assert shown.count("\n== ") == dossier(draft()).count("\n== ")


_PARTS = (
    *("dossier-about", "dossier-disagree", "dossier-disagree-what"),
    *("dossier-quoted", "dossier-read", "dossier-reading", "dossier-references"),
)


def test_what_no_source_supports_is_counted_and_not_published() -> None:
    charge = LeftOut("Ada Roe stole it.", Left.NOT_SUPPORTED, "“stole” is not there")
    text = dossier(draft(left_out=(charge, charge)))

    assert Words().say("dossier-left-unsupported", 2) in text
    assert "stole" not in text


def test_each_reason_why_something_is_left_out_has_its_words() -> None:
    for why in Left:
        assert message(f"dossier-left-{why.name.lower().replace('_', '-')}")


def test_hostile_words_are_no_markup() -> None:
    texts = hostile_texts()[::25]
    text = dossier(hostile(texts))
    parsed = mwparserfromhell.parse(text)

    assert len(texts) > 120
    assert {str(one.name).strip() for one in parsed.filter_templates()} <= {
        "cite web",
    }
    assert {str(one.tag) for one in parsed.filter_tags()} <= set(_OUR_TAGS)
    assert not re.search(r"~~~|(?<!__NOINDEX)__(?!NOINDEX__)", text)
    assert not parsed.filter_comments()


_OUR_TAGS = [
    "div",
    "ref",
    "references",
    "sup",
    "b",
    "li",
    "dt",
    "table",
    "tr",
    "th",
    "td",
    "caption",
]


def test_a_real_wiki_renders_it_and_every_footnote_leads_somewhere(wiki: Wiki) -> None:
    page_html = _rendered(wiki, dossier(draft()))
    page = page_html["text"]

    assert "mw-ext-cite-error" not in page
    assert "noindex" in page_html["properties"]
    outline = Outline(page)
    notes = {one for one in outline.values("href") if one.startswith("#cite_note-")}
    assert len(notes) == 2
    assert {one[1:] for one in notes} <= set(outline.values("id"))
    assert re.search(r'href="https://news0\.example/flood\?id=0#:~:text=[^"]+"', page)
    assert FIRST not in page


def test_hostile_words_do_nothing_on_a_real_wiki(wiki: Wiki) -> None:
    texts = [one for one in hostile_texts() if len(one) < 300][::50]
    page_html = _rendered(wiki, dossier(hostile(texts)))

    harmless = dossier(draft())
    usual = _rendered(wiki, harmless)
    names = {one["title"] for one in usual["templates"]}
    assert {one["title"] for one in page_html["templates"]} <= names | {
        "Template:Cite web"
    }
    assert set(page_html["properties"]) == set(usual["properties"])
    page = Outline(page_html["text"])
    assert not {"script", "img", "iframe", "object", "form"} & page.elements.keys()
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert "mw-ext-cite-error" not in page_html["text"]
    assert {one["category"] for one in page_html["categories"]} <= {
        one["category"] for one in usual["categories"]
    }


def _rendered(wiki: Wiki, text: str) -> dict[str, Any]:
    """Return what the wiki makes of it on a page in somebody's own space."""
    query = {
        "action": "parse",
        "title": "User:Ada Penrose/Sidenote drafts/Flood",
        "text": text,
        "prop": _WANTED,
        "pst": "1",
        "contentmodel": "wikitext",
        "format": "json",
        "formatversion": "2",
    }
    with urlopen(
        f"http://{wiki.host}/w/api.php", urlencode(query).encode(), timeout=60
    ) as answer:
        seen: dict[str, Any] = json.load(answer)["parse"]
    return seen
