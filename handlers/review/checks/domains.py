"""Does one publisher, or the subject itself, carry the article (WP:BALANCE, WP:SPS)? Pure."""

import re
from collections import Counter
from collections.abc import Iterator

from handlers.model import Finding, FindingKind, Source
from handlers.review.checks.placing import Fault, of_page
from handlers.review.manuscript.paragraphs import Manuscript
from handlers.updates.voices import site_of

_FEWEST = 10  # citations
_HALF = 0.5
_MOST = 0.7
_OWN_SHARE = 0.4
_ANYBODY_SHARE = 0.3
_SHORTEST_NAME = 5  # letters of a title that are looked for in a domain
_LETTERS = re.compile(r"[^a-z0-9]")
_BRACKETED = re.compile(r"\([^()]{0,200}\)")
# Here many publishers can be read; the site says nothing of whose word it is.
_LIBRARIES = """
    archive.org books.google.com google.com doi.org jstor.org worldcat.org nih.gov
    newspapers.com proquest.com sciencedirect.com springer.com wiley.com oup.com
    tandfonline.com cambridge.org sagepub.com semanticscholar.org researchgate.net
    hathitrust.org gutenberg.org webcitation.org archive.is archive.today highbeam.com
    questia.com academia.edu ssrn.com arxiv.org handle.net news.google.com yahoo.com
    wikipedia.org loc.gov trove.nla.gov.au nla.gov.au newspaperarchive.com gale.com
"""
_LIBRARY = frozenset(_LIBRARIES.split())
# Here anybody can publish what he likes.
_ANYBODYS = """
    blogspot.com wordpress.com medium.com substack.com tumblr.com facebook.com
    twitter.com x.com instagram.com tiktok.com youtube.com imdb.com fandom.com wikia.com
    findagrave.com goodreads.com linkedin.com reddit.com quora.com livejournal.com
    weebly.com wixsite.com geocities.com angelfire.com tripod.com discogs.com
    ancestry.com geni.com myspace.com pinterest.com
"""
_ANYBODY = frozenset(_ANYBODYS.split())


def one_sided(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield findings where a site has most of the article's citations."""
    cited = [
        source
        for claim in manuscript.page.claims
        for citation in claim.citations
        for source in citation.sources
    ]
    sites = Counter(filter(None, map(_site, cited)))
    if len(cited) < _FEWEST or not sites:
        return
    yield from _anybodys(sites, len(cited), manuscript)
    own = _own(manuscript.page.id.title, sites)
    if own and sites[own] >= _OWN_SHARE * len(cited):
        yield of_page(_relies(own, sites[own] / len(cited), is_own=True), manuscript)
        return
    others = Counter(
        {
            site: n
            for site, n in sites.items()
            if site not in _LIBRARY and not _is_anybodys(site)
        }
    )
    for site, count in others.most_common(1):
        if count >= _HALF * len(cited):
            yield of_page(_relies(site, count / len(cited), is_own=False), manuscript)


def _site(source: Source) -> str:
    return site_of(source.url or source.archive_url or "")


def _is_anybodys(site: str) -> bool:
    return ".".join(site.split(".")[-2:]) in _ANYBODY


def _own(title: str, sites: Counter[str]) -> str | None:
    """Return the site that is named as the subject is, if one is.

    A name that stands in another ("time" in "timesofexample") is another's.
    """
    name = _LETTERS.sub("", _BRACKETED.sub("", title).lower())
    if len(name) < _SHORTEST_NAME:
        return None
    return next((one for one in sites if name in _names(one)), None)


def _names(site: str) -> set[str]:
    """Return what a host is called: its labels, but for the last and a leading "the"."""
    labels = {_LETTERS.sub("", one) for one in site.split(".")[:-1]}
    return labels | {one.removeprefix("the") for one in labels}


def _relies(site: str, share: float, *, is_own: bool) -> Fault:
    if is_own:
        return Fault(
            FindingKind.ONE_SIDED,
            f"{share:.0%} of the citations are of the subject's own site, {site}.",
            "Found what matters on sources that are independent of the subject.",
            "WP:PRIMARY",
            0.65,
            ("n_1", "n_7"),
        )
    return Fault(
        FindingKind.ONE_SIDED,
        f"{share:.0%} of the citations are of one site, {site}.",
        "Look for other independent sources, which may weigh things differently.",
        "WP:BALANCE",
        0.75 if share >= _MOST else 0.6,
        ("n_1", "n_7"),
    )


def _anybodys(
    sites: Counter[str], total: int, manuscript: Manuscript
) -> Iterator[Finding]:
    found = {site: count for site, count in sites.items() if _is_anybodys(site)}
    if sum(found.values()) >= _ANYBODY_SHARE * total:
        named = ", ".join(sorted(found, key=lambda site: -found[site])[:3])
        fault = Fault(
            FindingKind.ONE_SIDED,
            f"{sum(found.values())} of {total} citations are of sites where anybody can"
            f" publish ({named}).",
            "Replace them by published, edited sources.",
            "WP:SPS",
            0.68,
            ("n_7",),
        )
        yield of_page(fault, manuscript)
