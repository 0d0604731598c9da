"""How well an update is supported: its sources, how many are independent, and the updates kept.

Two independent voices support an update well, or one primary source: a journal, or the
subject's own site. One registered domain is one voice; so are newspapers that print the same
agency's report, whether they credit it or only use its words. A government's page is
only one voice, because it is seldom the authority on the fact in question. For living
persons and contentious topics, the subject's own site is not enough, and sites on whose
reliability the wiki has not agreed do not count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from handlers.model import (
    Add,
    Backing,
    CandidateUpdate,
    Corroborate,
    DocumentKind,
    FactDecision,
    Ignore,
    Page,
    Reliability,
    Replace,
    SourceFetch,
    Subject,
    Trust,
    Update,
    UpdateKind,
    UpdateSource,
)
from handlers.sources.addresses import host_of, unarchived
from handlers.sources.reliability import ReliabilityLists


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The updates after a decision, what was done in plain words, and to which one."""

    updates: tuple[Update, ...]
    what: str
    number: int | None = None


def apply_decision(
    found: Sequence[Update],
    candidate: CandidateUpdate,
    decision: FactDecision,
    subject: Subject,
    lists: ReliabilityLists,
) -> DecisionResult:
    """Return the updates after applying `decision` on `candidate`."""
    if isinstance(decision, Ignore):
        what = decision.detail or decision.why.value
        return DecisionResult(tuple(found), what, decision.update)
    source = source_of(candidate, subject, lists)
    if isinstance(decision, Corroborate):
        updates = [
            _with_source(one, source, subject) if one.number == decision.update else one
            for one in found
        ]
        message = "another source for a fact found already"
        return DecisionResult(tuple(updates), message, decision.update)
    new = decision if isinstance(decision, Add) else None
    old = decision.statement if isinstance(decision, Replace) else None
    update = Update(
        number=max((one.number for one in found), default=0) + 1,
        kind=new.kind if new else UpdateKind.OUTDATED,
        text=candidate.text,
        section=new.section if new else old.section if old else (),
        sources=(source,),
        probability=decision.probability,
        replaces=old,
        after=new.after if new else old,
        backing=backing_of((source,), subject),
        is_worded=candidate.is_worded,
        score=candidate.score,
    )
    return DecisionResult((*found, update), update.kind.value, update.number)


def in_order(found: Sequence[Update]) -> tuple[Update, ...]:
    """Return updates, the best first: dated, then outdated statements, then by score.

    How certainly the article lacks a fact says nothing about how much it matters. Of
    sources worth reading only the best are kept.
    """
    ordered = sorted(
        found,
        key=lambda one: (
            one.dated is None,
            one.kind is not UpdateKind.OUTDATED,
            -one.score,
            one.number,
        ),
    )
    pointers = [one for one in ordered if one.kind is UpdateKind.POINTER]
    left_out = {one.number for one in pointers[_MOST_POINTERS:]}
    return tuple(one for one in ordered if one.number not in left_out)


def _with_source(update: Update, source: UpdateSource, subject: Subject) -> Update:
    """Return an update with one more source; a page counts once."""
    if source.fetch.source.key in {one.fetch.source.key for one in update.sources}:
        return update
    sources = (*update.sources, source)
    return replace(update, sources=sources, backing=backing_of(sources, subject))


_MOST_POINTERS = 10  # of an article; nobody reads a longer list
_ENOUGH_VOICES = 2
_COUNT = frozenset({Trust.RELIABLE, Trust.MIXED, Trust.UNLISTED})
_COUNT_IF_SENSITIVE = frozenset({Trust.RELIABLE, Trust.UNLISTED})
_OWN_SITE = re.compile(
    r"(?:\|\s{0,9}(?:website|homepage)\s{0,9}=\s{0,9}"
    r"(?:\[?\s{0,9}(?=(?:https?:)?//)|\{\{\s{0,9}url\s{0,9}\|\s{0,9}(?:1\s{0,9}=\s{0,9})?)"
    r"|\{\{\s{0,9}official (?:website|url)\s{0,9}\|\s{0,9}(?:1\s{0,9}=\s{0,9})?)"
    r"(?:https?:)?/{0,2}([\w.-]{3,200})",
    re.IGNORECASE,
)


def source_of(
    candidate: CandidateUpdate, subject: Subject, lists: ReliabilityLists
) -> UpdateSource:
    """Return the document of a candidate as a source of an update."""
    address = candidate.fetch.url or candidate.fetch.source.url or ""
    reliability = lists.of(address, subject.page.id.wiki)
    return UpdateSource(
        fetch=candidate.fetch,
        evidence=candidate.evidence,
        site=site_of(address),
        reliability=reliability,
        dated=candidate.dated,
        dated_in=candidate.dated_in,
        is_primary=_is_primary(candidate.fetch, address, reliability, subject),
        search=candidate.search,
    )


def backing_of(sources: Sequence[UpdateSource], subject: Subject) -> Backing:
    """Return how well `sources` support an update about the subject."""
    counted = _COUNT_IF_SENSITIVE if subject.is_sensitive else _COUNT
    fit = [one for one in sources if one.reliability.trust in counted]
    is_enough = any(
        one.is_primary
        and not (subject.is_sensitive and one.site in own_sites(subject.page))
        for one in fit
    )
    is_high = is_enough or voices(fit) >= _ENOUGH_VOICES
    return Backing.HIGH if is_high else Backing.LOW


def _is_primary(
    fetch: SourceFetch, address: str, reliability: Reliability, subject: Subject
) -> bool:
    if not reliability.trust.may_be_recommended:
        return False
    if site_of(address) in own_sites(subject.page):
        return True
    imprint = fetch.document.imprint if fetch.document else None
    return imprint is not None and imprint.kind is DocumentKind.JOURNAL


def own_sites(page: Page) -> frozenset[str]:
    """Return the sites that the article gives as its subject's own.

    A host with the subject's name is not enough: of 15 on 216 articles, 6 belong to
    others ("anatomy.org", "greece.org", "douglasadams.eu").
    """
    hosts = _OWN_SITE.findall(page.wikitext)
    return frozenset(site_of(f"https://{host}") for host in hosts)


# Second-level names under which countries register domains: "co.uk", "com.au".
_SECOND_LEVEL_NAMES = """
    ac asso co com csiro ed edu ens gob gos gouv gov govt govern ind law ltd med mil
    muni ne net nhs nic nom nsw or org parliament plc police qld res sch school tm vic
"""
_SECOND_LEVEL = frozenset(_SECOND_LEVEL_NAMES.split())
_COUNTRY_LETTERS = 2
# Hosts on which everyone is a separate publisher.
_NAMES_OF_MANY = """
    blogspot.com wordpress.com github.io gitlab.io substack.com tumblr.com medium.com
    livejournal.com typepad.com weebly.com wixsite.com squarespace.com netlify.app
    vercel.app pages.dev web.app neocities.org over-blog.com jimdofree.com
"""
_HOSTS_OF_MANY = frozenset(_NAMES_OF_MANY.split())
_LONGEST_HOST = 20  # labels
# With capitals and between punctuation, as in datelines and credits.
_AGENCY = re.compile(
    r"(?P<ap>Associated Press|\(AP\)|AP News)|(?P<reuters>Reuters)"
    r"|(?P<afp>Agence France-Presse|\(AFP\)|AFP(?=[ :—–-]))"
    r"|(?P<pa>PA Media|Press Association)|(?P<dpa>Deutsche Presse-Agentur|dpa(?=[/ ,)]))"
    r"|(?P<xinhua>Xinhua)|(?P<tass>TASS)|(?P<kyodo>Kyodo)|(?P<efe>Agencia EFE|\(EFE\))"
    r"|(?P<ansa>\(ANSA\))|(?P<pti>Press Trust of India|\(PTI\))|(?P<ani>\(ANI\))"
    r"|(?P<upi>\(UPI\))|(?P<canadian>Canadian Press)|(?P<aap>Australian Associated Press)"
    r"|(?P<release>PR ?Newswire|Business Wire|GlobeNewswire|EIN Presswire)"
)
_CREDIT_CHARS = 400  # at either end of a page, where agencies are credited
_SHINGLE_WORDS = 5
_SAME_QUOTE = 0.7  # share of the shorter quote's shingles that are in the other
_SAME_PAGE = 0.3  # the same for whole pages, which differ in boilerplate
_FEWEST_SHINGLES = 6  # fewer may match by chance
_MOST_CHARS = 40_000
_WORD = re.compile(r"\w+")


def site_of(address: str) -> str:
    """Return the registered domain of an address, judging by its name.

    "news.bbc.co.uk" is "bbc.co.uk"; a blog on a shared host is a separate site. A page
    in a web archive counts as the archived page.
    """
    host = host_of(unarchived(address))
    labels = host.split(".")[-_LONGEST_HOST:]
    if len(labels) <= 2 or labels[-1].isdecimal() or ":" in host:  # noqa: PLR2004 - "bbc.com"; a number
        return host
    is_country = len(labels[-1]) == _COUNTRY_LETTERS
    is_deep = (is_country and labels[-2] in _SECOND_LEVEL) or (
        ".".join(labels[-2:]) in _HOSTS_OF_MANY
    )
    return ".".join(labels[-3:] if is_deep else labels[-2:])


def agencies_of(fetch: SourceFetch) -> frozenset[str]:
    """Return the news agencies that a page credits, at its ends or in its imprint."""
    document = fetch.document
    if document is None:
        return frozenset()
    authors = " ".join(one.name for one in document.imprint.authors)
    places = (
        document.text[:_CREDIT_CHARS],
        document.text[-_CREDIT_CHARS:],
        f"{document.author or ''} {authors} {document.imprint.publisher or ''}",
    )
    return frozenset(
        str(found.lastgroup) for place in places for found in _AGENCY.finditer(place)
    )


def voices(sources: Sequence[UpdateSource]) -> int:
    """Count the independent voices among `sources`."""
    groups: list[list[UpdateSource]] = []
    for source in sources:
        same = [
            group
            for group in groups
            if any(_is_one_voice(source, other) for other in group)
        ]
        groups = [group for group in groups if group not in same]
        groups.append([source, *(one for group in same for one in group)])
    return len(groups)


def _is_one_voice(one: UpdateSource, other: UpdateSource) -> bool:
    mine, its = (
        each.fetch.document.text[:_MOST_CHARS] if each.fetch.document else ""
        for each in (one, other)
    )
    return (
        one.site == other.site
        or bool(agencies_of(one.fetch) & agencies_of(other.fetch))
        or _shared(one.evidence.quote, other.evidence.quote) >= _SAME_QUOTE
        or _shared(mine, its) >= _SAME_PAGE
    )


def _shared(one: str, other: str) -> float:
    """Return the share of the shorter text's runs of words that are in the other."""
    first, second = (
        {
            tuple(found[at : at + _SHINGLE_WORDS])
            for at in range(len(found) - _SHINGLE_WORDS + 1)
        }
        for found in (_WORD.findall(text.casefold()) for text in (one, other))
    )
    fewest = min(len(first), len(second))
    return len(first & second) / fewest if fewest >= _FEWEST_SHINGLES else 0.0
