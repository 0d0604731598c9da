"""Which cited claims an edit changed, and how."""

import pytest

from handlers.edits.alignment import Changes, changes_between
from handlers.model import EditKind, NotCompared, PageId
from handlers.page import parse

HERE = PageId("en.wikipedia.org", "Skarholm")
BBC = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
LOG = "<ref name=log>{{cite web |title=Log |url=https://log.example/1}}</ref>"
MAP = "<ref>{{cite map |title=Chart |url=https://map.example/7}}</ref>"
LEAD = f"Skarholm is an island in the strait.{MAP}\n\n"


def _changes(before: str, after: str, **given: dict[str, str]) -> Changes:
    return changes_between(parse(before, HERE), parse(after, HERE), **given)


def _one(before: str, after: str) -> tuple[EditKind, str | None, str]:
    [one] = _changes(LEAD + before, LEAD + after).claims
    return one.kind, one.before.text if one.before else None, one.words


@pytest.mark.parametrize(
    ("before", "after", "kind", "was", "now"),
    [
        (
            f"The tower is 412 feet high.{BBC}",
            f"The tower is 412 metres high.{BBC}",
            EditKind.REWORDED,
            "The tower is 412 feet high.",
            "The tower is 412 metres high.",
        ),
        (
            f"It was bought by Norsk Havn in 1998.{BBC} It closed in 2001.{LOG}",
            f"It bought Norsk Havn in 1998.{BBC} It closed in 2001.{LOG}",
            EditKind.REWORDED,
            "It was bought by Norsk Havn in 1998.",
            "It bought Norsk Havn in 1998.",
        ),
        (
            f"{{{{Infobox island\n| population = 412{LOG}\n| area = 7 km2\n}}}}",
            f"{{{{Infobox island\n| population = 902{LOG}\n| area = 7 km2\n}}}}",
            EditKind.REWORDED,
            "412",
            "902",
        ),
        (
            f"{{|\n! Year !! Visitors\n|-\n! 2019\n| 310{LOG}\n|-\n! 2020\n| 96{LOG}\n|}}",
            f"{{|\n! Year !! Visitors\n|-\n! 2019\n| 130{LOG}\n|-\n! 2020\n| 96{LOG}\n|}}",
            EditKind.REWORDED,
            "310",
            "130",
        ),
        (
            f"The clock was repaired in 1921.{BBC}",
            f"The clock was repaired in 1921. The mayor paid for it himself.{BBC}",
            EditKind.INSERTED,
            None,
            "The mayor paid for it himself.",
        ),
        (
            f"The clock was repaired in 1921.{BBC} It closed in 2001.{LOG}",
            f"The clock was repaired in 1921. It closed in 2001.{LOG}",
            EditKind.REMOVED,
            "The clock was repaired in 1921.",
            "The clock was repaired in 1921.",
        ),
        (
            f"The clock was repaired in 1921.{BBC}{LOG}",
            f"The clock was repaired in 1921.{LOG}",
            EditKind.REMOVED,
            "The clock was repaired in 1921.",
            "The clock was repaired in 1921.",
        ),
        (
            f"The clock was repaired in 1921.{BBC}",
            f"The clock was repaired in 1921.{LOG}",
            EditKind.REPLACED,
            "The clock was repaired in 1921.",
            "The clock was repaired in 1921.",
        ),
        (
            f"The clock was repaired in 1921.{BBC}\n\n== Later ==\nIt closed.{LOG}",
            f"It is old.{BBC}\n\n== Later ==\nIt closed.{LOG} The clock was repaired in 1921.",
            EditKind.MOVED,
            "The clock was repaired in 1921.",
            "The clock was repaired in 1921.",
        ),
        (
            f"The clock was repaired in 1921.{BBC}\n\n== Later ==\nIt closed.{BBC}",
            f"The clock was repaired in 1921.\n\n== Later ==\nIt closed.{BBC}",
            EditKind.REMOVED,
            "The clock was repaired in 1921.",
            "The clock was repaired in 1921.",
        ),
    ],
    ids=[
        "unit",
        "roles",
        "infobox",
        "cell",
        "inserted",
        "removed",
        "one of two removed",
        "replaced",
        "moved",
        "removed, cited elsewhere",
    ],
)
def test_what_was_done_to_a_claim(
    before: str, after: str, kind: EditKind, was: str | None, now: str
) -> None:
    assert _one(before, after) == (kind, was, now)


CLOCK = f"The clock was repaired in 1921.{BBC} It closed in 2001.{LOG}"


@pytest.mark.parametrize(
    "after",
    [
        CLOCK.replace("<ref name=log>", '<ref name="harbour log">'),
        CLOCK.replace("The clock", "The [[clock]]"),
        CLOCK.replace("The clock was", "{{nowrap|The clock}} was"),
        CLOCK.replace("1921.", "1921. "),
        f"It closed in 2001.{LOG}\n\n== History ==\nThe clock was repaired in 1921.{BBC}",
        CLOCK.replace("https://bbc", "http://www.bbc"),
        CLOCK.replace(
            "clock}}",
            "clock |archive-url=https://web.archive.org/web/2020/https://bbc.example/clock |archive-date=2020-01-01}}",
        ),
        CLOCK.replace(BBC, BBC + MAP),
        f"The clock was repaired in 1921. It closed in 2001.{BBC}{LOG}",
        f"{CLOCK} It has nine rooms.",
        f"{CLOCK} It has nine rooms.{MAP}",
        f"It closed in 2001.{LOG}",
    ],
    ids=[
        "renamed reference",
        "link",
        "template around it",
        "space",
        "moved with its footnote",
        "address written otherwise",
        "archived copy added",
        "source added",
        "footnotes gathered",
        "sentence without source added",
        "sentence with source added",
        "sentence deleted",
    ],
)
def test_what_leaves_each_claim_its_source_is_no_change(after: str) -> None:
    assert _changes(LEAD + CLOCK, LEAD + after).claims == ()


def test_the_halves_of_a_split_sentence_are_beside_the_whole() -> None:
    whole = "The clock was made by Lund in Bergen and was repaired by Dahl in 1921."
    changes = _changes(
        LEAD + whole + BBC,
        f"{LEAD}The clock was made by Lund in Bergen.{BBC} It was repaired by Dahl in 1921.{BBC}",
    ).claims

    assert [one.before.text if one.before else "" for one in changes] == [whole, whole]
    assert {one.kind for one in changes} == {EditKind.REWORDED}


def test_the_next_edit_is_compared_with_what_stood_before_the_first() -> None:
    before = f"{LEAD}The tower is 412 metres high.{BBC}"
    after = f"{LEAD}The tower is 421 metres high.{BBC}"
    known = {"the tower is 412 metres high": "The tower is 412 feet high."}

    [one] = _changes(before, after, baselines=known).claims

    assert one.before
    assert one.before.text == "The tower is 412 feet high."


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("Nothing.", NotCompared.BLANKED),
        ("x" * 300_000, NotCompared.TOO_LARGE),
        (
            "\n\n".join(f"Sentence {at} of another article.{LOG}" for at in range(400)),
            NotCompared.TOO_MANY,
        ),
    ],
)
def test_rewrites_are_not_compared(after: str, why: NotCompared) -> None:
    before = "\n\n".join(
        f"House {at} was built in {1500 + at}.{BBC}" for at in range(300)
    )

    found = _changes(before, after)

    assert (found.claims, found.not_compared) == ((), why)


def _text(*statements: str) -> str:
    return "\n\n".join(f"{one}{LOG}" for one in statements)


@pytest.mark.parametrize(
    ("after", "is_hardly_alike"),
    [
        (
            _text(
                "Norwegians fish.",
                "Boats cross.",
                "Ice forms.",
                "Nobody swims.",
                "Rain falls.",
            ),
            True,
        ),
        (_text("A lake in Norway.", "It is deep."), False),
        (
            _text(
                "It was painted.",
                "A lake in Norway.",
                "It is deep.",
                "It is old.",
                "It froze.",
            ),
            False,
        ),
    ],
)
def test_the_text_of_another_article_is_known(
    after: str, *, is_hardly_alike: bool
) -> None:
    before = _text(
        "It is 412 feet high.",
        "It is open.",
        "It was painted.",
        "It leans.",
        "It rang.",
    )

    assert _changes(before, after).hardly_alike is is_hardly_alike
