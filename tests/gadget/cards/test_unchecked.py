"""What could not be checked is shown with what can be done."""

from bot.report.words import ADVICE
from bot.surfaces.messages import message
from handlers.citations import others_unread
from handlers.citations.model_judge import UNUSABLE
from handlers.model import Verdict
from tests.gadget.cards.rig import FLOOD, RAIN, TEXT, TITLE, Rig


def test_what_could_not_be_checked_is_reported_with_what_can_be_done(rig: Rig) -> None:
    revision = rig.find(TEXT, None, Verdict.SUPPORTED, None, Verdict.SUPPORTED)

    answer = rig.see(revision)

    rain, flood = answer.unchecked
    assert (rain.claim.text, rain.outcome) == (RAIN, "gone")
    assert [line.key for line in rain.lines] == ["advice-outcome-gone"]
    assert rain.advice == " ".join(line.english for line in rain.lines)
    assert rain.source
    assert rain.source.title == "Rain"
    assert [edit.label for edit in rain.edits] == ["Dead link"]
    assert [edit.section for edit in flood.edits] == [1, 2]
    later = rig.wiki.edit(TITLE, TEXT.replace("three metres", "3 m"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [RAIN]
    later = rig.wiki.edit(TITLE, TEXT.replace("forbes.com/rain", "forbes.com/snow"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [FLOOD]


def test_what_can_be_done_is_said_in_the_language_of_the_reader() -> None:
    for one in (*ADVICE.values(), UNUSABLE, others_unread(1, 3), others_unread(2, 3)):
        assert message(one.key, *one.values) == one
