"""What weighs, demands or believes is told from what states."""

import pytest

from bot.research.training.writers import commentary


@pytest.mark.parametrize(
    "text",
    [
        "The bridge was closed to lorries on 3 October 2026.",
        "Acme is one of the most important employers, with 4,000 workers.",
        "The court ruled that the council should pay the costs of the appeal.",
        "It was not until 1961 that the harbour was dredged.",
        "She is best known for her work on tides.",
        "The tower is believed to have been a lighthouse.",
        "The old mill became a National Historic Landmark under Mayor Doe.",
        "Jane Roe plays the leading role of the harbour pilot.",
    ],
)
def test_a_plain_fact_passes(text: str) -> None:
    assert commentary.weighing_fault(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "The council should reopen the bridge to lorries of Acme Transport.",
        "Acme has a responsibility to repair the bridge in Port Example.",
        "Port Example would need to dredge the harbour again after 2030.",
        "It is important that the bridge in Port Example stays open.",
        "If the bridge in Port Example is closed, lorries go by Sample City.",
    ],
)
def test_what_ought_to_be_is_no_fact_even_with_a_figure(text: str) -> None:
    assert commentary.weighing_fault(text)


@pytest.mark.parametrize(
    "text",
    [
        "Acme is one of the most important employers of Port Example.",
        "Port Example plays a vital role in the trade of Exampleland.",
        "The festival is a testament to the spirit of Port Example.",
        "The mayor stresses that Port Example and Sample City are friends.",
        "Jane Roe hopes that Port Example and Sample City stay friends.",
        "Unlike in Sample City, many in Port Example go to work by boat.",
        "A primary goal of Port Example was to keep Sample City happy.",
        "Ultimately, Port Example and Sample City share a harbour.",
    ],
)
def test_worth_and_belief_need_a_figure(text: str) -> None:
    assert commentary.weighing_fault(text)
    assert commentary.weighing_fault(f"{text[:-1]}, 41 of them.") is None


def test_praise_before_prizes_and_private_life_are_left_out() -> None:
    assert commentary.weighing_fault("Roe gives a tour de force as the pilot in 2026.")
    assert commentary.weighing_fault(
        "Roe is a frontrunner for 3 prizes of the 2026 season."
    )
    assert commentary.weighing_fault("Roe allegedly dated Doe from 2009 to 2010.")


def test_a_clause_of_a_contract_states_nothing() -> None:
    assert commentary.weighing_fault(
        "The Lessee confirms and undertakes to keep 2 berths."
    )


def test_what_weighs_or_tells_no_event_goes_behind_what_happened() -> None:
    event = commentary.weighing_cost(
        "The bridge was closed to lorries on 3 October 2026."
    )
    state = commentary.weighing_cost(
        "The bridge is of steel and stands in Port Example."
    )
    praise = commentary.weighing_cost(
        "The most important bridge was closed on 3 October 2026."
    )
    assert event == 0.0
    assert min(state, praise) > 0.02
