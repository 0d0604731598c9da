"""Detecting outdated statements, and editing: `sidenote evaluate editing`.

Three files of revisions are recognised by their rows. VitaminC's hold old sentences
with new claims, and say whether each refutes the new claim or just does not mention it:
they measure how well outdated sentences are detected, and how few words a slot changes.
The network was trained on revisions of other articles; it is not known which rows it
has seen, so use the dev file. The pairs of wikitext hold paragraphs as people left
them: every edit of the editor must keep all their references, templates and links.

If rows say how people left the sentence, simple ways of editing it are compared, along
with the sentences of any other editor (`read_edited`).

Token change is WiNELL's (§5.1): words that were removed, added or replaced. What a file
does not show is `None`, with the reason under `notes`.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bot.research.evaluation import metrics
from bot.research.evaluation.datasets import (
    Data,
    FileRows,
    Unscored,
    UnusableError,
    read_json_lines,
)
from bot.research.evaluation.metrics import UndefinedMetricError, over, token_change
from bot.research.evaluation.report import EvaluationReport, Findings, Progress, named
from bot.research.evaluation.updates.paragraphs import (
    Pair,
    Paragraphs,
    Tally,
    edit_all,
    has_pairs,
    read_pairs,
    replaced,
)
from handlers.ports import PermanentError, Verifier
from handlers.updates.entailment import OUTDATED_FROM, outdated

_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_WORD = re.compile(r"\d(?:[\d.,]*\d)?|\w+")
_NEAR = 2  # words after a number that show what it counts


def joined(tokens: str) -> str:
    """Return a text with normal spacing, not with spaces around punctuation."""
    text = re.sub(r" +([,.;:!?)\]%]|'s\b|n't\b)", r"\1", tokens)
    return re.sub(r"([(\[$£€]) +", r"\1", text)


def slotted(original: str, claim: str) -> str | None:
    """Return `original` with the numbers of `claim` in it; `None` if no slot is clear.

    A number that only the claim has replaces the one that only the original has, if one
    of the next two words is the same, or if each has just one.
    """
    old, new = _numbers(original), _numbers(claim)
    had, has = {one[0] for one in old}, {one[0] for one in new}
    gone = [one for one in old if one[0] not in has]
    came = [one for one in new if one[0] not in had]
    if not gone or not came:
        return None
    slots: dict[int, tuple[int, str]] = {}
    for number, _, _, counted in came:
        fits = [one for one in gone if one[3] & counted]
        if not fits and len(gone) == len(came) == 1:
            fits = gone
        if len(fits) == 1:
            slots[fits[0][1]] = (fits[0][2], number)
    if not slots:
        return None
    text = original
    for start in sorted(slots, reverse=True):
        end, number = slots[start]
        text = f"{text[:start]}{number}{text[end:]}"
    return text


def _numbers(text: str) -> list[tuple[str, int, int, frozenset[str]]]:
    """Return each number with its place and the words after it."""
    found = []
    for one in _NUMBER.finditer(text):
        behind = _WORD.findall(text[one.end() : one.end() + 60])[:_NEAR]
        words = frozenset(word.lower() for word in behind if not word[0].isdigit())
        found.append((one[0], one.start(), one.end(), words))
    return found


_SUFFIXES = (".jsonl", ".jsonl.gz")
_FITTED = "train"  # in the name of a file whose rows the network has seen
_FEWEST_MADE = 1
_YARDSTICK = (
    "of the claim's numbers put into the slots of the old sentence, where one is clear:"
    " a yardstick of the measure, not what the editor proposes; without a language"
    " model it writes no words"
)


@dataclass(frozen=True, slots=True)
class Revision:
    """An old sentence, the new claim, and whether the sentence refutes the claim.

    `target` is the sentence as people left it; empty if the row does not say.
    """

    page: str
    original: str
    claim: str
    is_refuted: bool
    target: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one run, identified by all their bytes."""

    data: Data
    revisions: Mapping[str, tuple[Revision, ...]]  # by the name of their file
    pairs: Mapping[str, Sequence[Pair]]
    about: tuple[dict[str, Any], ...]


def read(data: Path) -> Files:
    """Read one file, or those of a folder that hold revisions."""
    paths = [data]
    if data.is_dir():
        paths = [one for one in sorted(data.iterdir()) if one.name.endswith(_SUFFIXES)]
        if not paths:
            raise PermanentError(f"{data} has no .jsonl or .jsonl.gz file of revisions")
    revisions: dict[str, tuple[Revision, ...]] = {}
    pairs: dict[str, Sequence[Pair]] = {}
    unscored: list[Unscored] = []
    about: list[dict[str, Any]] = []
    for path in paths:
        found: FileRows[Pair] | FileRows[Revision]
        if has_pairs(path):
            found = read_pairs(path)
            pairs[path.name] = found.rows
        else:
            found = read_revisions(path)
            revisions[path.name] = found.rows
        unscored += found.unscored
        about.append(
            {
                "file": path.name,
                "sha256": found.sha256,
                "rows": found.row_count,
                "unscored": len(found.unscored),
            }
        )
    whole = "".join(one["sha256"] for one in about)
    return Files(
        Data(
            data.name,
            about[0]["sha256"]
            if data.is_file()
            else sha256(whole.encode()).hexdigest(),
            sum(one["rows"] for one in about),
            tuple(unscored),
        ),
        revisions,
        pairs,
        tuple(about),
    )


def evaluate(
    data: Path,
    verifier: Verifier,
    progress: Progress,
    edited: Mapping[str, str] | None = None,
) -> EvaluationReport:
    """Measure what the file or folder of files at `data` allows."""
    files = read(data)
    # If there are several files, prefer one that the network was not trained on.
    names = sorted(files.revisions, key=lambda name: (_FITTED in name, name))
    chosen = names[0] if names else None
    rows = files.revisions[chosen] if chosen else ()
    if chosen:
        detection = {"file": chosen, **measure(rows, verifier, progress)}
    else:
        findings = Findings()
        for name in ("precision", "recall", "f1"):
            findings.omit(name, "the file has no old sentences beside new claims")
        detection = findings.to_dict()
    return EvaluationReport(
        "editing",
        files.data,
        named(verifier.engine),
        {
            "outdated": detection,
            "editor": _editor(files, rows, progress),
            "sentence_editors": compare_editors(rows, edited or {}),
        },
        about_data={"files": list(files.about)},
    )


def _editor(
    files: Files, rows: Sequence[Revision], progress: Progress
) -> dict[str, Any]:
    pairs = [pair for some in files.pairs.values() for pair in some]
    slots = _slots(rows)
    if pairs:
        measured = _of_pairs(edit_all(pairs, progress))
        return {**measured, "slots": slots} if rows else measured
    findings = Findings()
    findings.omit("references_kept", "the rows are sentences without wikitext")
    fields = {**findings.to_dict(), **slots}
    return {**fields, "notes": {**fields["notes"], "token_change": _YARDSTICK}}


def _of_pairs(found: Paragraphs) -> dict[str, Any]:
    """Return the figures of paragraphs, one row each, with intervals over articles.

    Token change covers rows whose human edit could be turned into ours: the mean of the
    words that ours change, and of those that the whole human edit changed.
    """
    findings = Findings()
    made = np.array([one.made for one in found.rows], dtype=np.float64)
    kept = np.array([one.kept for one in found.rows], dtype=np.float64)
    ours = np.array([one.ours for one in found.rows], dtype=np.float64)
    human = np.array([one.human for one in found.rows], dtype=np.float64)
    titles = [one.title for one in found.rows]

    def references_kept(at: npt.NDArray[np.int64]) -> float:
        if not made[at].sum():
            raise UndefinedMetricError("no edit was made")
        return float(kept[at].sum() / made[at].sum())

    findings.add_measured("references_kept", titles, references_kept)
    is_edited = ours >= _FEWEST_MADE
    for name, words in (("token_change", ours), ("token_change_human", human)):
        known = np.where(is_edited, words, np.nan)
        findings.add_mean(name, titles, known, "no words were changed")
    return {
        "paragraphs": len(titles),
        "paragraphs_with_words_changed": int(is_edited.sum()),
        **findings.to_dict(),
        "embedded": {**_of_tally(found.embedded), "token_change": 0.0},
        "operations": _of_tally(found.operations),
    }


def _of_tally(tally: Tally) -> dict[str, Any]:
    return {
        "edits": tally.made,
        "references_kept": round(tally.kept / tally.made, 4) if tally.made else None,
        "refused": sum(tally.refused.values()),
        "refused_because": dict(tally.refused.most_common()),
    }


def _slots(rows: Sequence[Revision]) -> dict[str, Any]:
    """Return how many words change if numbers fill slots, and in the human edit."""
    findings = Findings()
    ours, human, titles = [], [], []
    for one in rows:
        original, target = joined(one.original), joined(one.target)
        is_fit = one.is_refuted and target
        other = slotted(original, joined(one.claim)) if is_fit else None
        changed = replaced(one.page, original, other) if other else None
        if changed is not None:
            ours.append(changed)
            human.append(token_change(original, target))
            titles.append(one.page)
    for name, words in (("token_change", ours), ("token_change_human", human)):
        findings.add_mean(name, titles, words, "no words were changed")
    outdated_rows = sum(one.is_refuted for one in rows)
    return {"rows": len(ours), "of_outdated": outdated_rows, **findings.to_dict()}


def read_edited(path: Path) -> dict[str, str]:
    """Return an editor's sentences by row id, from JSON lines with `id` and `text`."""

    def row(_: int, fields: Mapping[str, Any]) -> tuple[str, str]:
        name, text = fields.get("id"), _text(fields, "text")
        if not name or not text:
            raise UnusableError("id or text is missing")
        return str(name), text

    found = read_json_lines(path, row, needs="id and text", name="edited")
    return dict(found.rows)


def compare_editors(
    rows: Sequence[Revision], edited: Mapping[str, str]
) -> dict[str, Any]:
    """Return how close the sentences of editors are to those that people left.

    Each word counts as often as it occurs. Of the words that people added, `brought` is
    the share that an editor's sentence has; of the words that an editor added, `right`
    is the share that people added too; of the words that people kept, `kept` is the
    share that is still there. `exact` is the share of sentences that are the same to
    the word.
    """
    known = [one for one in rows if one.target]
    ways: dict[str, Callable[[Revision], str | None]] = {
        "nothing changed": lambda one: one.original,
        "the claim in its place": lambda one: one.claim,
        "the claim behind it": lambda one: f"{one.original} {one.claim}",
        "numbers into slots": lambda one: slotted(one.original, one.claim),
    }
    if edited:
        ways["edited"] = lambda one: edited.get(one.id)
    return {
        "rows": len(known),
        "editors": {name: _of_editor(known, way) for name, way in ways.items()},
    }


def _of_editor(
    rows: Sequence[Revision], way: Callable[[Revision], str | None]
) -> dict[str, Any]:
    """Return the figures of one editor; if it has no sentence, the old one is used."""
    counts: Counter[str] = Counter()
    changes, exact, failed = [], [], 0
    for one in rows:
        made = way(one)
        failed += made is None
        old, new, people = (
            Counter(_WORD.findall(joined(text)))
            for text in (one.original, made or one.original, one.target)
        )
        came, wanted, stays = new - old, people - old, people & old
        counts["came"] += came.total()
        counts["wanted"] += wanted.total()
        counts["stays"] += stays.total()
        counts["brought"] += (wanted & came).total()
        counts["right"] += (came & people).total()
        counts["kept"] += (stays & new).total()
        words, wanted_words = (
            _WORD.findall(joined(text).casefold())
            for text in (made or one.original, one.target)
        )
        exact.append(words == wanted_words)
        changes.append(token_change(joined(one.original), joined(made or one.original)))
    return {
        "without_an_edit": failed,
        "exact": _ratio(sum(exact), len(exact)),
        "brought": _ratio(counts["brought"], counts["wanted"]),
        "right": _ratio(counts["right"], counts["came"]),
        "kept": _ratio(counts["kept"], counts["stays"]),
        "token_change": _ratio(sum(changes), len(changes)),
    }


def _ratio(part: int, of: int) -> float | None:
    return round(part / of, 4) if of else None


SET = "vitaminc_revisions"
_LABELS = {"refuted": True, "nei": False}
_BRACKETS = {"-LRB-": "(", "-RRB-": ")"}
_LONGEST_CHARS = 20_000


def read_revisions(path: Path) -> FileRows[Revision]:
    needs = "page, original, update_claim and original_label"
    return read_json_lines(path, _revision, needs=needs, name=SET)


def measure(
    rows: Sequence[Revision], verifier: Verifier, progress: Progress
) -> dict[str, Any]:
    """Return precision, recall and F1 of the old sentences called outdated.

    A sentence is truly outdated if people said that it refutes the new claim; of
    the others they said that it does not mention it. `auroc` needs no threshold, and
    `f1_if_all` is what calling every sentence outdated would get.
    """
    progress.started(len(rows))

    async def judged() -> list[float]:
        found = []
        for one in rows:
            found.append(await outdated(verifier, one.page, one.original, one.claim))
            progress.advance()
        return found

    scores = np.array(asyncio.run(judged()), dtype=np.float64)
    truth = np.array([one.is_refuted for one in rows], dtype=np.bool_)
    called = scores >= OUTDATED_FROM
    groups = [one.page for one in rows]
    findings = Findings()
    for name, of, among in (("precision", truth, called), ("recall", called, truth)):
        findings.add_measured(name, groups, over(metrics.share, of, among))
    findings.add_measured("f1", groups, over(metrics.f1, truth, called))
    findings.add_measured("auroc", groups, over(metrics.auroc, truth, scores))
    everything = np.ones_like(truth)
    findings.add_measured("f1_if_all", groups, over(metrics.f1, truth, everything))
    return {
        "rows": len(rows),
        "outdated": int(truth.sum()),
        "articles": len(set(groups)),
        "threshold": OUTDATED_FROM,
        **findings.to_dict(),
    }


def _revision(_: int, fields: Mapping[str, Any]) -> Revision:
    label = fields.get("original_label")
    if not isinstance(label, str) or label not in _LABELS:
        raise UnusableError(f"original_label {label!r} is none of {', '.join(_LABELS)}")
    texts = [_text(fields, name) for name in ("page", "original", "update_claim")]
    if not all(texts):
        raise UnusableError(
            "page, original or update_claim is no text of a usual length"
        )
    page, original, claim = texts
    target, name = _text(fields, "target"), str(fields.get("id", ""))
    return Revision(page, original, claim, _LABELS[label], target, name)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > _LONGEST_CHARS:
        return ""
    for written, sign in _BRACKETS.items():
        value = value.replace(written, sign)
    return value.strip()
