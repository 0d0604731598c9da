"""The share of an event's own pages that pass, and of other events' pages."""

from pathlib import Path

from bot.models.lexical import shipped_lexical
from bot.research.evaluation.events import is_held_out
from bot.research.evaluation.updates import pages
from bot.sources.reliability import load_reliability
from tests.bot.research.evaluation.event_rows import event
from tests.bot.research.evaluation.rows import write
from tests.fakes import Silent

TEXT = (
    "The tower of Marstal was put up by the builder Ada Penrose in the summer of that"
    " year, and the whole town came to the quay to see how high it was."
)

KINDS = ("fire", "siege", "opera")


def test_own_pages_and_those_of_other_events_are_counted_by_half(
    tmp_path: Path,
) -> None:
    rows = []
    for number, kind in enumerate(KINDS):
        title = f"Marstal tower {kind}"
        assert is_held_out(title)
        row = event(number, TEXT)
        row["article"]["key"] = title
        row["search_documents"] = [
            {"link": f"https://a.example/{kind}", "title": title, "text": TEXT},
            {
                "link": f"https://b.example/{kind}",
                "title": "A menu",
                "text": "Home " * 50,
            },
        ]
        rows.append(row)
    file = write(tmp_path / "events.jsonl.gz", rows)

    report = pages.evaluate(
        file, load_reliability(), shipped_lexical().model.rarity, Silent()
    )

    held = report.metrics["held_out_half"]
    assert held["events"] == len(KINDS)
    assert held["own_pages"] >= len(KINDS)
    assert held["own"] == len(KINDS) / held["own_pages"]
    assert held["nearest"] > 0  # each tower's page has most of the other's title
    assert report.metrics["fitted_half"]["own"] is None
