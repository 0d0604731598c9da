"""Plain text to sentences, and the words of a sentence that each citation supports.

One regular expression finds every place where a sentence could end; a few look-ups
around each place decide, with abbreviations, initials and quotes in mind. No place is
visited twice, so the cost is linear. A line break always ends a sentence: `prose` puts
one between list items, headings and paragraphs. Pure.
"""

# ruff: noqa: RUF001  (full stops and quotes of other scripts are intended)

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from handlers.model import Span

# --- Sentences ---


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_ANYWHERE = "。！？｡\n"  # these need no space after them
# One set of characters can be searched for quickly. In a run of full stops only the
# last one is found, and none is found inside a number or an abbreviation.
_END = re.compile(
    r"[.!?…؟۔।॥。！？｡\n](?:(?<=[。！？｡\n])|(?![.!?…؟۔।॥\w,;:])(?! [a-z]))"
)
# Most sentences end like this, after a word that is not an abbreviation.
_PLAIN_END = re.compile(r"\. [A-Z]")
_LONGEST_DOUBTFUL = 6  # letters
_CLOSERS = re.compile(r"[\"'”’»›)\]」』）]*+")
_ROMAN = re.compile(r"[IVXLC]+")
_BLANK = " \n"
_LAST_WORD = 24  # characters searched backwards for the word before a full stop

# Words that a full stop follows inside a sentence.
_TITLES = _words(
    """mr mrs ms messrs dr prof rev hon gen col lt sgt capt cpt cmdr adm maj brig
    gov sen rep pres st ste mt ft fr mme mlle vs v cf e.g i.e eg ie viz ed eds ca c
    approx incl resp fl r b d née dept univ assn bros gr lit trans transl subsp ssp
    spp cv aka a.k.a n.b z.b d.h bzw geb gest u.a sra dra ud uds op
    bzgl ggf inkl evtl sog ehem jh jhd ee env núm pág aprox"""
)
# Abbreviations that end a sentence about as often as they do not.
_EITHER = _words(
    """inc ltd co corp jr sr etc al cit est ph.d b.sc m.sc esq sq ave blvd rd var sp
    llc gmbh"""
)
# Words, some of them common ones, that are abbreviations if a number follows.
_NUMBERED = _words(
    """no nos nr vol vols p pp pg art fig figs ch chap sec eq ref refs jan feb mar apr
    jun jul aug sep sept oct nov dec"""
)
_SHORTENED = _TITLES | _EITHER | _NUMBERED
# Words that begin a sentence far more often than a name.
_STARTERS = _words(
    """The A An In On At As By For From With Without After Before During Since
    Until While When Where Although Though Because If Unless However Moreover
    Furthermore Meanwhile Later Today Then There Here This That These Those It Its
    He She They We I You His Her Their Our My Who What Some Many Most Several
    Other Others Another Both Each All One Two Three First Second No Not And But
    Or So Yet To Under Over According Despite Due Following Among Between Such
    Through Upon Also Thus Therefore Hence Nevertheless Once Only Subsequently
    Der Die Das Ein Eine Er Sie Es Im Am Le La Les Un Une Il Elle El Los Las En
    Su"""
)
_NEVER_INSIDE = "؟۔।॥"
_OPENERS = "\"'“‘«‹([—–-¿¡ "
_ORDINAL_DIGITS = 2  # "am 3. März": a short number before a full stop may be an ordinal
# German: before a number with a full stop, which is an ordinal then ("im 2. Weltkrieg").
_BEFORE_ORDINALS = _words(
    """im am vom zum beim ins der die das dem den des ab bis seit und zur jeder jedes
    ihr ihre ihren ihrem sein seine seinen seinem"""
)
_SPACED_ABBREVIATION = re.compile(r"[^\W\d_]{1,3}\.")  # the second part of "z. B."
_SYLLABLE = 2  # letters in one part of an abbreviation such as "Ph.D"
_MONTHS = _words(
    """Januar Februar März April Mai Juni Juli August September Oktober November
    Dezember Jahrhundert"""
)


def split(text: str) -> tuple[Span, ...]:
    """Return the sentences of `text` in order, surrounding white space excluded.

    Together they cover everything except white space.
    """
    return tuple(Span(start, end) for start, end in edges(text))


def edges(text: str) -> list[tuple[int, int]]:
    """Return what `split` does as pairs, which are cheaper to make."""
    found: list[tuple[int, int]] = []
    start, length = 0, len(text)
    for match in _END.finditer(text):
        at = match.start()
        if at + 1 == length or (
            _PLAIN_END.match(text, at) and _is_plain_word(text, start, at)
        ):
            end = at + 1
        else:
            end = _end_of_sentence(text, at) or 0
        if end:
            _add(found, text, start, end)
            start = end
    if start < length:
        _add(found, text, start, length)
    return found


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add a range without the white space at its ends, unless it is empty."""
    while start < end and text[start] in _BLANK:
        start += 1
    while start < end and text[end - 1] in _BLANK:
        end -= 1
    if start < end:
        found.append((start, end))


def _is_plain_word(text: str, start: int, end: int) -> bool:
    """Return whether the word ending at `end` is not an abbreviation or initial."""
    word = text[text.rfind(" ", start, end) + 1 : end]
    if not word.isalnum() or len(word) <= _SYLLABLE:
        return False
    return len(word) > _LONGEST_DOUBTFUL or word.lower() not in _SHORTENED


def _end_of_sentence(text: str, at: int) -> int | None:
    """Return where a sentence ends that may end at `text[at]`, with closing quotes."""
    mark = text[at]
    if mark == "\n":
        return at + 1
    closers = _CLOSERS.match(text, at + 1)
    end = closers.end() if closers else at + 1
    if mark in _ANYWHERE:
        return end
    if text[end : end + 1] not in ("", " ", "\n"):
        return None
    following = text[end + 1 : end + _LAST_WORD].lstrip(_OPENERS)
    if not following or text[end] == "\n" or mark in _NEVER_INSIDE:
        return end
    if following[0].islower() or following[0] in ".,;:)]%":
        return None
    return end if mark != "." or _full_stop_ends(text, at, end, following) else None


def _full_stop_ends(text: str, at: int, end: int, following: str) -> bool:
    """Decide on a full stop that a capital, a digit or an uncased letter follows."""
    if text[at - 1 : at] == ".":  # an ellipsis
        return True
    word = _word_before(text, at)
    if end - at > 1:  # a quote or a bracket is closed, as in "(J.)"
        return not (len(word) == 1 and word.isupper())
    if _is_ordinal(text, at, word):
        return False
    return bool(word) and word != "." and _word_ends(word, following)


def _is_ordinal(text: str, at: int, word: str) -> bool:
    if not word.isdigit() or len(word) > _ORDINAL_DIGITS:
        return False
    return _word_before(text, at - len(word) - 1).lower() in _BEFORE_ORDINALS


def _word_before(text: str, end: int) -> str:
    before = text[max(0, end - _LAST_WORD) : end]
    if before.endswith(" ") and before.rstrip().endswith("."):
        return "."  # a spaced ellipsis
    return before.rsplit(" ", 1)[-1].rsplit("\n", 1)[-1].lstrip(_OPENERS)


def _word_ends(word: str, following: str) -> bool:
    lowered = word.lower()
    next_word = following.split(" ", 1)[0].rstrip(",.;:'’")
    if len(word) == 1 and word.isupper():
        return next_word in _STARTERS and next_word not in {"A", "I"}
    if lowered in _NUMBERED:
        return not (following[0].isdigit() or _ROMAN.fullmatch(next_word))
    if lowered in _TITLES:
        return False
    if lowered in _EITHER or _is_dotted(word):
        return next_word in _STARTERS
    if word.isdigit() and len(word) <= _ORDINAL_DIGITS:
        return next_word not in _MONTHS
    # "z. B.", "i. d. R."; a letter without case is an initial.
    is_shortened = not word.islower() or _SPACED_ABBREVIATION.match(following)
    return len(word) > 1 or not word.isalpha() or not is_shortened


def _is_dotted(word: str) -> bool:
    """Recognise U.S, Ph.D, a.m: short letter groups between full stops."""
    parts = word.split(".")
    return len(parts) > 1 and all(
        part.isalpha() and len(part) <= _SYLLABLE for part in parts
    )


# --- The words that each citation supports ---

_Edges = tuple[int, int]  # start and end of a sentence or line

_WORD = re.compile(r"\w")
_ENOUGH = re.compile(r"(?:\W*+\w[\w'’.-]*+){4}")  # shorter clauses are combined
_BEGINNING = re.compile(r"(?:\W*+\w[\w'’.-]*+){3}")  # enough at the start of a sentence
_ENOUGH_AT_START = re.compile(r"(?:\W*+\w[\w'’.-]*+){5}")  # nothing precedes it
_FRONT = " \n,;:.!?)]}–—-/&·"  # left over from the clause before
_BACK = " \n,;:–—(["  # not the end of a sentence
_MOST_BEFORE = 3  # sentences before the one with the mark
_CLOSING_SIGNS = "\"'”’»›)]」』"
FULL_STOPS = (".", "!", "?", "…", "。", "！", "？", "؟", "۔", "।")
"""What a sentence ends with."""
_FARTHEST_BACK = 4  # clauses; keeps the cost linear for a marker after each letter
_LONGEST_WHOLE_LINE = 400  # characters


# What stands before a mark may only open what the mark vouches for: "According to the
# survey,[1] the hall has 862 seats", "Holm wrote:[1] "It is small." It is small."
_OPENING_WORDS = _words(
    """about above according across after against along among around as at before
    behind below beneath beside besides between beyond by citing contrary despite due
    during following for from given in inside into like near of on opposite outside
    over owing per prior quoting regarding since through throughout to toward towards
    under unlike until upon via with within without
    laut nach gemäß zufolge selon d'après según"""
)
_SUBJECTS = _words("it he she they there we i you one who which that")
_FINITE = _words(
    """is are was were has have had does do did can could will would may might must
    shall should"""
)
# What may begin a main clause: a name, a number, or one of these words.
_MAY_BEGIN = _SUBJECTS | _words(
    """the a an this these that those his her its their our my your some many most
    several all both each every no another"""
) - {"who", "which", "that"}
_SAYS = _words(
    """wrote writes said says noted notes argued argues found finds stated states
    reported reports gave gives showed shows called calls described describes
    concluded concludes suggested suggests counted counts"""
)
_PRONOUNS = _words("it he she they there we i you")
_LONGEST_OPENING = 20  # words
_SHORTEST_REST = 3  # words of what follows it
_NAME_OR_NUMBER = re.compile(r"[A-ZÀ-Þ0-9£$€\"“«]")
_NOT_A_WORD = re.compile(r"[\s,;:–—(]*+")
_TOKEN = re.compile(r"\w[\w'’.-]*+")
_REST = 300  # characters of the rest of a sentence that are read
_BLANKS = re.compile(r"[ \n]*+")
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’"}
_LONGEST_INTRODUCED = 700  # characters


class Piece(NamedTuple):
    """Words supported, and by which marks (places in the list that was given).

    `start:end` are the words and `sentence_start:sentence_end` the sentence (or line)
    that contains them, both in the text.
    """

    start: int
    end: int
    sentence_start: int
    sentence_end: int
    marks: tuple[int, ...]
    before: int = 0  # how many sentences stand between the words and the mark


def pieces_of(
    text: str, offsets: Sequence[int], *, by_line: bool
) -> tuple[list[Piece], list[int]]:
    """Return what each mark supports, and the marks with no words before them.

    Args:
        text: plain text.
        offsets: the places of the marks in `text`, in order.
        by_line: the only mark of a line, at its end, supports the whole line and not
            just its last sentence: for lists, cells, captions.
    """
    groups = _groups(text, offsets)
    sentences = edges(text)
    if by_line:
        sentences = _lines_joined(text, sentences, [offsets[g[0]] for g in groups])
    pieces: list[Piece] = []
    orphans: list[int] = []
    by_sentence = _by_sentence(text, sentences, offsets, groups, orphans)
    for (start, end), members in by_sentence:
        if len(members) == 1 and _closes(text, offsets[members[0][-1]], end):
            pieces.append(Piece(start, end, start, end, members[0]))
        else:
            pieces.extend(_clauses(text, (start, end), offsets, members))
    return [_with_introduced(text, each, offsets) for each in pieces], orphans


def earlier_of(text: str, pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Yield the sentences between two marks, which the second one supports too.

    A footnote at the end of a paragraph is for all that was said since the one before.
    Not more than a few sentences back, not past a line break, and only what states
    something: a fragment, a label or a heading does not.
    """
    sentences = edges(text)
    taken = 0  # everything before has a mark of its own
    for piece in pieces:
        last = bisect_left(sentences, (piece.sentence_start,))
        after = piece.sentence_start
        for index in range(last - 1, max(last - 1 - _MOST_BEFORE, -1), -1):
            start, end = sentences[index]
            if start < taken or "\n" in text[end:after]:
                break
            after = start
            if _is_statement(text, start, end):
                yield Piece(start, end, start, end, piece.marks, last - index)
        taken = max(taken, piece.sentence_end)


def _is_statement(text: str, start: int, end: int) -> bool:
    return (
        text[start:end].rstrip(_CLOSING_SIGNS)[-1:] in FULL_STOPS
        and _ENOUGH.match(text, start, end) is not None
    )


def introduced(text: str, start: int) -> int | None:
    """Return where the words end that a colon before `start` introduces.

    That is a quotation with its sentence, else the rest of the sentence or, of what is
    set off from the text, its first paragraph. `None` without any words.
    """
    begin = _BLANKS.match(text, start).end()  # type: ignore[union-attr]  # always
    line_end = text.find("\n", begin)
    most = begin + _LONGEST_INTRODUCED
    is_cut = min(line_end, len(text)) > most if line_end >= 0 else len(text) > most
    window = text[begin : most if is_cut or line_end < 0 else line_end]
    ends = [end for _, end in edges(window)]
    if not ends or not _WORD.search(window):
        return None
    closing = _QUOTES.get(window[0])
    at = window.find(closing, 1) if closing else 0
    if at < 0 or (not closing and "\n" in text[start:begin]):
        at = ends[-2] - 1 if is_cut and len(ends) > 1 else ends[-1] - 1
    return begin + next(end for end in ends if end > at)


def _with_introduced(text: str, piece: Piece, offsets: Sequence[int]) -> Piece:
    """Extend words that end in a colon by what they introduce, unless it is cited.

    A line that ends in a comma introduces the next one: "as Holm wrote," and a
    quotation that is set off.
    """
    mark = offsets[piece.marks[-1]]
    after = max(piece.end, mark)
    last = text[piece.start : after].rstrip()[-1:]
    if text[after : after + 1] == ":":
        last = ":"
        after += 1
    is_apart = last == "," and "\n" in _BLANKS.match(text, after)[0]  # type: ignore[index]  # always
    if last != ":" and not is_apart:
        return piece
    end = introduced(text, after)
    if end is None or bisect_right(offsets, end) > bisect_right(offsets, mark):
        return piece
    return piece._replace(end=end, sentence_end=max(end, piece.sentence_end))


def _groups(text: str, offsets: Sequence[int]) -> list[tuple[int, ...]]:
    """Group marks that have no words between them."""
    firsts: list[int] = []  # of each group
    before = -1
    for mark, offset in enumerate(offsets):
        if offset != before and (not mark or _WORD.search(text, before, offset)):
            firsts.append(mark)
        before = offset
    afters = [*firsts[1:], len(offsets)]
    return [tuple(range(*ends)) for ends in zip(firsts, afters, strict=True)]


def _by_sentence(
    text: str,
    sentences: Sequence[_Edges],
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    orphans: list[int],
) -> Iterable[tuple[_Edges, list[tuple[int, ...]]]]:
    """Return each sentence that has groups, with them, and the marks without one."""
    found: dict[int, tuple[_Edges, list[tuple[int, ...]]]] = {}
    for group in groups:
        offset = offsets[group[0]]
        # A marker after the full stop still belongs to the sentence before it.
        index = bisect_left(sentences, (offset,)) - 1
        if index < 0 or not _WORD.search(text, sentences[index][0], offset):
            orphans.extend(group)
        elif index in found:
            found[index][1].append(group)
        else:
            found[index] = sentences[index], [group]
    return found.values()


def _lines_joined(
    text: str, sentences: Sequence[_Edges], offsets: Sequence[int]
) -> list[_Edges]:
    """Join the sentences of each line that a single group supports as a whole."""
    joined: list[_Edges] = []
    first = 0
    for index, sentence in enumerate(sentences):
        is_last = index + 1 == len(sentences)
        if not is_last and "\n" not in text[sentence[1] : sentences[index + 1][0]]:
            continue
        line = sentences[first][0], sentence[1]
        whole = _is_vouched_for_whole(text, line, offsets)
        joined.extend([line] if whole else sentences[first : index + 1])
        first = index + 1
    return joined


def _is_vouched_for_whole(text: str, line: _Edges, offsets: Sequence[int]) -> bool:
    inside = bisect_right(offsets, line[1]) - bisect_right(offsets, line[0])
    if inside != 1 or line[1] - line[0] > _LONGEST_WHOLE_LINE:
        return False
    offset = offsets[bisect_right(offsets, line[0])]
    return not _WORD.search(text, offset, line[1])


def _clauses(
    text: str,
    sentence: _Edges,
    offsets: Sequence[int],
    groups: Sequence[tuple[int, ...]],
) -> Iterator[Piece]:
    begins = [sentence[0]]
    for place, group in enumerate(groups):
        end = min(offsets[group[0]], sentence[1])
        if _closes(text, offsets[group[-1]], sentence[1]):
            end = sentence[1]  # the full stop and closing quote belong to it
        start = _readable_start(text, begins, end)
        if start == sentence[0]:
            rest = offsets[group[-1]], sentence[1]
            later = [offsets[each[0]] for each in groups[place + 1 : place + 3]]
            is_opening = _is_opening(text, (start, end), rest)
            if is_opening or not _BEGINNING.match(text, start, end):
                end = _readable_end(text, start, end, [*later, sentence[1]])
        words = _stripped(text, start, end, sentence)
        yield Piece(*words, *sentence, group)
        begins.append(min(offsets[group[-1]], sentence[1]))


def _closes(text: str, offset: int, end: int) -> bool:
    """Return whether there is no word between `offset` and the end of the sentence."""
    return offset >= end or _WORD.search(text, offset, end) is None


def _readable_start(text: str, begins: Sequence[int], end: int) -> int:
    """Go back past earlier marks until there are enough words."""
    near = begins[-_FARTHEST_BACK:]
    for start in reversed(near):
        if _ENOUGH.match(text, start, end):
            return start
    return near[0]


def _is_opening(text: str, words: _Edges, rest: _Edges) -> bool:
    """Return whether the words before a mark only open what follows it.

    They are an adverbial phrase before a main clause ("According to the survey,"), or a
    subject right before its verb ("The survey of 2019" and "was"). No such words have a
    verb of their own.
    """
    given = [found[0].lower() for found in _TOKEN.finditer(text, *words)]
    end = max(min(rest[1], rest[0] + _REST), rest[0])
    start = _NOT_A_WORD.match(text, rest[0], end).end()  # type: ignore[union-attr]  # always
    following = [found[0].lower() for found in _TOKEN.finditer(text, start, end)]
    if not 0 < len(given) <= _LONGEST_OPENING or len(following) < _SHORTEST_REST:
        return False
    is_phrase = _FINITE.isdisjoint(given) and _SUBJECTS.isdisjoint(given[1:-1])
    before = text[slice(*words)].rstrip(" \n")
    if before.count("(") > before.count(")"):  # the mark is for what is in brackets
        return False
    at_comma = before.endswith(",") or "," in text[rest[0] : start]
    if not at_comma and given[0] not in _OPENING_WORDS:
        says = following[0] in _FINITE or following[0] in _SAYS
        return says and is_phrase and given[0] not in _PRONOUNS
    has_comma = "," in before.rstrip(",")
    if following[0] not in _MAY_BEGIN and not _NAME_OR_NUMBER.match(text, start):
        return False
    if given[0] in _OPENING_WORDS:
        is_main = following[0] in _PRONOUNS or not _FINITE.isdisjoint(following)
        names_source = given[0] == "according" and not has_comma
        return names_source or (is_phrase and (is_main or not has_comma))
    is_participle = given[0].endswith(("ing", "ed"))
    return is_participle and is_phrase and following[0] in _PRONOUNS


def _readable_end(text: str, start: int, end: int, later: Sequence[int]) -> int:
    """Go on past later marks if the mark is near the start of the sentence."""
    for further in later:
        if _ENOUGH_AT_START.match(text, start, further):
            return further
    return max(end, later[-1])


def _stripped(text: str, start: int, end: int, sentence: _Edges) -> _Edges:
    while start < end and start > sentence[0] and text[start] in _FRONT:
        start += 1
    back = _BACK if end < sentence[1] else " \n"
    while end > start and text[end - 1] in back:
        end -= 1
    return start, end
