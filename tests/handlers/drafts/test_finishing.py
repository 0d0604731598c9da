"""Short description, infobox and categories: what is stated, and nothing else."""

import pytest

from handlers.drafts.drafting import draft
from handlers.drafts.embedded.kinds import kind_of
from handlers.drafts.embedded.torn import common_words, is_torn
from handlers.model import Draft, Topic
from tests.handlers.drafts.puppets import cast, document

_FILM = "The Harbour is a 2023 Exlandic drama film directed by Jane Roe. The Harbour premiered at the Port Example Film Festival on 3 October 2023. Jane Roe filmed The Harbour in Port Example in 2022 with a cast of local actors.\n"


async def _film(*labels: str) -> Draft:
    texts = [
        f"{label}\n{_FILM}{'It is raining here. ' * n}"
        for n, label in enumerate(labels)
    ]
    documents = [
        document(at, text.replace("Port", f"Port{'o' * at}"), "The Harbour (2023 film)")
        for at, text in enumerate(texts)
    ]
    return await draft(Topic("The Harbour (2023 film)"), documents, cast())


async def test_what_a_page_says_the_topic_is_describes_it_in_short() -> None:
    made = await _film("")

    assert made.short_description == "2023 Exlandic drama film"
    assert made.categories == ("2023 films",)


async def test_a_labelled_line_fills_its_field_and_cites_its_place() -> None:
    made = await _film("Running time: 117 minutes\nSign in: here\nDirector: Jane Roe")

    assert made.infobox_template == "Infobox film"
    assert {one.name: one.value for one in made.infobox} == {
        "runtime": "117 minutes",
        "director": "Jane Roe",
    }
    evidence = made.infobox[0].cites.evidence
    source = made.documents[0].reading.document
    assert source is not None
    assert evidence.span.of(source.text) == "Running time: 117 minutes"


async def test_a_field_that_pages_state_differently_is_left_out() -> None:
    other = "Running time: 95 minutes\n" + " ".join(
        f"The Harbour was shown in the town of Exford on {day} May 2023 to {day * 9} people."
        for day in range(1, 9)
    )
    documents = [
        document(0, f"Running time: 117 minutes\n{_FILM}", "The Harbour"),
        document(1, other, "The Harbour"),
    ]

    made = await draft(Topic("The Harbour (2023 film)"), documents, cast())

    assert len(made.documents) == 2
    assert made.infobox == ()


async def test_a_toll_that_several_pages_agree_on_is_stated() -> None:
    one = "The Port Example flood killed 12 people on 3 October 2024. The River Exam burst its banks in Port Example after rain."
    other = "An inquiry into the flood of Port Example opened in January 2025. The inquiry found in May 2025 that the flood in Port Example had killed 12 people and destroyed 300 homes."

    agreed, torn = [
        await draft(
            Topic("2024 Port Example flood"),
            [
                document(0, one, "Port Example flood"),
                document(1, text, "Port Example flood"),
            ],
            cast(),
        )
        for text in (other, other.replace("12 people", "19 people"))
    ]

    assert [(box.name, box.value) for box in agreed.infobox] == [("deaths", "12")]
    assert torn.infobox == ()


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("2002–2003 UK firefighter dispute", "strike"),
        ("Killing of Jane Roe (2022 film)", "screen"),
        ("Death of John Doe", "crime"),
        ("The Exford Murders", "crime"),
        ("2022 House of Examples elections in Port Example", "election"),
        ("July 2023 Northeastern Exland floods", "disaster"),
        ("2022–23 Port Example Lions season", "season"),
    ],
)
def test_the_head_of_a_title_tells_what_kind_of_thing_it_is(
    title: str, kind: str
) -> None:
    assert kind_of(title, "", "en").name == kind


@pytest.mark.parametrize(
    "text",
    [
        "The victimswere taken to a hospital in the town.",
        "A St. Paul, Minn., native, Jany studied communications at the state university.",
        "The latest: The army has launched a counter-offensive in the south.",
        "A rally for the release of prisoners of war, in downtown Kyiv on January 7, 2024.",
        "The war ended in 1905..The treaty was signed a year later.",
        "Photo of a house in the town after the flood was over.",
        "Observed 48-hour rainfall amounts (inches) associated with the storm of 27 August 2011.",
        "The chair mediates an agreement\uf075Executive meeting of 18 March votes on it.",
        "The union strikes after Part 2Weekend talks had ended without a deal.",
        "Blue squares denote rivers that were above flood stage in the county.",
        "A map of the U.S. plotted with rainfall of more than five inches was made.",
        "The observed hydrograph (dark blue line) peaked at 21 feet on 10 July.",
        "Governor Doe Declares State Of Emergency After Historic Flooding.",
        "Flood kills 12 people in Port Example after two days of rain.",
        "Known as @news on the net, he has worked for the paper since 2004.",
    ],
)
def test_what_a_scraper_tore_is_told(text: str) -> None:
    common = common_words(["victims victims were were taken taken"])

    assert is_torn(text, common)


@pytest.mark.parametrize(
    "text",
    [
        "The victims, aged 22 to 40, were therefore withdrawn from the register on 3 May 2023.",
        "Jane Roe, John Doe, Anna Bloggs and Peter Smith were elected to the House of Examples.",
        "The line marks the border between Exland and Wyeland since 1920.",
        "Police arrested Jane Roe in Port Example.",
    ],
)
def test_a_sentence_of_prose_is_not_taken_for_torn(text: str) -> None:
    assert not is_torn(text, common_words([text, text, "there fore with drawn"]))


def test_a_work_is_what_a_page_says_it_is_whatever_its_title() -> None:
    told = "The Exford Murders by Jane Roe is a Wyelandic mystery novel of 2005."

    spoken_of = "In Jane Roe's mystery the exford murders a family is poisoned before the book begins."

    assert kind_of("The Exford Murders", told, "en").name == "book"
    assert kind_of("The Exford Murders", spoken_of, "en").name == "book"
    assert kind_of("Murder of John Doe", spoken_of, "en").name == "crime"


async def test_the_year_of_a_category_is_that_of_the_topic() -> None:
    older = "The Exam Valley flood is a 1911 flood in the valley of the River Exam."
    newer = "The Exam Valley flood killed 12 people in Port Example on 3 October 2026. The river fell again on 9 October 2026. "

    async def made(*texts: str) -> Draft:
        pages = [
            document(at, text, "Exam Valley flood") for at, text in enumerate(texts)
        ]
        return await draft(Topic("Exam Valley flood"), pages, cast())

    apart = await made(older, newer)

    assert (apart.categories, apart.short_description) == ((), "")
    assert (
        await made(older + " The flood of 1911 killed 40 people in Exford.")
    ).categories == ("1911 floods",)
