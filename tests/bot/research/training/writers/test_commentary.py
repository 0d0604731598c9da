"""What an encyclopaedia would not say is told, with the reason."""

import pytest

from bot.research.training.writers import commentary
from handlers.model import Ignored


def why(text: str, *, telling: int = 3, is_stale: bool = True) -> Ignored | None:
    fault = commentary.heard(text, telling=telling, is_stale=is_stale).fault
    return fault[0] if fault else None


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was closed to lorries on 3 October 2026.",
        "It was the first nationwide strike since World War I ended.",
        "The soundtrack was set to music by Anna Smith in May 2024.",
        "Variety gave it four out of five and called it “a gory delight”.",
        "The single “I Will Always Love You” was certified gold in 1993.",
        "Trade with the US grew by 4 % in 2024.",
        "Police said that two people were arrested in Boston on Monday.",
    ],
)
def test_a_plain_fact_passes(text: str) -> None:
    assert why(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Will the bridge be closed for good?", Ignored.NOT_A_FACT),
        ("What a day for Port Example!", Ignored.NOT_A_FACT),
        ("Watch the highlights of the race from Sunday.", Ignored.NOT_A_FACT),
        (
            "“It was a great honour for all of us here,” the mayor said.",
            Ignored.OPINION,
        ),
        (
            "The mayor said it was “a very sad day for everyone in town”.",
            Ignored.OPINION,
        ),
        ("On Monday I went to see the bridge in Port Example.", Ignored.OPINION),
        ("The bridge, in my opinion, is a masterpiece of 1932.", Ignored.OPINION),
        ("You can see the bridge from the old lighthouse.", Ignored.ADVERTISING),
        ("Tickets are available from the harbour office in May.", Ignored.ADVERTISING),
        ("The club is delighted to announce Acme as its sponsor.", Ignored.ADVERTISING),
        ("The bridge is expected to open in May.", Ignored.SPECULATION),
        ("The mayor reportedly plans to close the bridge.", Ignored.SPECULATION),
        ("The bridge will open to lorries in May.", Ignored.SPECULATION),
        ("This article was updated with the results of Monday.", Ignored.TRIVIAL),
        ("Qualifying starts at 12:25 on Saturday in Port Example.", Ignored.TRIVIAL),
    ],
)
def test_what_an_encyclopaedia_would_not_say_is_told(
    text: str, expected: Ignored
) -> None:
    assert why(text) is expected


def test_a_colourful_word_costs_a_fact_little_and_drops_a_sentence_without_facts() -> (
    None
):
    text = "In a thrilling race Miguel Oliveira of KTM won the Indonesian Grand Prix."
    assert why(text, telling=6) is None
    assert commentary.heard(text, telling=6, is_stale=True).cost > 0
    assert (
        why("The race was thrilling from start to end.", telling=0) is Ignored.OPINION
    )


def test_a_decision_on_what_is_to_come_passes_until_its_day_has_come() -> None:
    text = "The council announced that Anna Smith will become mayor on 1 May 2027."
    assert why(text, is_stale=False) is None
    assert why(text, is_stale=True) is Ignored.SPECULATION


def test_a_review_is_told_by_its_title() -> None:
    assert commentary.is_review("Harbour Bridge: ten best pictures, ranked")
    assert not commentary.is_review("Harbour Bridge closed to lorries")


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("https://news.example/opinion/2026/bridge", "The bridge"),
        ("https://news.example/2026/bridge", "Opinion: Close the bridge"),
        ("https://news.example/2026/bridge", "Close the bridge | Editorial"),
    ],
)
def test_a_column_is_told_by_its_address_or_title(address: str, title: str) -> None:
    assert commentary.is_column(address, title)
    assert not commentary.is_column("https://news.example/2026/bridge", "The bridge")


def test_a_word_of_colour_needs_a_figure_or_many_names_beside_it() -> None:
    text = "Near the harbour of Port Example stands the remarkable Old Mill."
    assert why(text, telling=4) is Ignored.OPINION
    assert why(text, telling=5) is None
    assert why(text.replace("Near", "In 1932 near"), telling=4) is None
