"""The 39 criteria of Wiki Writing, in our own words, and the guidelines they rest on.

The ids are those of the Wiki Live Challenge, so that results can be compared; the
wording is ours, based on the guideline that each names.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from urllib.parse import quote

from handlers.model import Category, Criterion

_WELL, _BROAD, _NEUTRAL = (
    Category.WELL_WRITTEN,
    Category.BROAD_COVERAGE,
    Category.NEUTRAL,
)
# Category, group, and for each of its criteria: id, guideline, text.
_GROUPS = (
    (
        _WELL,
        "plain prose",
        """
ww_cc_1 WP:TONE Written for the general reader of an encyclopaedia: plain, formal
    prose, not a paper that only specialists can follow, and neither an advertisement
    nor a chat.
ww_cc_2 MOS:JARGON Correct without oversimplifying: technical terms are explained
    where they first occur, and readers need no training in the field.
ww_cc_3 MOS:LINKSTYLE Can be understood as it stands: a reader who follows no link
    still learns what each unfamiliar idea means.
""",
    ),
    (
        _WELL,
        "form of the lead",
        """
ww_ls_1 MOS:LEAD Opens with a short summary that has no headings of its own; all else
    is put into sections below it.
ww_ls_2 MOS:INTRO The opening tells the essentials and makes readers want more by what
    it says, and never by hinting at what is withheld.
ww_ls_3 MOS:LEAD The opening is easy to read and takes nobody's side.
""",
    ),
    (
        _WELL,
        "the lead as a summary",
        """
ww_ls_4 MOS:LEAD Whoever reads only the opening knows what the subject is, where and
    when it belongs, why it matters, and the chief points with any notable dispute.
ww_ls_5 MOS:LEADREL The opening gives each matter the room that it has in good sources
    and in the body below, so nothing minor takes the place of something major.
ww_ls_7 MOS:LEADREL Whatever of weight the opening says is told again, more fully,
    further down; small particulars such as dates of birth, names or a telling
    quotation may stand there alone.
""",
    ),
    (
        _WELL,
        "sources of the lead",
        """
ww_ls_6 MOS:LEADCITE Statements of the opening that readers may doubt have a footnote
    there, or else one where the body repeats them.
""",
    ),
    (
        _WELL,
        "praise and labels",
        """
ww_wtw_1 MOS:PUFFERY No praise in the article's own voice: rank is shown by prizes,
    figures and named judges, where others would write "iconic", "acclaimed" or
    "world-class".
ww_wtw_2 MOS:LABEL Judging labels for people, groups or habits are used only where
    good sources mostly do so, and then with the name of who uses them.
""",
    ),
    (
        _WELL,
        "attribution and doubt",
        """
ww_wtw_3 MOS:WEASEL Views have owners: "some say" or "is widely seen as" does not
    stand in for the people, studies or polls that are meant.
ww_wtw_4 MOS:ALLEGED Doubt is cast only where its author is plain; neither words such
    as "supposed" nor ironic quotation marks and italics do it by stealth.
""",
    ),
    (
        _WELL,
        "the writer's voice",
        """
ww_wtw_5 MOS:EDITORIAL The writer stays out of sight: no asides that tell readers what
    to find surprising, regrettable, evident or worth noting.
ww_wtw_6 MOS:SAID Speech is reported with plain verbs; one that lets it sound true,
    false or guilty is used only where sources bear that out.
""",
    ),
    (
        _WELL,
        "plain words",
        """
ww_wtw_7 MOS:EUPHEMISM Things are called by their plain names: people die, wars kill
    civilians, illnesses and handicaps are named.
ww_wtw_8 MOS:IDIOM Says things literally: no worn metaphors and no idioms that a
    learner of the language would misread.
ww_wtw_11 MOS:WTW Family is told of where it belongs in the life, not strung together
    behind the death as newspapers' obituaries do.
""",
    ),
    (
        _WELL,
        "time and place",
        """
ww_wtw_9 MOS:RELTIME Dates are given outright, so that the words are as true years
    from now as on the day on which they were written.
ww_wtw_10 MOS:WTW Places and how often something happens are named outright, never
    from where the writer happens to sit.
""",
    ),
    (
        _BROAD,
        "main aspects",
        """
bc_1 WP:GACR Nothing central is missing: each side of the subject that sources dwell
    on is dealt with.
bc_3 WP:WIAGA What belongs to the subject as its opening draws it, and is well
    sourced, is there, if only in a line.
bc_7 WP:SUMMARY Larger themes have sections of their own, of a size that can be read
    in one go.
""",
    ),
    (
        _BROAD,
        "scope",
        """
bc_2 MOS:FIRST From the first sentence, or the first paragraph at the latest, one
    knows what the article covers and what it leaves to others.
bc_6 WP:SUMMARY The opening names the main findings of the whole in few words.
""",
    ),
    (
        _BROAD,
        "focus",
        """
bc_4 WP:OFFTOPIC What good sources say of other subjects is left to other articles.
bc_5 WP:SUMMARY Keeps to what matters: detail that only devotees want is shortened or
    moved to an article of its own.
bc_8 WP:OFFTOPIC Each paragraph is about the subject itself; none could be cut without
    readers losing something about it.
""",
    ),
    (
        _NEUTRAL,
        "balance of views",
        """
n_1 WP:NPOV All sides that reliable sources report are told fairly, each with the room
    that it deserves.
n_6 WP:BALANCE Readers see how many hold a view and who: that of a few is not put on a
    level with that of nearly all.
n_7 WP:DUE Side issues stay small; the room for each matter follows how much the
    published sources make of it.
n_8 WP:FRINGE Ideas that science or scholarship rejects are named as such and get
    little room.
""",
    ),
    (
        _NEUTRAL,
        "opinion and fact",
        """
n_2 WP:WIKIVOICE Judgements are told as somebody's, with names or with how common they
    are, and not as though they were settled.
n_3 WP:WIKIVOICE Where reliable sources contradict each other, the article takes no
    side but says who holds what.
n_4 WP:WIKIVOICE What nobody disputes is said outright, without an "according to" that
    makes it look doubtful.
""",
    ),
    (
        _NEUTRAL,
        "even-handedness",
        """
n_5 WP:IMPARTIAL The tone is even: one cannot tell from the wording whether the writer
    likes the subject.
n_9 WP:RNPOV Beliefs and customs are told from within, as those who hold them see
    them, and from without, as historians and other scholars trace their growth.
n_10 WP:NPOV One name heads the article; others are given in the text by how much they
    are used, and lead to it as redirects.
""",
    ),
)
_ROW = re.compile(r"^(\w+) (\S+) (.*(?:\n    .*)*)", re.MULTILINE)
CRITERIA: tuple[Criterion, ...] = tuple(
    Criterion(id_, category, group, " ".join(text.split()), guideline)
    for category, group, rows in _GROUPS
    for id_, guideline, text in _ROW.findall(rows)
)
BY_ID: Mapping[str, Criterion] = MappingProxyType({one.id: one for one in CRITERIA})


def criteria_of(category: Category) -> tuple[Criterion, ...]:
    """Return the criteria of one category, in their order."""
    return tuple(one for one in CRITERIA if one.category is category)


def not_among(ids: Iterable[str]) -> tuple[Criterion, ...]:
    """Return the criteria that are not among `ids`, in their order."""
    known = frozenset(ids)
    return tuple(one for one in CRITERIA if one.id not in known)


GUIDELINES = "en.wikipedia.org"


def address_of(guideline: str) -> str:
    """Return the address of a page such as "MOS:LEAD" or "WP:V#Burden"."""
    title = "_".join(guideline.split())
    return f"https://{GUIDELINES}/wiki/{quote(title, safe=':/#(),')}"
