"""Signs that two sentences with the same words say opposite things. Pure."""

from collections.abc import Sequence, Set

from handlers.citations.cues.words import Word

_NEGATION_WORDS = """
    not no never none neither nor without nobody nothing nowhere cannot hardly barely
    failed fail fails unable refused refuse declined denied lack lacks lacked false
    unsuccessful unsuccessfully untrue isn't wasn't aren't weren't don't doesn't didn't
    won't can't couldn't wouldn't shouldn't hasn't haven't hadn't n't n
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_PAIRS = """
    more/less more/fewer most/least before/after first/last win/lose victory/defeat
    increase/decrease increased/decreased rise/fall rose/fell born/died north/south
    east/west northern/southern eastern/western male/female man/woman men/women
    father/mother son/daughter brother/sister husband/wife he/she his/her alive/dead
    early/late earlier/later old/young older/younger large/small larger/smaller
    largest/smallest high/low higher/lower highest/lowest above/below over/under
    begin/end began/ended start/finish open/close opened/closed success/failure
    successful/unsuccessful positive/negative good/bad best/worst better/worse left/right
    accept/reject accepted/rejected approve/reject support/oppose supported/opposed
    guilty/innocent convicted/acquitted hire/fire joined/left join/leave buy/sell
    bought/sold public/private major/minor summer/winter spring/autumn day/night
    morning/evening black/white true/false legal/illegal likely/unlikely
    include/exclude included/excluded includes/excludes only/also all/none always/never
    domestic/foreign national/international regular/irregular home/away long/short
    longest/shortest fast/slow top/bottom major/minor single/double real/fictional
    praised/criticized praised/criticised popular/unpopular majority/minority
"""
_OPPOSITES = tuple(tuple(pair.split("/")) for pair in _PAIRS.split())


def negations(found: Sequence[Word]) -> int:
    """Count the words that turn a sentence round."""
    return sum(_negates(word.text.lower().replace("’", "'")) for word in found)


def opposed(claim_only: Set[str], evidence_only: Set[str]) -> int:
    """Count the pairs of opposites split between two aligned sentences.

    Both sets hold lower-case words that only one of the sentences has.
    """
    return sum(
        (one in claim_only and other in evidence_only)
        or (other in claim_only and one in evidence_only)
        for one, other in _OPPOSITES
    )


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")
