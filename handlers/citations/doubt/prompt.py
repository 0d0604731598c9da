"""What a language model is asked about doubtful claims, and the form of its answer.

The instructions are written by people and hold nothing from a page. Pure.
"""

from collections.abc import Sequence
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from handlers.model import Claim, Verdict
from handlers.ports import Excerpt

Word = Literal["supported", "partly supported", "contradicted", "not stated"]

VERDICTS: dict[str, Verdict] = {
    "supported": Verdict.SUPPORTED,
    "partly supported": Verdict.PARTIALLY_SUPPORTED,
    "contradicted": Verdict.CONTRADICTED,
    "not stated": Verdict.NOT_SUPPORTED,
}

INSTRUCTIONS = """
You check whether a source supports what an encyclopaedia article says.

You are given excerpts of one or more sources and some numbered claims of one \
article that cite them. For each claim, decide from the excerpts alone, whatever you \
know from elsewhere:

- "supported": the excerpts state all of the claim, in any words.
- "partly supported": they state a part of it, and say nothing else about the rest.
- "contradicted": they say something else about the same thing: another number, \
date, name or outcome. Silence is no contradiction.
- "not stated": they do not say it.

For every verdict but "not stated", copy the words that decide it into "quote": one \
run of words from one excerpt, character for character, as short as it can be and \
still prove the verdict by itself, at most two sentences. Never shorten it with \
dots, never join words from two places, never correct it. A quote that does not \
stand in the source makes the answer worthless. For "not stated", leave "quote" empty.

"Context" is what the article says before the claim; it tells who "he" or "the band" \
is and needs no support. The subject of the article needs none either. Of a claim \
from a table, the row and the column tell what the value is about.

Answer once for each claim, with its id.
"""

_MOST_CONTEXT = 400  # characters, nearest to the claim
_MOST_CLAIM = 2_000
_MOST_TITLE = 300


class ClaimAnswer(BaseModel):
    """What the model says of one claim. A verdict outside the set is let in, and told."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    verdict: str = Field(json_schema_extra={"enum": list(get_args(Word))})
    quote: str


class Answers(BaseModel):
    """What the model says of all claims it was asked about."""

    model_config = ConfigDict(extra="forbid", strict=True)

    answers: list[ClaimAnswer]


def claim_id(number: int) -> str:
    """Return what claim `number` is called in a request; they count from 1."""
    return f"c{number}"


def about(title: str) -> Excerpt:
    """Return the part that names the article."""
    return Excerpt("title of the article", title[:_MOST_TITLE])


def claim_part(number: int, claim: Claim) -> Excerpt:
    """Return the part that holds one claim and what a reader knows beside it."""
    lines = [
        ("Section", " > ".join(claim.section)),
        ("Row", claim.row or ""),
        ("Column", claim.column or ""),
        ("Context", claim.context[-_MOST_CONTEXT:]),
        ("Claim", claim.text[:_MOST_CLAIM]),
    ]
    text = "\n".join(f"{name}: {_line(value)}" for name, value in lines if value)
    return Excerpt(f"claim {claim_id(number)}", text)


def source_parts(texts: Sequence[tuple[int, str]]) -> list[Excerpt]:
    """Return a part for each excerpt, given with the number of its source."""
    return [
        Excerpt(f"excerpt {at} of source {number}", text)
        for at, (number, text) in enumerate(texts, 1)
    ]


def _line(value: str) -> str:
    return " ".join(value.split())
