"""Recognises copies of the article, and pages of wikis: they prove nothing. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from handlers.model import SourceText, Statement

_WIKI = re.compile(
    r"from wikipedia,? the (?:free|open)|(?:uses? |based on )?(?:material|text|content) from (?:the )?"
    r"(?:\w+ )?wikipedia|this (?:article|page) is issued from wikipedia|wikipedia® is a"
    r"|creative commons attribution[- ]share-?alike|retrieved from [\"“]?https?://\w+\.wikipedia\.org"
    r"|source: wikipedia|jump to (?:navigation|search) ?jump to|wikimedia foundation, inc"
    r"|(?:aus|de) (?:der )?wikip[eé]dia,? (?:der freien|l['’]encyclop)|community content is available under cc",
    re.IGNORECASE,
)
_WIKI_TITLE = re.compile(
    r"[-–—|:(] *+(?:[\w ]{0,30} )?(?:wiki(?:pedia|wand|data|media|zero|tia)?|fandom|alchetron"
    r"|everybodywiki|dbpedia|infogalactic|encyclopedia dramatica|kiddle)\)?(?: .{0,25})?$",
    re.IGNORECASE,
)
_EDIT_LINKS = re.compile(
    r"\[ ?edit(?: source)? ?\]|^edit source$", re.IGNORECASE | re.MULTILINE
)
_FEWEST_EDIT_LINKS = 2
_WORD = re.compile(r"\w+")
_SIZE = 8  # words in a shingle: so many in a row are seldom the same by chance
_DOCUMENT_SHARE, _DOCUMENT_HITS = 0.35, 15
_ARTICLE_SHARE, _ARTICLE_HITS = 0.25, 40


class Original:
    """The article in shingles; made once for many documents."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.shingles = frozenset(_shingles(" ".join(one.text for one in statements)))

    def copied_by(self, document: SourceText, most_chars: int) -> str | None:
        """Return why `document` is a copy, of the article or of a wiki; else `None`."""
        text = document.text[:most_chars]
        wiki = _WIKI.search(text) or _WIKI_TITLE.search(document.title or "")
        if wiki:
            return f"a page of a wiki, or a copy: “{' '.join(wiki[0].split())}”"
        if len(list(islice(_EDIT_LINKS.finditer(text), _FEWEST_EDIT_LINKS))) > 1:
            return "a page of a wiki: it has links to edit its sections"
        theirs = frozenset(_shingles(text))
        shared = len(theirs & self.shingles)
        of_document = shared / max(len(theirs), 1)
        of_article = shared / max(len(self.shingles), 1)
        if (of_document >= _DOCUMENT_SHARE and shared >= _DOCUMENT_HITS) or (
            of_article >= _ARTICLE_SHARE and shared >= _ARTICLE_HITS
        ):
            return f"it shares {shared} runs of {_SIZE} words with the article"
        return None


def _shingles(text: str) -> Iterator[int]:
    found = _WORD.findall(text.casefold())
    for first in range(len(found) - _SIZE + 1):
        yield hash(tuple(found[first : first + _SIZE]))
