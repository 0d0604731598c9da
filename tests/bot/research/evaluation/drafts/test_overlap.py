"""Overlap with a reference, against figures worked out by hand."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from bot.research.evaluation.drafts.overlap import (
    LATEST,
    MAX_WORDS,
    MeteorProgram,
    WordNet,
    bleu,
    meteor,
    rouge_l,
    rouge_l_nlg_eval,
    words,
)
from handlers.ports import PermanentError

REFERENCE = "A storm hit the coast today"


def test_meteor_is_what_its_formula_gives_by_hand() -> None:
    # 3 of 3 words and 3 of 6 match, in 2 runs: F = P R / (0.9 P + 0.1 R).
    f = 0.5 / (0.9 + 0.05)
    assert meteor(REFERENCE, "storm hit coast") == pytest.approx(
        100 * f * (1 - 0.5 * (2 / 3) ** 3)
    )
    f = 0.5 / (0.85 + 0.15 * 0.5)
    assert meteor(REFERENCE, "storm hit coast", weights=LATEST) == pytest.approx(
        100 * f * (1 - 0.6 * (2 / 3) ** 0.2)
    )


def test_meteor_matches_stems_and_with_wordnet_synonyms(tmp_path: Path) -> None:
    assert meteor("storms", "storm") == pytest.approx(50)  # 1 match in 1 run: half
    assert meteor("attorneys", "lawyer") == 0

    known = wordnet(tmp_path)
    # Two matches in one run; "spoke" alone would be one of two.
    assert meteor("attorneys spoke", "lawyers spoke", synonyms=known) == pytest.approx(
        100 * (1 - 0.5 * (1 / 2) ** 3)
    )
    assert meteor("attorneys spoke", "lawyers spoke") == pytest.approx(25)


def test_rouge_l_is_the_longest_common_subsequence_of_the_whole_texts() -> None:
    found = rouge_l("The cat sat, on the mat.", "the cat lay on a mat of straw")

    # the cat on mat: 4 of 8 words, 4 of 6.
    assert found == pytest.approx(100 * 2 * 0.5 * (4 / 6) / (0.5 + 4 / 6))
    # NLG-eval keeps case and signs: "A b" and "a b c d" have b alone in common.
    p, r = 0.5, 0.25
    assert rouge_l_nlg_eval("a b c d", "A b") == pytest.approx(
        100 * 2.44 * p * r / (r + 1.44 * p)
    )
    assert rouge_l_nlg_eval("a b", "c d") == 0


@given(st.text("ab C.\n", max_size=40), st.text("ab C.\n", max_size=40))
def test_rouge_l_is_what_the_package_finds(reference: str, text: str) -> None:
    scorer = RougeScorer(["rougeL"], use_stemmer=False)

    found, expected = rouge_l(reference, text), scorer.score(reference, text)["rougeL"]

    assert found == pytest.approx(100 * expected.fmeasure)


def test_bleu_counts_runs_of_up_to_four_words() -> None:
    same = "a storm hit the coast"
    assert bleu(same, same) == pytest.approx(100)
    # 4/5, 2/4, and 0.1 for none of 3 and none of 2; as long as the reference.
    assert bleu("a b c d e", "a b x d e") == pytest.approx(
        100 * (4 / 5 * 2 / 4 * 0.1 / 3 * 0.1 / 2) ** 0.25
    )


@pytest.mark.parametrize("text", ["", "...", "\n"])
def test_a_text_without_words_has_nothing_in_common(text: str) -> None:
    assert meteor(REFERENCE, text) == bleu(REFERENCE, text) == 0
    assert rouge_l(REFERENCE, text) == rouge_l_nlg_eval(REFERENCE, text) == 0


def test_no_more_than_the_bound_is_compared() -> None:
    text = "so " * MAX_WORDS
    assert meteor("so it ends", f"{text} it ends") == meteor("so it ends", text)
    assert words(text) == MAX_WORDS


def test_wordnet_is_read_from_its_plain_files(tmp_path: Path) -> None:
    reader = wordnet(tmp_path)

    def of(word: str) -> list[str]:
        return [one.name() for it in reader.synsets(word) for one in it.lemmas()]

    assert of("Lawyers") == ["lawyer", "attorney"]  # by an ending
    assert of("oxen") == ["ox"]  # by the list of exceptions
    assert of("spoken for") == of("unknown") == []


def test_a_folder_without_wordnet_is_refused_with_what_to_install(
    tmp_path: Path,
) -> None:
    with pytest.raises(PermanentError, match="wordnet-base"):
        WordNet(tmp_path)


def test_the_program_of_meteor_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"java|meteor-1\.5\.jar"):
        MeteorProgram(tmp_path / "meteor-1.5.jar")


def wordnet(folder: Path) -> WordNet:
    """Write three nouns as `wndb(5WN)` has it, below a licence."""
    data, places = io.BytesIO(), {}
    data.write(b"  1 This is our own.\n")
    for names in (("lawyer", "attorney"), ("ox",)):
        places[names] = data.tell()
        counts = " ".join(f"{name} 0" for name in names)
        data.write(
            f"{places[names]:08} 18 n {len(names):02x} {counts} 000 | a thing\n".encode()
        )
    index = "".join(
        f"{name} n 1 0 1 1 {at:08}\n" for names, at in places.items() for name in names
    )
    for part in ("noun", "verb", "adj", "adv"):
        is_noun = part == "noun"
        (folder / f"data.{part}").write_bytes(data.getvalue() if is_noun else b"")
        (folder / f"index.{part}").write_text(
            f"  1 This is our own.\n{index if is_noun else ''}"
        )
        (folder / f"{part}.exc").write_text("oxen ox\n" if is_noun else "")
    return WordNet(folder)
