"""The contrast of every pair of tokens that meet, as WCAG 2.2 computes it."""

import re
from importlib import resources

import pytest

from bot.report import ClaimState

STYLES = (
    resources.files("bot.report").joinpath("templates/report.css").read_text("utf-8")
)
_TOKEN = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
_LIGHT, _DARK = (
    dict(_TOKEN.findall(block))
    for block in re.findall(r":root \{(.*?)\}", STYLES, re.S)
)
_TONES = [standing.value.replace(" ", "-") for standing in ClaimState]
_TEXT_ON_GROUND = [
    *(
        (text, ground)
        for text in ("ink", "quiet", "link")
        for ground in ("paper", "panel")
    ),
    *((tone, ground) for tone in _TONES for ground in ("paper", "panel")),
    *((tone, f"{tone}-tint") for tone in _TONES),
    *(("ink", ground) for ground in ("hit", "gap")),
    ("paper", "ink"),
]


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_guideline_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("tokens", [_LIGHT, _DARK], ids=["light", "dark"])
def test_text_can_be_read_on_its_ground(tokens: dict[str, str]) -> None:
    for text, ground in _TEXT_ON_GROUND:
        assert contrast(tokens[text], tokens[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("tokens", [_LIGHT, _DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("line", "ground"),
    [
        ("focus", "paper"),
        ("focus", "panel"),
        ("gap-line", "gap"),
        ("partially-supported", "hit"),
    ],
)
def test_lines_that_mean_something_stand_out(
    line: str, ground: str, tokens: dict[str, str]
) -> None:
    assert contrast(tokens[line], tokens[ground]) >= 3


def test_light_and_dark_name_the_same_tokens() -> None:
    assert set(_LIGHT) == set(_DARK)


def test_no_colour_is_written_outside_the_tokens() -> None:
    rules = re.sub(r":root \{.*?\}", "", STYLES, flags=re.S)

    assert not re.findall(r"#[0-9a-f]{3,8}\b(?!-)|rgba?\(|hsla?\(", rules)


def test_every_token_that_is_used_is_defined() -> None:
    used = set(re.findall(r"var\(--([a-z-]+)[,)]", STYLES))

    defined = set(_LIGHT) | {"serif", "sans", "tone", "tint"}
    assert used <= defined
