"""What a rule about words is made of. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.model import FindingKind

# What stands before a word that says of what sort the next one is.
DETERMINER = (
    r"\b(?:a|an|the|his|her|its|their|this|these|as|most|many|several|of|by|'s|world) "
)


@dataclass(frozen=True, slots=True)
class Rule:
    """Words that a reviewer stops at, found in the article's own voice.

    `bare` is how likely they are at fault where neither a footnote nor a speaker stands
    by; `cited` and `attributed` are the same where one does. `excused` is looked for in
    the whole sentence, quotations and links included: where it is found, all is well.
    `in_fiction` is the most that is left in an article about a work of fiction, in
    whatever section: its characters speak there, too.
    """

    pattern: re.Pattern[str]
    bare: float
    cited: float
    attributed: float
    excused: re.Pattern[str] | None = None
    in_fiction: float = 1.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A kind of words to watch.

    `message` has a place for the words that were found; `of_several` is the same for
    two or more of them, where that reads otherwise.
    """

    kind: FindingKind
    criteria: tuple[str, ...]
    guideline: str
    message: str
    advice: str
    rules: tuple[Rule, ...]
    in_story: bool = True  # whether it counts in the plot of a work, too
    of_several: str = ""

    def says(self, words: Sequence[str]) -> str:
        """Return the message about these words, each in quotation marks."""
        *others, last = words
        listed = f"{', '.join(others)} and {last}" if others else last
        message = self.of_several if others and self.of_several else self.message
        return message.format(words=listed)


def rule(
    words: str | Sequence[str],
    bare: float,
    cited: float | None = None,
    attributed: float | None = None,
    *,
    before: str = "",
    after: str = "",
    excused: str | None = None,
    in_fiction: float = 1.0,
) -> Rule:
    """Return a rule for `words`: alternatives of a regular expression, spaces folded.

    Args:
        words: parted by "|", or a sequence of such.
        bare: confidence without a footnote or speaker.
        cited: confidence with a footnote; else as `bare`.
        attributed: confidence where the sentence says who thinks so; else half `cited`.
        before: what must, or must not, stand before them.
        after: the same behind them.
        excused: what makes them right wherever it stands in the sentence.
        in_fiction: the most that is left in articles about works of fiction.
    """
    listed = words if isinstance(words, str) else "|".join(words)
    listed = "|".join(" ".join(one.split()) for one in listed.split("|"))
    with_source = bare if cited is None else cited
    with_speaker = with_source / 2 if attributed is None else attributed
    return Rule(
        re.compile(rf"(?:{before})(?<![\w-])(?P<words>{listed})(?![\w-])(?:{after})"),
        bare,
        with_source,
        with_speaker,
        re.compile(excused, re.IGNORECASE) if excused else None,
        in_fiction,
    )
