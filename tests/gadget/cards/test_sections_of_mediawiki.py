"""The section that an edit names is the one that a real MediaWiki opens for it."""

import json
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from bot.wiki.folder import read_page_file
from gadget.cards.edits import Places
from tests.gadget.cards.pages import page_of
from tests.rig.wiki.mediawiki import Wiki

_DEMO = Path(__file__).parents[3] / "bot" / "demo" / "articles"
_TRICKY = (
    "Lead.<ref>\n== no heading ==\n</ref>\n<!--\n== nor this ==\n-->\n"
    "{{box|\n== in a template ==\n}}\n== A ==\na\n=== B ===\nb <nowiki>\n== raw ==\n</nowiki>\n"
    "{|\n|\n==== C ====\nc\n|}\n== D == <!-- x -->\nd\n======= E =======\ne\n=F=\nf\n== ''G'' ==\n"
    "g {{{arg|\n=== held ===\n}}}\n=== H ==\nh\n\n\n"
)


def _sections(wiki: Wiki, wikitext: str, numbers: set[int]) -> dict[int, str]:
    found = {}
    for number in numbers:
        query = {
            "action": "parse",
            "format": "json",
            "formatversion": "2",
            "prop": "wikitext",
            "contentmodel": "wikitext",
            "title": "Sandbox",
            "text": wikitext,
            "section": number,
        }
        address = f"http://{wiki.host}/w/api.php"
        with urlopen(address, urlencode(query).encode(), timeout=30) as answer:
            found[number] = json.load(answer)["parse"]["wikitext"]
    return found


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    "wikitext",
    [
        pytest.param(_TRICKY, id="tricky"),
        *(
            pytest.param(read_page_file(path).wikitext, id=path.stem)
            for path in sorted(_DEMO.glob("*.wikitext"))
        ),
    ],
)
def test_a_section_is_what_mediawiki_gives_to_be_edited(
    wiki: Wiki, wikitext: str
) -> None:
    page = page_of(wikitext)
    places = Places(page)
    stretches = [places.stretch_at(section.span.start) for section in page.sections]

    given = _sections(wiki, wikitext, {each.number for each in stretches})

    assert len(given) == len(stretches) > 3
    assert {each.number: each.text for each in stretches} == given
