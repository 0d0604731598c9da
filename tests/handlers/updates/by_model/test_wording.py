"""What a model's words may say beyond its quote: nothing."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from handlers.model import (
    CandidateUpdate,
    Claim,
    DateBasis,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)
from handlers.updates.by_model.wording import checked
from tests.fakes import FAKE_ENGINE
from tests.handlers.updates.builders import candidate, subject

_QUOTE = (
    "Harbour Bridge was closed to 900 lorries on Tuesday after Peter Hall, the mayor,"
    " saw cracks."
)


class _Sure:
    """A verifier that believes everything as far as `share`."""

    engine = FAKE_ENGINE

    def __init__(self, share: float = 1.0) -> None:
        self._share = share

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title == "Harbour Bridge"
        assert claim.text
        assert _QUOTE in " ".join(one.text for one in passages)
        likely = Probabilities(self._share, 0.0, 1 - self._share, 0.0)
        return Verification(Verdict.SUPPORTED, likely, (), (), FAKE_ENGINE)


def _dated(basis: DateBasis) -> CandidateUpdate:
    return replace(candidate(text=_QUOTE), dated=date(2026, 10, 6), basis=basis)


@pytest.mark.parametrize(
    ("fact", "fault"),
    [
        ("Harbour Bridge closed to 900 lorries after the mayor saw cracks.", None),
        ("Harbour Bridge was closed to lorries after Mayor Hall saw cracks.", None),
        ("On 6 October 2026 Harbour Bridge was closed to 900 lorries.", None),
        ("In October 2026 Harbour Bridge was closed to 900 lorries.", None),
        ("On 7 October 2026 Harbour Bridge was closed to 900 lorries.", "another day"),
        ("Harbour Bridge was closed to 901 lorries by the mayor.", "number"),
        ("Harbour Bridge was closed to 900 lorries by Clara Stone.", "somebody"),
        ("Too short", "too short"),
        (f"Harbour Bridge {'very ' * 90}closed.", "too long"),
        ("Harbour Bridge was closed to {{lorries}} after cracks.", "markup"),
        ("Harbour Bridge was closed, see https://evil.example/.", "markup"),
        ("Nothing of all this has to do with any quote at all.", "something else"),
    ],
)
async def test_days_numbers_and_names_come_from_the_quote(
    fact: str, fault: str | None
) -> None:
    told = await checked(fact, _dated(DateBasis.TEXT), subject(), _Sure(), 0.5)

    assert (fault or "") in (told.fault or "")
    assert (told.fault is None) is (fault is None), told.fault
    assert told.borne_out == (0.0 if fault else 1.0)


async def test_the_day_of_the_page_is_not_the_day_of_the_event() -> None:
    fact = "On 6 October 2026 Harbour Bridge was closed to 900 lorries."
    told = await checked(fact, _dated(DateBasis.PAGE), subject(), _Sure(), 0.5)

    assert told.fault == "it names another day than the quote"


async def test_the_verification_model_has_the_last_word() -> None:
    fact = "Harbour Bridge closed to 900 lorries after the mayor saw cracks."
    told = await checked(fact, _dated(DateBasis.TEXT), subject(), _Sure(0.4), 0.5)

    assert told.fault == "only 40% sure that the quote says so"
