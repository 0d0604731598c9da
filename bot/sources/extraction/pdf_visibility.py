"""Tells which words of a PDF's page are not shown, from what the page draws.

pypdf calls `PageDrawing` for each operation of a page and of the forms in it. What the
text is drawn with, and what else is drawn where it stands, is remembered; when the page
has ended, `hidden` says which operations show nothing: in an invisible mode, in the
colour of what is beneath, too small, outside of the page or of a clip, under a box, or
on a layer that is off. Boxes are compared, not shapes, and what is not understood is
taken as shown. A second reading then leaves the hidden ones out.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pypdf import PageObject, PdfReader
from pypdf.errors import LimitReachedError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    TextStringObject,
)

from bot.sources.extraction.columns import Drawn, columns_of
from bot.sources.extraction.visibility import RGB, contrast

_LEAST_CONTRAST = 1.1
_LEAST_ALPHA = 0.05
_LEAST_SIZE = 1.0  # points
_NARROWEST = 2.0  # points; a line or a rule lies under no text
_CHAR_WIDTH = 0.5  # of the size, on average
_CHAR_HEIGHT = 0.7
_SCAN_SHARE = 0.5  # of the page; an image as large is the page
_MANY_SHAPES = 300  # a few lines of letters
_CELLS = 16  # in each direction, for finding what lies at a place
_MOST_COMPARISONS = 3_000_000  # about a second
_INVISIBLE, _CLIPPING = 3, 7  # text rendering modes
_FILLS = frozenset({0, 4})  # modes whose text has the fill colour alone
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_WHITE: RGB = (1.0, 1.0, 1.0)
_SHOWS = frozenset({b"Tj", b"TJ", b"'", b'"'})
_PAINTS = frozenset({b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"})
_ENDS_PATH = _PAINTS | {b"S", b"s", b"n"}
_MOVES = frozenset({b"BT", b"Td", b"TD", b"Tm", b"T*", b"'", b'"'})

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Box:
    """Parallel to the page's edges, in its points."""

    left: float
    bottom: float
    right: float
    top: float

    def holds(self, other: "Box") -> bool:
        """Return whether most of another box is inside."""
        wide, high = (other.right - other.left) / 4, (other.top - other.bottom) / 4
        return (
            self.left <= other.left + wide
            and self.right >= other.right - wide
            and self.bottom <= other.bottom + high
            and self.top >= other.top - high
        )

    def misses(self, other: "Box") -> bool:
        """Return whether nothing of another box is inside."""
        return (
            self.left >= other.right
            or self.right <= other.left
            or self.bottom >= other.top
            or self.top <= other.bottom
        )

    def common(self, other: "Box") -> "Box":
        """Return what two boxes share; it may be empty."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    @property
    def area(self) -> float:
        """In square points."""
        return max(self.right - self.left, 0) * max(self.top - self.bottom, 0)


@dataclass(frozen=True, slots=True)
class _Text:
    """A piece of text as it is drawn."""

    number: int  # among those that show text
    order: int  # among all that is drawn
    box: Box
    chars: int
    mode: int
    color: RGB | None


@dataclass(frozen=True, slots=True)
class _Paint:
    """What is drawn over a box; `color` is `None` where that is not one colour."""

    order: int
    box: Box
    color: RGB | None
    is_opaque: bool
    is_image: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """The graphics state, as far as it matters."""

    clip: Box
    mode: int = 0
    color: RGB | None = (0.0, 0.0, 0.0)
    alpha: float = 1.0
    blends: bool = False
    size: float = 0.0
    is_drawn_font: bool = False  # Type 3, with a scale of its own


@dataclass(slots=True)
class _Frame:
    """A page, or a form that is drawn on it."""

    resources: DictionaryObject
    matrix: Matrix
    state: _State
    is_off: bool
    saved: list[_State] = field(default_factory=list)
    marks: list[bool] = field(default_factory=list)  # whether each is off


class Layers:
    """Which layers of a document are off."""

    def __init__(self, reader: PdfReader) -> None:
        properties = _dictionary(reader.trailer.get("/Root")).get("/OCProperties")
        settings = _dictionary(_dictionary(properties).get("/D"))
        self._on = _numbers(settings.get("/ON"))
        self._off = _numbers(settings.get("/OFF"))
        self._base_is_off = settings.get("/BaseState") == "/OFF"

    def is_off(self, layer: object) -> bool:
        """Return whether what belongs to a layer, or to several, is not shown."""
        members = _dictionary(layer).get("/OCGs")
        if members is None:
            return isinstance(layer, IndirectObject) and self._of(layer.idnum)
        numbers = (
            {members.idnum}
            if isinstance(members, IndirectObject)
            else _numbers(members)
        )
        if isinstance(_resolved(members), ArrayObject):
            numbers = _numbers(members)
        return bool(numbers) and all(map(self._of, numbers))

    def _of(self, number: int) -> bool:
        if number in self._off:
            return True
        return self._base_is_off and number not in self._on


class PageDrawing:
    """Watches one page being read; with `hidden`, it takes these texts out."""

    def __init__(
        self, page: PageObject, layers: Layers, hidden: frozenset[int] = frozenset()
    ) -> None:
        self._layers = layers
        self._left_out = hidden
        crop, media = _box(page.cropbox), _box(page.mediabox)
        self._page = crop.common(media)
        resources = _dictionary(page.get("/Resources"))
        state = _State(self._page)
        self._frames = [_Frame(resources, _SAME, state, is_off=False)]
        self._texts: list[_Text] = []
        self._gone: set[int] = set()
        self._paints: list[_Paint] = []
        self._path: list[Box] = []
        self._is_rectangles = True
        self._clips = False
        self._number = self._order = 0
        self._advance = 0.0
        self._is_plain_space = True
        # Of each form or image that is being drawn: when it began, the box of a form,
        # and how many frames are around it.
        self._visited: list[tuple[int, Box | None, int]] = []
        self.hidden_chars = 0
        self.is_recognised = False

    # --- what pypdf calls ---

    def before(self, operator: bytes, operands: Any, cm: Any, tm: Any) -> None:
        """Take note of an operation."""
        self._order += 1
        with suppress(*_MALFORMED):  # pypdf skips it, too
            self._note(operator, operands, cm, tm)

    def after(self, operator: bytes, *_: Any) -> None:
        """Leave a form."""
        if operator == b"Do" and self._visited:
            began, box, depth = self._visited.pop()
            del self._frames[depth:]
            if box is not None and began == self._order:  # nothing in it was read
                self._paint(box, None, is_opaque=False)

    def hidden(self) -> frozenset[int]:
        """Return the numbers of the texts that are not shown; call it at the end."""
        cells = self._cells()
        left = _MOST_COMPARISONS
        for text in self._texts:
            found = cells.get(self._cell(*_middle(text.box)), ())
            left -= len(found)
            if left < 0:
                raise LimitReachedError("too many boxes to tell what they cover")
            if not self._is_seen(text, found):
                self._gone.add(text.number)
                self.hidden_chars += text.chars
        return frozenset(self._gone)

    def columns(self) -> tuple[frozenset[int], ...]:
        """Return the numbers of the texts in each column, if drawn across them."""
        return columns_of(
            [
                Drawn(one.number, one.box.left, one.box.bottom, one.chars)
                for one in self._texts
            ]
        )

    @property
    def is_picture(self) -> bool:
        """Whether most of the page is under pictures, or it is drawn line by line.

        The strips of a scan add up. Some programs draw each letter as a shape.
        """
        images = (one for one in self._paints if one.is_image)
        covered = sum(one.box.common(self._page).area for one in images)
        is_drawn = len(self._paints) >= _MANY_SHAPES
        return is_drawn or covered >= _SCAN_SHARE * self._page.area

    def _is_seen(self, text: _Text, paints: Sequence[_Paint]) -> bool:
        over = [one for one in paints if one.box.holds(text.box)]
        if text.mode in (_INVISIBLE, _CLIPPING):
            is_read = any(one.is_image for one in over)
            self.is_recognised |= is_read
            return is_read
        for one in over:
            if one.order > text.order and one.is_opaque:
                if not one.is_image or one.box.area < _SCAN_SHARE * self._page.area:
                    return False
                self.is_recognised = True
                return True
        beneath = [one for one in over if one.order < text.order]
        ground = max(beneath, key=lambda one: one.order).color if beneath else _WHITE
        if text.color is None or ground is None:
            return True
        return contrast(text.color, ground) >= _LEAST_CONTRAST

    # --- the operations ---

    def _note(self, operator: bytes, operands: Any, cm: Any, tm: Any) -> None:
        frame = self._frames[-1]
        if operator in _MOVES:
            self._advance = 0.0
        if operator in _SHOWS:
            self._show(operator, operands, cm, tm)
        elif operator in (b"q", b"Q", b"BDC", b"BMC", b"EMC"):
            self._nest(operator, operands)
        elif operator == b"Do":
            self._draw(operands, cm)
        elif operator == b"INLINE IMAGE":
            self._paint(self._on_page(_UNIT, cm), None, is_opaque=True, is_image=True)
        elif operator == b"sh":
            self._paint(frame.state.clip, None, is_opaque=False)
        elif operator in _SETS:
            frame.state = _SETS[operator](self, operands)
        else:
            self._trace(operator, operands, cm)

    def _nest(self, operator: bytes, operands: Any) -> None:
        frame = self._frames[-1]
        if operator == b"q":
            frame.saved.append(frame.state)
        elif operator == b"Q" and frame.saved:
            frame.state = frame.saved.pop()
        elif operator in (b"BDC", b"BMC"):
            frame.marks.append(False)
            frame.marks[-1] = self._is_off(operator, operands)
        elif operator == b"EMC" and frame.marks:
            frame.marks.pop()

    def _show(self, operator: bytes, operands: Any, cm: Any, tm: Any) -> None:
        number, self._number = self._number, self._number + 1
        if number in self._left_out:
            if operator == b'"':
                operands[2] = TextStringObject("")
            else:
                operands.clear()
            return
        frame, chars = self._frames[-1], _count(operands[-1])
        state = frame.state
        matrix = _times(_times(tuple(tm), tuple(cm)), frame.matrix)
        height = state.size * abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) ** 0.5
        end = self._advance + chars * _CHAR_WIDTH * abs(state.size)
        box = _moved(
            Box(self._advance, 0.0, end, _CHAR_HEIGHT * abs(state.size)), matrix
        )
        self._advance = end
        if (
            frame.is_off
            or any(frame.marks)
            or state.alpha <= _LEAST_ALPHA
            or (abs(height) < _LEAST_SIZE and not state.is_drawn_font)
            or self._page.misses(box)
            or state.clip.misses(box)
        ):
            self._gone.add(number)
            self.hidden_chars += chars
            return
        color = state.color if state.mode in _FILLS else None
        self._texts.append(_Text(number, self._order, box, chars, state.mode, color))

    def _draw(self, operands: Any, cm: Any) -> None:
        frame = self._frames[-1]
        depth = len(self._frames)
        self._visited.append((-1, None, depth))  # whatever follows, `after` takes it
        drawn = _dictionary(
            _dictionary(frame.resources.get("/XObject")).get(operands[0])
        )
        is_off = frame.is_off or any(frame.marks)
        is_off |= "/OC" in drawn and self._layers.is_off(drawn.raw_get("/OC"))
        if drawn.get("/Subtype") == "/Form":
            own = tuple(map(float, _resolved(drawn.get("/Matrix", _SAME))))
            matrix = _times(_times(own, tuple(cm)), frame.matrix)
            box = _moved(_box(_resolved(drawn["/BBox"])), matrix)
            inside = replace(frame.state, clip=frame.state.clip.common(box))
            resources = _dictionary(drawn.get("/Resources")) or frame.resources
            self._frames.append(_Frame(resources, matrix, inside, is_off))
            box_if_empty = None if is_off else inside.clip
            self._visited[-1] = (self._order, box_if_empty, depth)
        elif drawn.get("/Subtype") == "/Image" and not is_off:
            masks = ("/SMask", "/Mask")
            opaque = not any(name in drawn for name in masks)
            opaque &= not drawn.get("/ImageMask", False)
            self._paint(
                self._on_page(_UNIT, cm), None, is_opaque=bool(opaque), is_image=True
            )

    def _trace(self, operator: bytes, operands: Any, cm: Any) -> None:
        """Take note of a part of a path, or of its end."""
        if operator == b"re":
            left, bottom, width, height = (float(one) for one in operands[:4])
            corner = left + width, bottom + height
            box = Box(
                min(left, corner[0]),
                min(bottom, corner[1]),
                max(left, corner[0]),
                max(bottom, corner[1]),
            )
            self._path.append(self._on_page(box, cm))
            self._is_rectangles &= cm[1] == cm[2] == 0
        elif operator in (b"m", b"l", b"c", b"v", b"y"):
            numbers = [float(one) for one in operands]
            for x, y in zip(numbers[::2], numbers[1::2], strict=False):
                self._path.append(self._on_page(Box(x, y, x, y), cm))
            self._is_rectangles = False
        elif operator in (b"W", b"W*"):
            self._clips = True
        elif operator in _ENDS_PATH:
            self._end_path(operator)

    def _end_path(self, operator: bytes) -> None:
        frame = self._frames[-1]
        path, self._path = self._path, []
        boxes = path if self._is_rectangles else [_around(path)] if path else []
        if operator in _PAINTS:
            state = frame.state
            is_plain = state.color is not None and state.alpha == 1 and not state.blends
            is_box = is_plain and self._is_rectangles
            for box in boxes:
                self._paint(box, state.color if is_box else None, is_opaque=is_box)
        if self._clips and path:
            frame.state = replace(
                frame.state, clip=frame.state.clip.common(_around(path))
            )
        self._clips, self._is_rectangles = False, True

    def _paint(
        self,
        box: Box,
        color: RGB | None,
        *,
        is_opaque: bool,
        is_image: bool = False,
    ) -> None:
        frame = self._frames[-1]
        if frame.is_off or any(frame.marks):
            return
        box = box.common(frame.state.clip)
        if box.right - box.left > _NARROWEST and box.top - box.bottom > _NARROWEST:
            self._paints.append(_Paint(self._order, box, color, is_opaque, is_image))

    def _on_page(self, box: Box, cm: Any) -> Box:
        return _moved(box, _times(tuple(cm), self._frames[-1].matrix))

    def _is_off(self, operator: bytes, operands: Any) -> bool:
        if operator == b"BMC" or operands[0] != "/OC":
            return False
        properties = _dictionary(self._frames[-1].resources.get("/Properties"))
        return operands[1] in properties and self._layers.is_off(
            properties.raw_get(operands[1])
        )

    # --- the graphics state ---

    def _set_mode(self, operands: Any) -> _State:
        return replace(self._frames[-1].state, mode=int(operands[0]))

    def _set_font(self, operands: Any) -> _State:
        fonts = _dictionary(self._frames[-1].resources.get("/Font"))
        kind = _dictionary(fonts.get(operands[0])).get("/Subtype")
        return replace(
            self._frames[-1].state,
            size=float(operands[1]),
            is_drawn_font=kind == "/Type3",
        )

    def _set_gray(self, operands: Any) -> _State:
        return self._with_color(_rgb(operands[:1]))

    def _set_rgb(self, operands: Any) -> _State:
        return self._with_color(_rgb(operands[:3]))

    def _set_cmyk(self, operands: Any) -> _State:
        return self._with_color(_rgb(operands[:4]))

    def _set_space(self, operands: Any) -> _State:
        spaces = _dictionary(self._frames[-1].resources.get("/ColorSpace"))
        space = _resolved(spaces.get(operands[0], operands[0]))
        kind = space[0] if isinstance(space, ArrayObject) else space
        self._is_plain_space = kind in _PLAIN_SPACES
        return self._with_color((0.0, 0.0, 0.0) if self._is_plain_space else None)

    def _set_color(self, operands: Any) -> _State:
        return self._with_color(_rgb(operands) if self._is_plain_space else None)

    def _with_color(self, color: RGB | None) -> _State:
        return replace(self._frames[-1].state, color=color)

    def _set_extended(self, operands: Any) -> _State:
        state = self._frames[-1].state
        states = _dictionary(self._frames[-1].resources.get("/ExtGState"))
        given: Any = _dictionary(states.get(operands[0]))
        if "/ca" in given:
            state = replace(state, alpha=float(given["/ca"]))
        if "/BM" in given:
            state = replace(
                state, blends=given["/BM"] not in ("/Normal", "/Compatible")
            )
        if "/Font" in given:
            state = replace(state, size=float(given["/Font"][1]), is_drawn_font=True)
        return state

    # --- what lies where ---

    def _cells(self) -> dict[tuple[int, int], list[_Paint]]:
        cells: dict[tuple[int, int], list[_Paint]] = defaultdict(list)
        if not self._texts:
            return cells
        for one in self._paints:
            left, bottom = self._cell(one.box.left, one.box.bottom)
            right, top = self._cell(one.box.right, one.box.top)
            for across in range(left, right + 1):
                for up in range(bottom, top + 1):
                    cells[across, up].append(one)
        return cells

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        page = self._page
        return (
            _part(x - page.left, page.right - page.left),
            _part(y - page.bottom, page.top - page.bottom),
        )


_SETS = {
    b"Tr": PageDrawing._set_mode,
    b"Tf": PageDrawing._set_font,
    b"g": PageDrawing._set_gray,
    b"rg": PageDrawing._set_rgb,
    b"k": PageDrawing._set_cmyk,
    b"cs": PageDrawing._set_space,
    b"sc": PageDrawing._set_color,
    b"scn": PageDrawing._set_color,
    b"gs": PageDrawing._set_extended,
}
_PLAIN_SPACES = frozenset(
    {"/DeviceGray", "/DeviceRGB", "/DeviceCMYK", "/CalGray", "/CalRGB", "/ICCBased"}
    | {"/G", "/RGB", "/CMYK"}
)
_UNIT = Box(0.0, 0.0, 1.0, 1.0)


def _part(length: float, whole: float) -> int:
    if whole <= 0:
        return 0
    return min(max(int(length / whole * _CELLS), 0), _CELLS - 1)


def _middle(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.bottom + box.top) / 2


def _rgb(operands: Any) -> RGB | None:
    """Return the colour with these components: grey, RGB or CMYK."""
    parts = [min(max(float(one), 0.0), 1.0) for one in operands]
    match parts:
        case [gray]:
            return gray, gray, gray
        case [red, green, blue]:
            return red, green, blue
        case [cyan, magenta, yellow, black]:
            return (
                (1 - cyan) * (1 - black),
                (1 - magenta) * (1 - black),
                (1 - yellow) * (1 - black),
            )
    return None


def _times(first: Any, then: Any) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (
        a * p + b * r,
        a * q + b * s,
        c * p + d * r,
        c * q + d * s,
        e * p + f * r + t,
        e * q + f * s + u,
    )


def _moved(box: Box, by: Matrix) -> Box:
    a, b, c, d, e, f = by
    corners = (
        (x * a + y * c + e, x * b + y * d + f)
        for x in (box.left, box.right)
        for y in (box.bottom, box.top)
    )
    xs, ys = zip(*corners, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _around(boxes: Sequence[Box]) -> Box:
    return Box(
        min(one.left for one in boxes),
        min(one.bottom for one in boxes),
        max(one.right for one in boxes),
        max(one.top for one in boxes),
    )


def _box(corners: Any) -> Box:
    left, bottom, right, top = (float(one) for one in corners)
    return Box(min(left, right), min(bottom, top), max(left, right), max(bottom, top))


def _count(shown: Any) -> int:
    """Return about how many characters an operation shows."""
    parts = shown if isinstance(shown, ArrayObject) else [shown]
    return sum(len(one) for one in parts if isinstance(one, (str, bytes)))


def _resolved(value: Any) -> Any:
    return value.get_object() if isinstance(value, IndirectObject) else value


def _dictionary(value: Any) -> DictionaryObject:
    found = _resolved(value)
    return found if isinstance(found, DictionaryObject) else DictionaryObject()


def _numbers(layers: Any) -> frozenset[int]:
    found = _resolved(layers)
    members: Iterator[Any] = iter(found if isinstance(found, ArrayObject) else ())
    return frozenset(one.idnum for one in members if isinstance(one, IndirectObject))
