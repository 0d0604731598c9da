"""What a person removed from a page is kept apart from what the bot had removed."""

from bot.demo.loopback.wiki.serving import Wiki
from tests.rig.fixtures import changes_port, wiki, wiki_proxy
from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.people import TakenAway, taken_away

__all__ = ["changes_port", "wiki", "wiki_proxy"]

ONE, TWO = "1" * 24, "2" * 24
PAGE = "User:Bob/Sidenote report"


def shown(*names: str) -> str:
    """Return a page with some of the two notes, and words between that always stand."""
    one, two = (
        f"* <!-- sidenote note {each}.{each} -->'''A note.'''\n*: Of {each}.\n"
        if each in names
        else ""
        for each in (ONE, TWO)
    )
    return f"Above.\n\n{one}\nBetween.\n\nMore.\n\n{two}\nBelow."


def test_a_note_that_the_bot_took_first_was_not_taken_by_a_person(wiki: Wiki) -> None:
    bot, bob = Editor.named(wiki.host, "Alice"), Editor.named(wiki.host, "Bob")
    bot.save(PAGE, shown(ONE, TWO))
    _, seen = bob.read(PAGE)

    bot.save(PAGE, shown(TWO))  # its sentence is mended
    assert bob.save(PAGE, shown(TWO), baserevid=seen) == 0
    assert taken_away(bob, PAGE, [ONE], seen) == []

    # Where each took another, the wiki merges both.
    revision_id = bob.save(PAGE, shown(ONE), baserevid=seen)
    text, newest = bob.read(PAGE)
    assert ONE not in text
    assert TWO not in text
    assert newest == str(revision_id)
    assert taken_away(bob, PAGE, [ONE, TWO], seen) == [
        TakenAway(PAGE, TWO, revision_id)
    ]
