"""What could not be checked is told with what can be done."""

from handlers.model import (
    Verdict,
)
from tests.gadget.cards.rig import FLOOD, RAIN, TEXT, TITLE, Rig


def test_what_could_not_be_checked_is_told_with_what_can_be_done(rig: Rig) -> None:
    revision = rig.find(TEXT, None, Verdict.SUPPORTED, None, Verdict.SUPPORTED)

    answer = rig.see(revision)

    rain, flood = answer.unchecked
    assert (rain.claim.text, rain.outcome) == (RAIN, "gone")
    assert "archived copy" in rain.advice
    assert rain.source
    assert rain.source.title == "Rain"
    assert [edit.label for edit in rain.edits] == ["Dead link"]
    assert [edit.section for edit in flood.edits] == [1, 2]
    later = rig.wiki.edit(TITLE, TEXT.replace("three metres", "3 m"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [RAIN]
    later = rig.wiki.edit(TITLE, TEXT.replace("forbes.com/rain", "forbes.com/snow"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [FLOOD]
