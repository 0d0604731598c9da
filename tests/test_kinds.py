"""A kind of finding is complete, and a test says what is missing when one is not."""

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bot.records.watches import Check
from bot.store.mapping import NotKnown
from bot.store.suggestion_columns import finding_columns, finding_of_row
from gadget.bundle import NOTES, PREFIX, SOURCE, read_messages
from handlers.findings import Finding
from handlers.model import Message
from handlers.registry import KINDS, OF_CITATIONS, Kind
from handlers.updates.aged import AgedFinding
from tests.bot.store.runs import suggestion

_FOUND_ELSEWHERE = {
    "source",
    "tag",
    "update",
}  # with citations, and by runs of their own
_PLURAL = re.compile(r"\{\{PLURAL:\$\d\|[^{}]*?([^{}|]*)\}\}")


def missing(name: str, kind: Kind) -> Iterator[str]:
    """Yield what a kind still needs, a line each."""
    finding = kind.finding
    if finding.kind != name:
        yield f"{name}: `kind` of {finding.__name__} is {finding.kind}"
    if finding.asked_as not in {each.value for each in Check}:
        yield f"{name}: people cannot ask for {finding.asked_as}"
    if kind.find is None and name not in _FOUND_ELSEWHERE:
        yield f"{name}: nobody finds it (`find`)"
    if kind.stands is None and name not in OF_CITATIONS:
        yield f"{name}: nothing says where it stands on a page now (`stands`)"
    if not isinstance(kind.example, finding):
        yield f"{name}: `example` is no {finding.__name__}"
        return
    if not _is_kept(kind.example):
        yield f"{name}: the store does not give it back as it was"
    for message in _messages(kind.example):
        yield from _untranslated(name, message)


def _is_kept(example: Finding) -> bool:
    columns = finding_columns(suggestion(finding=example))
    try:
        kept, _ = finding_of_row(SimpleNamespace(**columns))  # type: ignore[arg-type]  # as a row
    except NotKnown:
        return False
    return kept == example


def _messages(example: Finding) -> Iterator[Message]:
    facts = example.facts
    yield from (facts.headline, facts.text_label, facts.quotes_label)
    yield from (line for line in facts.lines if line.key)  # others are in English alone
    if facts.certainty:
        yield facts.certainty


def _untranslated(name: str, message: Message) -> Iterator[str]:
    key, texts = f"{PREFIX}{message.key}", read_messages()
    for language in sorted(texts):
        if key not in texts[language]:
            about = "note for translators" if language == NOTES else "message"
            yield f"{name}: no {about} {message.key} in {language}.json"
    english = _PLURAL.sub(r"\1", texts[SOURCE].get(key, message.english))
    if english != _PLURAL.sub(r"\1", message.english):
        yield f"{name}: {message.key} says “{message.english}”, its message “{english}”"


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_complete(name: str) -> None:
    lacks = list(missing(name, KINDS[name]))
    assert not lacks, "\n".join(lacks)


def test_what_a_kind_lacks_is_said() -> None:
    class Unfinished(AgedFinding):
        kind = "unfinished"
        asked_as = "horoscopes"

        @property
        def facts(self):  # type: ignore[no-untyped-def]  # as in the class above
            return replace(super().facts, headline=Message("kind-unfinished", "Hm"))

    kind = Kind(Unfinished, None, None, Unfinished("2014", 12))

    lines = list(missing("unfinished", kind))

    assert "unfinished: people cannot ask for horoscopes" in lines
    assert "unfinished: nobody finds it (`find`)" in lines
    assert "unfinished: no message kind-unfinished in de.json" in lines
    assert "unfinished: no note for translators kind-unfinished in qqq.json" in lines
