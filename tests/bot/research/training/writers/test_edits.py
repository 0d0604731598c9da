"""From a page's history to examples, sources, conversations and figures."""

import json
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.research.training.writers.edit_figures import (
    ModelJudge,
    WordJudge,
    Writer,
    compare,
    human,
    pasting,
)
from bot.research.training.writers.edit_records import (
    EditRecord,
    Target,
    applied,
    conversation,
    from_lines,
)
from bot.research.training.writers.edits import (
    EditedPages,
    Makers,
    NewsAnswer,
    details,
    generated,
    prepare,
)
from bot.wiki.human_edits import Revision, RevisionNote
from handlers.model import (
    ModelFailure,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
)
from handlers.ports import ModelOutOfReachError, ModelUnusableError, PermanentError
from handlers.updates.editor import Edits
from tests.bot.research.model import Model
from tests.fakes import Silent

_START = datetime(2026, 1, 1, tzinfo=UTC)
_ADDRESS = "https://news.example/closed"
_OLD = (
    "'''Harbour Bridge''' is a road bridge in Port Example. It was opened in 1932 by the"
    " mayor. It carries the road to the docks.\n\n== See also ==\n* [[Docks]]\n"
)
_CAME = "It was closed to lorries in October 2026 after engineers found cracks."
_NEW = _OLD.replace(
    "by the mayor.",
    f"by the mayor. {_CAME}<ref>{{{{cite news|url={_ADDRESS}|title=Closed"
    "|date=4 October 2026}}</ref>",
)
_PAGE = (
    "The council closed the bridge to lorries in October 2026. Engineers had found"
    " cracks in its girders. It is a truly shocking sight! Readers may sign up here."
)
_NEWS = (
    "In a move that dismayed hauliers, the council shut the bridge to lorries in October"
    " 2026. Engineers had come upon cracks in the girders. It is a sad day for the port."
)


def _revision(number: int, text: str, user: str = "Ann") -> Revision:
    note = RevisionNote(number, _START + timedelta(days=number), user, "more")
    return Revision(note, text)


class _Histories:
    def __init__(self, *texts: str) -> None:
        self._texts = texts
        self.read: list[str] = []

    async def revisions(
        self, title: str, since: datetime, until: datetime
    ) -> AsyncGenerator[Revision, None]:
        assert since < until
        self.read.append(title)
        for number, text in enumerate(self._texts, 1):
            yield _revision(number, text)


class _Sources:
    def __init__(self, text: str | None = _PAGE) -> None:
        self._text = text

    async def read(self, source: Source) -> SourceFetch:
        assert source.form is SourceForm.URL
        if self._text is None:
            return SourceFetch(source, SourceOutcome.GONE, "the page is gone")
        document = SourceText(self._text)
        return SourceFetch(source, SourceOutcome.READ, "read", document=document)


def _news(**changes: object) -> dict[str, object]:
    return {
        "motive": "Engineers had found cracks in its girders.",
        "news": _NEWS,
        "key_facts": ["lorries", "October 2026", "cracks", "1932", "never said"],
        "commentary": ["dismayed hauliers", "a sad day", "mayor", "never said"],
        **changes,
    }


def _edited(*titles: str) -> EditedPages:
    return EditedPages("en.wikipedia.org", titles, _START, _START + timedelta(days=99))


async def _prepared(
    folder: Path,
    *texts: str,
    page: str | None = _PAGE,
    model: Model | None = None,
) -> list[EditRecord]:
    """Return the examples of a history of these texts, by default of one good edit."""
    makers = Makers(_Histories(*(texts or (_OLD, _NEW))), _Sources(page), model)
    await prepare(_edited("Harbour Bridge"), makers, folder, Target.STEPS, Silent())
    return [
        *from_lines(folder / "train.jsonl"),
        *from_lines(folder / "test.jsonl"),
    ]


async def test_an_edit_with_a_source_becomes_an_example(tmp_path: Path) -> None:
    [record] = await _prepared(tmp_path)

    assert record.after.replace(f" {_CAME}", "") == record.before
    assert (record.section, record.revision_id) == ((), 2)
    assert record.address == _ADDRESS
    assert "Engineers had found cracks" in record.source
    assert record.key_facts == ("October 2026",)
    assert record.commentary == ()
    assert not record.is_generated


async def test_the_conversation_asks_as_the_editor_of_updates_does(
    tmp_path: Path,
) -> None:
    [record] = await _prepared(tmp_path)

    talk = conversation(record, Target.STEPS)

    assert talk is not None
    assert [one["role"] for one in talk] == ["system", "user", "assistant"]
    assert json.loads(talk[2]["content"]) == {
        "edits": [
            {
                "steps": [{"do": "insert", "words": "mayor.", "new": _CAME}],
                "update": "u1",
            }
        ]
    }
    assert record.before in talk[1]["content"]
    assert f"[data-{record.id[:12]} quote 1 of u1]" in talk[1]["content"]
    [edit] = Edits.model_validate_json(talk[2]["content"]).edits
    assert applied(record.before, edit) == record.after
    files = [tmp_path / f"{name}.chat.jsonl" for name in ("train", "test")]
    [line] = "".join(one.read_text("utf-8") for one in files).splitlines()
    assert json.loads(line) == {"id": record.id, "messages": talk}
    whole = conversation(record, Target.PARAGRAPH)  # as in the paper
    assert whole is not None
    assert whole[-1]["content"] == record.after


async def test_a_model_writes_news_whose_words_are_checked(tmp_path: Path) -> None:
    [record] = await _prepared(tmp_path, model=Model(_news()))

    assert record.is_generated
    assert record.source == _NEWS
    assert record.key_facts == ("lorries", "October 2026", "cracks")
    assert record.commentary == ("dismayed hauliers", "a sad day")


@pytest.mark.parametrize(
    "answer",
    [
        _news(news="One sentence on lorries in October 2026."),
        _news(news=_NEWS * 8),
        _news(news=_NEWS.replace("2026", "2025")),
        _news(motive="Words that stand nowhere on the page."),
        _news(key_facts=["bridge", "never said"]),
        ModelFailure.UNREADABLE,
        ModelOutOfReachError("it is away", retry_in_s=1),
    ],
)
async def test_news_that_do_not_hold_leave_the_cited_page(
    tmp_path: Path, answer: object
) -> None:
    [record] = await _prepared(tmp_path, model=Model(answer))

    assert not record.is_generated
    assert "Engineers had found cracks" in record.source


async def test_a_model_that_accepts_no_request_ends_the_run_and_nothing_is_kept(
    tmp_path: Path,
) -> None:
    with pytest.raises(PermanentError, match="no credit"):
        await _prepared(tmp_path, model=Model(ModelUnusableError("no credit")))

    [record] = await _prepared(tmp_path, model=Model(_news()))
    assert record.is_generated


@pytest.mark.parametrize("text", [None, "Quite another page on gardening."])
async def test_an_edit_whose_source_says_nothing_is_no_example(
    tmp_path: Path, text: str | None
) -> None:
    with pytest.raises(PermanentError, match="the cited page"):
        await _prepared(tmp_path, page=text)


@pytest.mark.parametrize(
    "texts",
    [
        (_OLD, _NEW, _OLD),  # undone
        (_OLD, _OLD.replace("1932", "1933")),  # no source
        (_OLD, _OLD.replace("road bridge", "Road Bridge")),
    ],
)
async def test_what_the_filters_leave_out_is_counted(
    tmp_path: Path, texts: tuple[str, ...]
) -> None:
    with pytest.raises(PermanentError, match="no edit makes an example"):
        await _prepared(tmp_path, *texts)


async def test_a_run_continues_where_another_stopped(tmp_path: Path) -> None:
    histories, model = _Histories(_OLD, _NEW), Model(_news())
    makers = Makers(histories, _Sources(), model)

    for titles in (("One",), ("One", "Two", "Three")):
        counts = await prepare(
            _edited(*titles), makers, tmp_path, Target.STEPS, Silent()
        )

    assert histories.read == ["One", "Two", "Three"]
    assert len(model.asked) == 3
    assert (counts["pages"], counts["examples"], counts["generated_sources"]) == (
        3,
        3,
        3,
    )
    assert sum(counts["conversations"].values()) == 3


def test_a_broken_file_of_examples_is_reported_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "train.jsonl"
    file.write_text('{"id": 1}\n')
    with pytest.raises(PermanentError, match="line 1, is not an example"):
        list(from_lines(file))
    with pytest.raises(PermanentError, match="cannot read"):
        list(from_lines(tmp_path / "none.jsonl"))


def _record(**changes: object) -> EditRecord:
    given: dict[str, object] = {
        "id": "0123456789abcdef",
        "wiki": "en.wikipedia.org",
        "title": "Harbour Bridge",
        "section": (),
        "revision_id": 1,
        "before": "It was opened in 1932. It carries 12,000 cars.",
        "after": "It was opened in 1932. It carries 15,400 cars.",
        "source": "The bridge now carries 15,400 cars, a sorry record for the town.",
        "key_facts": ("15,400 cars",),
        "commentary": ("a sorry record",),
        **changes,
    }
    return EditRecord.model_validate(given)


def _writer(write: Callable[[EditRecord], str | None]) -> Writer:
    async def writing(record: EditRecord) -> str | None:
        return write(record)

    return Writer("test", writing)


async def test_table_1_counts_changed_words_facts_and_comment() -> None:
    broken = _writer(lambda _: None)

    figures = await compare(
        [_record()], [human(), pasting(), broken], WordJudge(), Silent()
    )

    rows = {one["editor"]: one for one in figures["rows"]}
    shares = {
        name: (
            row["token_change"],
            row["key_facts"]["covered_percent"],
            row["commentary"]["covered_percent"],
            row["failed"],
        )
        for name, row in rows.items()
    }
    assert shares["human"] == (1, 100.0, 0.0, 0)
    assert shares["source pasted whole"] == (14, 100.0, 100.0, 0)
    assert shares["test"] == (0, 0.0, 0.0, 1)
    assert figures["paper"]["Llama-3.1-8B-Editor"]["commentary"] == 18.7
    assert rows["human"]["judge"] == "words in common"


@pytest.mark.parametrize(
    ("answer", "covered", "unjudged"),
    [
        ({"conveyed": [1]}, 100.0, 0),
        ({"conveyed": []}, 0.0, 0),
        ({"conveyed": [2]}, None, 1),
        (ModelFailure.CUT_OFF, None, 1),
        (ModelOutOfReachError("away", retry_in_s=1), None, 1),
    ],
)
async def test_a_model_can_judge_and_where_it_fails_nothing_is_judged(
    answer: object,
    covered: float | None,
    unjudged: int,
) -> None:
    judge = ModelJudge(Model(answer))

    figures = await compare([_record()], [human()], judge, Silent())

    [row] = figures["rows"]
    assert row["key_facts"]["covered_percent"] == covered
    assert row["key_facts"]["unjudged"] == unjudged
    assert row["judge"] == "language model test"


def test_details_are_what_the_edit_brought_in() -> None:
    assert details(_record()) == ("15,400",)
    answer = NewsAnswer(
        motive="",
        news="It carries cars. It is big. It is old.",
        key_facts=["15,400"],
        commentary=[],
    )
    assert generated(_record(), answer, "") == (
        "the model's news lack facts of the edit"
    )
