"""Puts each sentence of a draft to the verifier, beside the chunks that it cites.

A model's sentence may say more than its chunk, so that one that no chunk bears out is
not in the draft (the paper's citation recall); a chunk that does not bear a sentence
out is not cited for it (citation precision). A quote stays with the chunk that it
stands in: no verifier knows better than its words, but what it made of them is told.
Pure; it awaits only the verifier.
"""

from collections.abc import Sequence
from dataclasses import replace

from handlers.drafts.roles import Rules
from handlers.model import (
    CitedChunk,
    DraftSection,
    DraftSentence,
    Left,
    LeftOut,
    Topic,
)
from handlers.ports import Verifier
from handlers.updates.entailing import entails

_MOST_CITES = 4  # of one sentence that are put to the verifier


async def checked(
    topic: Topic,
    sections: Sequence[DraftSection],
    verifier: Verifier,
    rules: Rules,
) -> tuple[tuple[DraftSection, ...], tuple[LeftOut, ...]]:
    """Return the sections with what their chunks bear out, and what they do not."""
    left_out: list[LeftOut] = []
    kept = []
    for section in sections:
        paragraphs = []
        for paragraph in section.paragraphs:
            judged = [
                await _checked(topic, one, section.heading, verifier, rules)
                for one in paragraph
            ]
            left_out += (
                LeftOut(one.text, Left.NOT_SUPPORTED, section.heading)
                for one in judged
                if not one.cites
            )
            paragraphs.append(tuple(one for one in judged if one.cites))
        told = tuple(one for one in paragraphs if one)
        kept.append(replace(section, paragraphs=told))
    return tuple(kept), tuple(left_out)


async def _checked(
    topic: Topic, one: DraftSentence, heading: str, verifier: Verifier, rules: Rules
) -> DraftSentence:
    cites = [
        replace(
            cite,
            probability=await entails(
                verifier,
                topic.title,
                one.text,
                [cite.chunk.text],
                section=(heading,) if heading else (),
            ),
        )
        for cite in one.cites[:_MOST_CITES]
    ]
    held = [
        each
        for each in cites
        if _is_quote(one, each) or (each.probability or 0) >= rules.least_probability
    ]
    held.sort(key=lambda each: not _is_quote(one, each))
    is_quote = bool(held) and _is_quote(one, held[0])
    return replace(one, cites=tuple(held), is_quote=is_quote)


def _is_quote(one: DraftSentence, cite: CitedChunk) -> bool:
    """Tell whether a sentence that is called a quote stands in a chunk word for word."""
    said, stands = " ".join(one.text.split()), " ".join(cite.chunk.text.split())
    return one.is_quote and said in stands
