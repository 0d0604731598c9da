"""The whole program beside a language model's server: whatever that does, a report."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bot.research.evaluation.citations.test_plain import write as write_cases
from tests.bot.research.evaluation.citations.test_plain import written
from tests.bot.research.evaluation.edit_pairs import (
    HARMLESS,
    RIGHT_AND_WRONG,
    write_pairs,
)
from tests.bot.research.evaluation.rows import CLAIMS, PAGE, write
from tests.program import Done, Program, only_report
from tests.rig.language_model import (
    Asked,
    ModelServer,
    Script,
    answers,
    error_body,
    fails,
    judges,
    resets,
    serving,
)

KEY = "sk-program-77aa01"
CLOCK = (
    "The clock on the customs quay was built in 1874 by Ada Penrose, who had learned the"
    " trade from her father. It was stopped by a storm in 1911 and repaired two years"
    " later at the town's own cost."
)
QUOTE = "stopped by a storm in 1911 and repaired two years later"


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A page with one claim, with its source on disk."""
    page = "It was stopped by a storm in 1911 and its repair took two years.<ref>{{cite web |url=https://clock.example/a |title=Clock}}</ref>\n"
    (tmp_path / "Clock.wikitext").write_text(page, "utf-8")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "https%3A%2F%2Fclock.example%2Fa.txt").write_text(
        CLOCK, "utf-8"
    )
    return Program(tmp_path, {})


async def check(program: Program, server: ModelServer, **settings: str) -> Done:
    program.settings |= {
        "SIDENOTE_LANGUAGE_MODEL_ADDRESS": server.address,
        "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
        "SIDENOTE_LANGUAGE_MODEL_KEY": KEY,
        "SIDENOTE_LANGUAGE_MODEL_INPUT_PRICE": "1",
        "SIDENOTE_LANGUAGE_MODEL_OUTPUT_PRICE": "2",
        "SIDENOTE_LOG_LEVEL": "debug",
        "OPENAI_LOG": "debug",
        **{
            f"SIDENOTE_LANGUAGE_MODEL_{name.upper()}": one
            for name, one in settings.items()
        },
    }
    done = await program(
        "check", "--file", "Clock.wikitext", "--sources", "sources", "--format", "json"
    )
    assert KEY not in done.out + done.err
    for file in program.folder.rglob("*"):
        assert file.is_dir() or KEY.encode() not in file.read_bytes(), file
    return done


def opinion(done: Done) -> tuple[dict[str, Any], dict[str, Any]]:
    report: dict[str, Any] = only_report(done)
    [claim] = report["claims"]
    return claim, report["language_model"]


def agrees(_: str, request: Asked) -> tuple[str, str]:
    assert QUOTE in request.excerpts
    return "supported", QUOTE


async def test_a_doubtful_claim_is_settled_with_a_quote_from_its_source(
    program: Program,
) -> None:
    async with serving(judges(agrees)) as server:
        first = await check(program, server)
        again = await check(program, server)

    claim, use = opinion(first)
    assert claim["verdict"] == "supported"
    assert claim["evidence"][0]["quote"] == QUOTE
    assert claim["engine"]["name"].endswith(" + language model")
    assert claim["opinion"]["setback"] is None
    assert (use["calls"], use["counted"], use["stopped"]) == (1, 1, [])
    assert use["cost"] > 0
    assert len(server.asked) == 1, "the second run remembers"
    claim, use = opinion(again)
    assert claim["verdict"] == "supported"
    assert (use["calls"], use["remembered"], use["cost"]) == (0, 1, 0)


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        pytest.param(resets, "it could not be reached", id="no answer"),
        pytest.param(
            fails(
                "401 Unauthorized",
                error_body(f"Incorrect key {KEY}", "e", "invalid_api_key"),
            ),
            "its server does not accept our requests",
            id="401",
        ),
        pytest.param(
            judges(lambda *_: ("supported", "repaired in three years")),
            "its quote does not stand in the source",
            id="quote not found",
        ),
    ],
)
async def test_whatever_the_server_does_the_report_comes_and_says_so(
    program: Program, script: Script, failure: str
) -> None:
    """What else a server may do is for `tests/bot/models/language_model`."""
    async with serving(script) as server:
        done = await check(program, server)

    claim, use = opinion(done)
    assert done.code in {0, 1}
    assert claim["verdict"] is not None
    assert claim["opinion"]["setback"] == failure
    assert "language model" not in claim["engine"]["name"]
    assert use["counted"] == 0


async def test_a_budget_of_nothing_asks_nothing_and_says_so(program: Program) -> None:
    async with serving(judges(agrees)) as server:
        _, use = opinion(await check(program, server, budget="0.0001"))

    assert server.asked == []
    assert use["calls"] == 0
    assert "SIDENOTE_LANGUAGE_MODEL_BUDGET" in use["stopped"][0]


async def test_the_settings_never_show_the_key(program: Program) -> None:
    program.settings["SIDENOTE_LANGUAGE_MODEL_KEY"] = KEY
    fine = await program("settings")
    program.settings["SIDENOTE_LANGUAGE_MODEL_ADDRESS"] = f"http://u:{KEY}@h/v1"
    wrong = await program("settings")
    program.settings["SIDENOTE_LANGUAGE_MODEL_ADDRESS"] = "http://model.example/v1"
    program.settings["SIDENOTE_LANGUAGE_MODEL_NAME"] = "m"
    in_the_open = await program("settings")
    program.settings = {}
    program.write("s.toml", f'language_model_key = "{KEY}"\n')
    in_a_file = await program("--settings", "s.toml", "settings")

    assert "SIDENOTE_LANGUAGE_MODEL_KEY = ****" in fine.out
    assert "without a name, a password" in wrong.output
    assert "https" in in_the_open.output
    assert "does not belong in a file" in in_a_file.output
    for done in (fine, wrong, in_the_open, in_a_file):
        assert KEY not in done.out + done.err


async def test_the_whole_cascade_is_measured_with_what_it_costs(
    program: Program,
) -> None:
    write(program.folder / "rows.jsonl", CLAIMS)
    truth = {str(one["claim"]): one["label"] for one in CLAIMS}

    def knows(claim: str, request: Asked) -> tuple[str, str]:
        quote = str(CLAIMS[0]["evidence"])
        assert quote in request.excerpts
        verdicts = {"supported": "supported", "refuted": "contradicted"}
        return verdicts.get(truth[claim], "not stated"), quote

    async with serving(judges(knows, truth)) as server:
        program.settings |= {
            "SIDENOTE_LANGUAGE_MODEL_ADDRESS": server.address,
            "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
            "SIDENOTE_LANGUAGE_MODEL_INPUT_PRICE": "1",
        }
        done = await program(
            "evaluate", "verification", "--data", "rows.jsonl", "--model"
        )

    report = json.loads(done.out)
    figures = report["metrics"]["model"]
    assert figures["asked"] == figures["counted"] == len(CLAIMS)
    assert (
        figures["took"]["calls"]
        == figures["expected"]["calls"]
        == len(server.asked)
        == 1
    )
    assert figures["took"]["cost"] > 0
    assert figures["with"]["balanced_accuracy"] == 1.0
    assert all(one["supported"] != one["before"]["supported"] for one in report["rows"])
    assert report["metrics"]["sets"]["bridges"]["balanced_accuracy"] == 1.0
    assert [one["said"] for one in report["rows"]] == [
        *["supported"] * 3, *["contradicted"] * 2, *["not supported"] * 2,
    ]  # fmt: skip
    assert "is asked about 7 claims: about 1 call" in done.err
    assert "its answer counts for 7 of 7 claims" in done.err


async def test_pairs_are_asked_about_with_both_versions_shown(program: Program) -> None:
    bad, harmless = write_pairs(program.folder)
    right = {one for one, _ in RIGHT_AND_WRONG.values()}
    right |= {claim for pair in HARMLESS.values() for claim in pair}

    def knows(request: Asked) -> object:
        borne_out = [
            name
            for name in ("first", "second")
            if request.parts[f"{name} version"].rpartition("Claim: ")[2] in right
        ]
        said = "both" if len(borne_out) == 2 else borne_out[0]
        return {"quotes": PAGE[1:3], "reason": "", "borne_out": said}

    async with serving(answers(knows)) as server:
        program.settings |= {
            "SIDENOTE_LANGUAGE_MODEL_ADDRESS": server.address,
            "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
            "SIDENOTE_LANGUAGE_MODEL_INPUT_PRICE": "1",
        }
        done = await program(
            *("evaluate", "edits", "--data", bad.name, "--harmless", harmless.name),
            "--model",
        )

    report = json.loads(done.out)
    figures = report["metrics"]
    assert report["engine"]["name"] == "language model"
    assert figures["model"]["asked"] == figures["model"]["counted"] == 5
    assert figures["model"]["took"]["calls"] == len(server.asked) == 5
    assert figures["model"]["took"]["cost"] > 0
    assert (figures["found"], figures["noted_of_harmless"]) == (1.0, 0.0)
    assert {one["said"] for one in report["rows"]} == {"before", "both"}
    assert "is asked about 5 claims: about 5 calls" in done.err


async def test_plain_cases_are_measured_with_the_model_and_without(
    program: Program,
) -> None:
    built = "The clock on the customs quay was built in 1874 by Ada Penrose"
    wrong = "Ada Penrose built the clock on the customs quay in 1874 in 1911."
    right = str(written()["claim"])
    write_cases(
        program.folder,
        written(verdict="supported"),
        written(id="clock-2", claim=wrong, verdict="contradicted"),
        written(id="clock-3", page="gone.txt", verdict="could not check"),
    )

    def knows(claim: str, _: Asked) -> tuple[str, str]:
        return ("contradicted" if claim == wrong else "supported"), built

    async with serving(judges(knows, (right, wrong))) as server:
        program.settings |= {
            "SIDENOTE_LANGUAGE_MODEL_ADDRESS": server.address,
            "SIDENOTE_LANGUAGE_MODEL_NAME": "m",
        }
        done = await program(
            *("evaluate", "plain", "--cases", "cases.jsonl"),
            *("--model", "--format", "json"),
        )

    figures = json.loads(done.out)["metrics"]
    assert figures["counts"]["right"] == 3
    assert (figures["model"]["asked"], figures["model"]["counted"]) == (2, 2)
    assert figures["model"]["took"]["calls"] == len(server.asked) == 2
    assert figures["model"]["without"]["counts"]["cases"] == 3


async def test_without_a_model_there_is_no_cascade_to_measure(program: Program) -> None:
    write(program.folder / "rows.jsonl", CLAIMS)

    done = await program("evaluate", "verification", "--data", "rows.jsonl", "--model")

    assert done.code == 3
    assert "SIDENOTE_LANGUAGE_MODEL_ADDRESS" in done.output


SPANISH = (
    "El reloj del muelle de la aduana fue construido en 1874 por Ada Penrose, que había"
    " aprendido el oficio de su padre en el norte del país. Las agujas son de cobre y se"
    " ven desde la entrada del puerto. En 1911 una tormenta detuvo el reloj, y el"
    " ayuntamiento lo reparó dos años después con dinero propio. Desde entonces no ha"
    " vuelto a pararse. Los visitantes pueden subir a la torre el primer domingo de cada"
    " mes, de mayo a septiembre, cuando el encargado les enseña la maquinaria.\n"
)
SAID_IN_SPANISH = {
    "Its hands are made of copper": ("supported", "Las agujas son de cobre"),
    "It was built in 1892 by Ada Penrose": (
        "contradicted",
        "fue construido en 1874 por Ada Penrose",
    ),
}


async def test_a_foreign_source_goes_to_the_model_and_its_word_is_shown(
    program: Program,
) -> None:
    cited = "<ref>{{cite web |url=https://clock.example/es |title=Reloj}}</ref>"
    program.write(
        "Clock.wikitext", "\n\n".join(f"{one}.{cited}" for one in SAID_IN_SPANISH)
    )
    program.write("sources/https%3A%2F%2Fclock.example%2Fes.txt", SPANISH)

    def knows(claim: str, request: Asked) -> tuple[str, str]:
        assert SPANISH.strip() in request.excerpts
        return next(quote for words, quote in SAID_IN_SPANISH.items() if words in claim)

    refuses = fails("429 Too Many Requests", retry_after="3600")
    async with serving(refuses) as server:
        unanswered: dict[str, Any] = only_report(await check(program, server))
    async with serving(judges(knows, SAID_IN_SPANISH)) as server:
        report: dict[str, Any] = only_report(await check(program, server))
        text = await program(
            "check", "--file", "Clock.wikitext", "--sources", "sources", "--format=text"
        )

    for claim in unanswered["claims"]:
        assert claim["verdict"] is None
        assert claim["readings"][0]["outcome"] == "foreign language"
        assert claim["opinion"]["setback"] == "it could not be reached"
    for claim, (verdict, quote) in zip(
        report["claims"], SAID_IN_SPANISH.values(), strict=True
    ):
        assert claim["verdict"] == verdict
        evidence = claim["evidence"][0]
        assert evidence["quote"] == quote
        assert evidence["source_key"] == claim["readings"][0]["source_key"]
        assert SPANISH[slice(*evidence["span"])] == quote
        assert claim["readings"][0]["outcome"] == "read"
        assert claim["advice"] == []
        assert (claim["flag"] is not None) is (verdict == "contradicted")
        assert quote in text.out
    assert "Spanish" not in text.out
