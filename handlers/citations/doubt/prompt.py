"""What a language model is asked about claims, and the form of its answer.

The instructions are written by people and hold nothing from a page. Pure.
"""

from hashlib import sha256
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from handlers.model import Claim, Verdict
from handlers.ports import Excerpt

Word = Literal[
    "supported", "partly supported", "contradicted", "not stated", "source unusable"
]

VERDICTS: dict[str, Verdict | None] = {
    "supported": Verdict.SUPPORTED,
    "partly supported": Verdict.PARTIALLY_SUPPORTED,
    "contradicted": Verdict.CONTRADICTED,
    "not stated": Verdict.NOT_SUPPORTED,
    "source unusable": None,
}

INSTRUCTIONS = """
You check whether sources support what an encyclopaedia article says.

You are given one or more sources, whole or in excerpts, and some numbered claims of \
one article that cite them. Judge each claim by these sources alone, whatever you know \
from elsewhere. Answer once for each claim, with its id, in this order:

"quotes": the words of the sources that decide, copied character for character; whole \
sentences, one run of words each. One is best; take two or three where parts of the \
claim stand in different places. Never shorten a quote with dots, never join two \
places, never correct or translate. A quote that does not stand in the source is \
worthless. For "not stated" leave the list empty.

"reason": one line. Hold each detail of the claim (who, what, where, when, how many) \
against the quotes, and name the one that differs or is missing.

"verdict": one of
- "supported": a fair editor would let the citation stand: the sources state what the \
claim is about, in any words and any language. A rounded number, another unit, another \
spelling of a name, what plainly follows from the source, and a shade of meaning or a \
linking word that the article adds are no difference.
- "partly supported": they state one fact of the claim and say nothing of another that \
matters by itself: a person, a number, a date, an event.
- "contradicted": they say something else about the same thing, so that both cannot be \
true: another number, date, name or outcome. Silence is no contradiction, nor is a \
value of something else.
- "not stated": they can be read and do not say it.
- "source unusable": there is nothing to judge by: an error page, a login, a cookie \
notice, a menu, a bare list of links. Quote what shows it. A readable page about \
something else is "not stated".

"Context" is what the article says before the claim; it tells who "he" or "the band" \
is and needs no support. The subject of the article needs none either. Of a claim \
from a table, the row and the column tell what the value is about.
"""

_MOST_CONTEXT = 400  # characters, nearest to the claim
_MOST_CLAIM = 2_000
_MOST_TITLE = 300
_SYLLABLES = ("ba", "dor", "fen", "gli", "kos", "lu", "mar", "nev")


class ClaimAnswer(BaseModel):
    """What the model says of one claim. A verdict outside the set is let in, and told.

    The quotes come first and the reason next, so that the verdict rests on them.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    quotes: list[str]
    reason: str
    verdict: str = Field(json_schema_extra={"enum": list(get_args(Word))})


class Answers(BaseModel):
    """What the model says of all claims it was asked about."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answers: list[ClaimAnswer]


def about(title: str) -> Excerpt:
    """Return the part that names the article."""
    return Excerpt("title of the article", title[:_MOST_TITLE])


def claim_part(claim: Claim) -> str:
    """Return one claim and what a reader knows beside it."""
    lines = [
        ("Section", " > ".join(claim.section)),
        ("Row", claim.row or ""),
        ("Column", claim.column or ""),
        ("Context", claim.context[-_MOST_CONTEXT:]),
        ("Claim", claim.text[:_MOST_CLAIM]),
    ]
    return "\n".join(
        f"{name}: {' '.join(value.split())}" for name, value in lines if value
    )


def control(claims: str) -> tuple[int, str]:
    """Return a claim that no source states, and a number that places it among `claims`.

    A model that vouches for it does not judge but obeys, a page as a rule. It differs
    from question to question, and is the same for the same question.
    """
    digest = sha256(claims.encode("utf-8", "replace")).digest()
    name = "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[:3])
    told = f"{name.capitalize()} lost {digest[3] + 20} seats at the count of {digest[4] + 1600}."
    return digest[5], f"Claim: {told}"
