"""The judge of the torture sees what it is to see."""

from tests.torture.pipeline.histories import Revision, faults_of
from tests.torture.pipeline.people import BOT, TakenAway
from tests.torture.pipeline.switches import Stop, disobedient
from tests.torture.pipeline.wire import Sent, Step

NAME = "0123456789abcdef01234567"
NOTE = f"* <!-- sidenote note {NAME}.{NAME} -->'''A note.'''"
BLOCK = f"<!-- sidenote begin report x -->\n{NOTE}\n<!-- sidenote end report -->"
PAGE = "User:Alice/Sidenote report"
OURS = "== Statements that may need a check (May 2026) =="


def faults(*texts: str, taken: tuple[TakenAway, ...] = ()) -> list[str]:
    """Judge states of a page that people (first) and the bot made in turns."""
    states = [
        Revision(at, at - 1, BOT if at % 2 == 0 else "Alice", "", text)
        for at, text in enumerate(texts, start=1)
    ]
    return list(faults_of(PAGE, states, taken))


def test_a_block_that_comes_changes_and_goes_is_no_fault() -> None:
    page = "Human line 1.\n\nMore."
    assert (
        faults(page, f"{page}\n{BLOCK}", f"{page}\n{BLOCK}\nBye.", f"{page}\n\nBye.")
        == []
    )


def test_a_section_on_a_talk_page_may_change_but_not_what_is_said_in_it() -> None:
    above = f"Words.\n\n{OURS}\n{NOTE}"
    answered = f"{above} (open)\n: Human line 2.\n\n== Else ==\nHuman line 3."
    assert faults(answered, answered.replace("open", "fixed")) == []

    [fault] = faults(answered, answered.replace("line 2.", "line 22."))
    assert "lost [': Human line 2.']" in fault


def test_what_is_written_within_a_block_may_go_below_it() -> None:
    page = f"Above.\n{BLOCK}\n\nBelow."
    within = page.replace("-->\n*", "-->\nHuman line 9.\n*")
    assert faults(within, f"Above.\n{BLOCK}\nHuman line 9.\n\nBelow.") == []
    assert faults(within, page)


def test_every_sign_of_people_counts() -> None:
    page = f"Human line 1.\nMore.\n{BLOCK}\nBelow."
    for changed in (
        page.replace("More", "Less"),
        page.replace("Below", "below"),
        page.replace("Human line 1.\n", ""),
        page.replace("1.\nMore", "1.\n\nMore"),
        page.replace("Human line 1.", "Human line 1. Human line 1."),
    ):
        assert faults(page, changed), changed


def test_a_note_stands_once_and_does_not_come_back() -> None:
    doubled = f"{BLOCK}\n{BLOCK}"
    assert any("twice" in each for each in faults("Words.", f"Words.\n{doubled}"))

    gone = TakenAway(PAGE, NAME, 3)
    states = ("Words.", f"Words.\n{BLOCK}", "Words.", f"Words.\n{BLOCK}")
    [fault] = faults(*states, taken=(gone,))
    assert "came back" in fault


def test_a_write_after_a_read_that_saw_the_stop_is_found() -> None:
    stop = Stop("talk", 10.0, 20.0)

    def history(*steps: tuple[Sent, float], life: int = 1) -> list[str]:
        taken = [Step(what, "talk", at_s, life) for what, at_s in steps]
        return disobedient(taken, [stop])

    assert history((Sent.LOOK, 9.9), (Sent.WRITE, 10.1)) == []
    assert history((Sent.LOOK, 12.0), (Sent.LOOK, 20.5), (Sent.WRITE, 20.6)) == []
    assert history((Sent.LOOK, 10.1), (Sent.WRITE, 10.2))
    assert history((Sent.LOOK, 1.0), (Sent.WRITE, 1.1), (Sent.WRITE, 1.2))
    assert history((Sent.WRITE, 1.1))
