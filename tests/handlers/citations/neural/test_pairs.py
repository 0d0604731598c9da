from handlers.citations.neural.pairs import about
from tests.builders import claim


def test_title_section_headers_and_the_words_before_tell_what_it_is_about() -> None:
    told = about(
        "Leeds",
        claim(
            section=("History", "Railways"),
            context=" ".join(["early", *("word " * 30).split(), "late."]),
            row="1990",
            column="Opened",
        ),
    )
    assert told.startswith("Leeds | Railways | 1990 | Opened | word")
    assert told.endswith("late.")
    assert "early" not in told


def test_what_is_not_known_leaves_no_gap() -> None:
    assert about("Leeds", claim(section=(), context="")) == "Leeds"
    assert about("", claim(section=(), context="")) == ""
