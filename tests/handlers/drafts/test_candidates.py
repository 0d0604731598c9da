"""Which sentences may be quoted: whole ones that need nothing else, of the right year."""

import pytest

from handlers.drafts.candidates import candidates_of, is_other_year, years_of
from handlers.drafts.chunks import chunks_of
from handlers.model import Topic
from tests.handlers.drafts.puppets import document

TOPIC = Topic("2022 Exland Grand Prix")
WON = "Ann Example won the 2022 Exland Grand Prix in Port Example on 20 March 2022."


def quotable(*lines: str, topic: Topic = TOPIC) -> list[str]:
    one = document(0, "\n".join(lines), "Exland Grand Prix 2022")
    return [each.text for each in candidates_of(topic, [one], chunks_of(one))]


@pytest.mark.parametrize(
    "line",
    [
        "Home News Sport Grand Prix Tickets Video Shop Account.",  # a menu
        "Pos. Rider Time 1 Example 25:01 2 Sample 25:03 3 Roe 25:09.",  # a table
        "Note: all times of the Grand Prix are given in local time.",
        "The race starts in 12 days and the gates open at noon.1 2 3 days to go.",
        "Subscribe to our newsletter and you will read all about the Grand Prix.",
        "He won the race ahead of Ben Sample by a margin of three seconds.",
        "It was the first race of the series that was held on the new circuit.",
        "“I was lucky with the rain and the tyres,” the winner of the race said.",
        "“We will be back in the next year and win this race for our fans.”",
        "The winner of the race said that she had been lucky with her tyres yesterday.",
        "The Exland race should be struck from the calendar of the series for good.",
        "The race was held in the rain, and riders went home in the season of 2021.",
        "Sign InSign UpThe race was held on the circuit of Port Example in the rain.",
        "Because of this, the race was held on the new circuit of Port Example.",
        "What the winnerHall said of the race on the circuit was widely read.",
        "The winner,the rider of the team, was given the trophy of the race.",
        "THREE PAGES FOR FANS the race was won by the rider of the team of the town.",
        "S381For the race and the circuit of the town a new bill was made in March.",
        "The race was won by the mayor, RN,2 who gave the trophy to his team.",
        "(Port) by the riders of the race that had been on the circuit before.",
        "19 These were the riders of the race that had been on the circuit before.",
        "Sample, A. and Roe, C. on the history of the race and of the circuit.",
        "The race was won by " + "the rider of the team of the town and " * 6 + "all.",
    ],
)
def test_what_an_editor_could_not_use_alone_is_not_quoted(line: str) -> None:
    assert quotable(line, WON) == [WON]


def test_a_title_points_to_no_sentence_before() -> None:
    line = "And Then There Were None is a novel in which ten people meet on an island."
    topic = Topic("And Then There Were None (novel)")
    assert quotable(line, topic=topic) == [line]


def test_a_quotation_keeps_its_speaker() -> None:
    sentence = (
        "“I was lucky with the rain and the tyres,” said Ann Example after the race."
    )
    assert quotable(sentence) == [sentence]


def test_a_name_with_a_capital_within_it_occurs_more_than_once() -> None:
    known = (
        "The race was won by one of the FastRiders of the town of Port Example.",
        "In the race all of them (the FastRiders) wore the colours of the town.",
    )
    once = "The race was seen by all of the people of the town thatDay in Exland."
    assert quotable(*known, once) == list(known)


def test_nothing_out_of_the_middle_of_somebodys_speech_is_quoted() -> None:
    line = (
        "Ann Example said: “The race was hard on the tyres in the rain. The bike slid"
        " in each of the corners of the circuit. The team did well on the whole.”"
    )
    assert quotable(line, WON) == [WON]


def test_what_several_pages_of_a_site_print_is_their_frame() -> None:
    frame = "The Example Times reports on the races of the whole of Exland since 1901."
    pages = [
        document(at, f"{line}\n{frame}", "Grand Prix", f"https://times.example/{at}")
        for at, line in enumerate(
            (WON, "The 2022 race in Exland was held in the rain.")
        )
    ]
    chunks = [chunk for one in pages for chunk in chunks_of(one)]
    assert frame not in [one.text for one in candidates_of(TOPIC, pages, chunks)]


@pytest.mark.parametrize(
    ("title", "text", "is_other"),
    [
        ("2022 Grand Prix", "Ben Sample won the race of 2021.", True),
        ("2022 Grand Prix", "Ann Example won in 2022 as she had in 2021.", False),
        ("2022 Grand Prix", "An inquiry into the crash ended in 2023.", False),
        ("2022 Grand Prix", "The race of 2025 was called off.", True),
        ("2022–23 season", "The title went to Example in May 2023.", False),
        ("Slavery in Exland", "It was abolished in 1848.", False),
    ],
)
def test_the_edition_that_was_asked_for(title: str, text: str, is_other: bool) -> None:
    assert is_other_year(text, years_of(Topic(title))) is is_other
