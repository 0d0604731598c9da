"""Takes out of a web page what it does not show; the one adapter of tinycss2, cssselect2.

A page can hold words that no reader sees, and a claim must not be confirmed by them. So
elements are judged as a browser would without scripts: by their attributes, their
inline styles and the page's own `<style>` rules, on a large and on a small screen; what
either shows is shown. Style sheets of other addresses are not fetched.

A real page must not lose its text: what a control that is shown can open (a tab, an
accordion) stays, and `html` and `body` are never hidden, since pages do that until
their scripts have run. The work is counted and bounded: rules times elements is what a
hostile page would choose. Runs in a child process.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cssselect2
import tinycss2
from lxml import etree
from tinycss2.color4 import parse_color

_MOST_WORK = 3_000_000  # tests of a selector on an element; some three seconds
# As many tests take as long as parsing a character of a style, compiling a selector,
# and making an element ready.
_PARSING, _COMPILING, _WRAPPING = 1, 100, 5
_SIBLINGS = 20  # that are looked through as fast as one test is made
_ATTRIBUTE_CHARS = 500  # that are searched as fast as one test is made
_LONGEST_SELECTOR = 60  # tokens
_DEEPEST_RULE = 8

RGB = tuple[float, float, float]
_WHITE: Final[RGB] = (1.0, 1.0, 1.0)
_BLACK: Final[RGB] = (0.0, 0.0, 0.0)
_LEAST_CONTRAST = 1.1  # as WCAG counts it; text of 1.2 can still be made out
_LEAST_OPACITY = 0.05
_LEAST_FONT_PX = 1.5
_FAR_PX = 900  # past an edge, more than any text is wide or high
_BEYOND_PX = 9_000
_NO_SIZE_PX = 1
_HALF = 50  # per cent; two such insets leave nothing


class StylesTooLargeError(Exception):
    """What the page shows cannot be told with bounded work."""


@dataclass(slots=True)
class _Work:
    left: int = _MOST_WORK

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise StylesTooLargeError


# --- declarations ---

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
_PX = {
    "px": 1.0,
    "pt": 4 / 3,
    "pc": 16.0,
    "in": 96.0,
    "cm": 37.8,
    "mm": 3.78,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "vw": 12.8,
    "vh": 8.0,
    "%": 12.8,
    "": 1.0,
}
_LENGTHS = frozenset(
    [
        "left",
        "top",
        "right",
        "bottom",
        "margin-left",
        "margin-top",
        "text-indent",
        "width",
        "height",
        "max-width",
        "max-height",
    ]
)
_WORDS = frozenset(
    [
        "display",
        "visibility",
        "content-visibility",
        "position",
        "overflow",
        "overflow-x",
        "overflow-y",
        "background-clip",
        "-webkit-background-clip",
        "text-shadow",
    ]
)
_READ = (
    _LENGTHS
    | _WORDS
    | frozenset(
        [
            "opacity",
            "font",
            "font-size",
            "color",
            "-webkit-text-fill-color",
            "background",
            "background-color",
            "background-image",
            "clip",
            "clip-path",
            "transform",
            "scale",
            "text-decoration",
            "text-decoration-line",
        ]
    )
)
_Value = str | float | RGB | None


@dataclass(frozen=True, slots=True)
class _Declared:
    """The value of one property; of two, the one with the greater `weight` holds."""

    name: str
    value: Any
    is_important: bool


def _declarations(nodes: Sequence[Any]) -> Iterator[_Declared]:
    for node in nodes:
        if node.type == "declaration" and node.lower_name in _READ:
            yield from _read_declaration(node)


def _read_declaration(node: Any) -> Iterator[_Declared]:
    name, important = node.lower_name, node.important
    tokens = [one for one in node.value if one.type not in ("whitespace", "comment")]
    text = tinycss2.serialize(node.value).strip().lower()

    def one(name: str, value: object) -> _Declared:
        return _Declared(name, value, important)

    if name in _WORDS:
        yield one(name.removeprefix("-webkit-"), text)
    elif name in _LENGTHS:
        yield one(name, _length(tokens[0]) if len(tokens) == 1 else None)
    elif name in ("font", "font-size"):
        sizes = [found for token in tokens if (found := _font_size(token)) is not None]
        if sizes:
            yield one("font-size", sizes[0])
    elif name in ("color", "-webkit-text-fill-color"):
        yield one(name, _color(tokens[0]) if len(tokens) == 1 else None)
    elif name in ("background", "background-color", "background-image"):
        yield one("background", _background(name, tokens, text))
    elif name == "opacity":
        value = _number(tokens[0]) if tokens else None
        if value is not None:
            yield one(name, value)
    elif name in ("text-decoration", "text-decoration-line"):
        yield one("text-decoration", text)
    else:
        yield one(name, text)


def _number(token: Any) -> float | None:
    if token.type == "percentage":
        return float(token.value) / 100
    return float(token.value) if token.type == "number" else None


def _length(token: Any) -> float | None:
    """Return a length in pixels, on a screen of ordinary size."""
    if token.type == "percentage":
        return float(token.value) * _PX["%"]
    if token.type == "dimension" and token.lower_unit in _PX:
        return float(token.value) * _PX[token.lower_unit]
    return float(token.value) if token.type == "number" else None


def _font_size(token: Any) -> tuple[str, float] | None:
    if token.type == "percentage":
        return "times", float(token.value) / 100
    if token.type == "dimension" and token.lower_unit == "em":
        return "times", float(token.value)
    if token.type == "dimension" and token.lower_unit in _PX:
        return "px", float(token.value) * _PX[token.lower_unit]
    if token.type == "number" and token.value == 0:
        return "px", 0.0
    return None


@dataclass(frozen=True, slots=True)
class _Paint:
    """A colour; `rgb` is `None` if it is not known."""

    rgb: RGB | None
    alpha: float = 1.0


_UNKNOWN = _Paint(None)


def _color(token: Any) -> _Paint | None:
    """Return a colour; `None` where it stays that of the parent."""
    if token.type == "ident" and token.lower_value in ("inherit", "currentcolor"):
        return None
    try:
        found = parse_color(token)
        if found is None or isinstance(found, str):
            return _UNKNOWN
        found = found.to("srgb")
        red, green, blue = (
            min(max(float(part or 0), 0.0), 1.0) for part in found.coordinates[:3]
        )
        return _Paint((red, green, blue), float(found.alpha))
    except (NotImplementedError, TypeError, ValueError, AttributeError):
        return _UNKNOWN


def _background(name: str, tokens: Sequence[Any], text: str) -> _Paint | None:
    """Return what is painted; `None` where nothing is."""
    if text in ("none", "transparent", "initial", "unset", "inherit", "0", "0 0"):
        return None
    if name == "background-image" or any(
        token.type in ("url", "function") and token.type != "hash"
        for token in tokens
        if not (token.type == "function" and token.lower_name in _COLOUR_FUNCTIONS)
    ):
        return _UNKNOWN  # an image or a gradient
    paints = [
        paint
        for token in tokens
        if token.type in ("ident", "hash", "function")
        and (paint := _color(token)) is not None
        and paint.rgb is not None
    ]
    if not paints:
        return _UNKNOWN
    paint = paints[0]
    if paint.alpha <= _LEAST_OPACITY:
        return None
    return paint if paint.alpha == 1 else _UNKNOWN


_COLOUR_FUNCTIONS = frozenset(
    ["rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color"]
)


# --- rules ---


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a rule declares, and on which of the screens."""

    declared: tuple[_Declared, ...]
    screens: tuple[bool, ...]
    is_layered: bool


@dataclass(frozen=True, slots=True)
class _Around:
    """The at-rules and rules around a rule."""

    screens: tuple[bool, ...] = (True, True)
    is_layered: bool = False
    parent: str | None = None  # the selector of the rule around it
    depth: int = 0


_SCREENS = ((1280, 800), (390, 844))  # pixels: width, height
_FEATURE = re.compile(
    r"(min-|max-)?(width|height)\s*(:|>=|<=|>|<)\s*([\d.]+)\s*(?:(px|r?em)\s*)?$"
)
_TRUE_FEATURES = re.compile(
    r"(?:prefers-color-scheme\s*:\s*light|prefers-reduced-motion\s*:\s*no-preference"
    r"|(?:any-)?hover(?:\s*:\s*hover)?|(?:any-)?pointer(?:\s*:\s*fine)?|color"
    r"|scripting\s*:\s*enabled)$"
)


def _screens(query: str) -> tuple[bool, ...]:
    """Return on which screens a list of media queries holds."""
    lists = [one.strip() for one in query.lower().split(",")]
    return tuple(
        any(_holds(one, size) for one in lists) if query.strip() else True
        for size in _SCREENS
    )


def _holds(query: str, size: tuple[int, int]) -> bool:
    is_negated = query.startswith("not ")
    parts = query.removeprefix("not ").removeprefix("only ").split(" and ")
    return is_negated != all(_part_holds(one.strip(), size) for one in parts)


def _part_holds(part: str, size: tuple[int, int]) -> bool:
    if not part.startswith("("):
        return part in ("all", "screen")
    feature = part.strip("() \t\n")
    found = _FEATURE.match(feature)
    if not found:
        return _TRUE_FEATURES.match(feature) is not None
    bound, side, operator, number, unit = found.groups()
    try:
        limit = float(number) * (16 if unit in ("em", "rem") else 1)
    except ValueError:
        return False
    actual = size[0 if side == "width" else 1]
    if bound == "min-" or operator in (">=", ">"):
        return actual >= limit
    if bound == "max-" or operator in ("<=", "<"):
        return actual <= limit
    return actual == limit


class _Matcher(cssselect2.Matcher):
    """Counts the tests that it makes."""

    def __init__(self, work: _Work) -> None:
        super().__init__()
        self._work = work

    def match(self, element: "_Element") -> list[tuple[Any, int, Any, _Rule]]:
        chars = sum(map(len, element.etree_element.attrib.values()))
        self._work.spend(chars // _ATTRIBUTE_CHARS)
        found: list[tuple[Any, int, Any, _Rule]] = super().match(element)
        return found

    def add_relevant_selectors(
        self, element: "_Element", selectors: Sequence[Any], relevant_selectors: Any
    ) -> None:
        if selectors:
            chars = sum(map(len, element.etree_element.attrib.values()))
            self._work.spend(len(selectors) * (1 + chars // _ATTRIBUTE_CHARS))
        super().add_relevant_selectors(element, selectors, relevant_selectors)


class _Element(cssselect2.ElementWrapper):
    """Counts the elements around it that a selector looks at."""

    work: _Work  # of the page; a subclass for each has its own

    @property
    def ancestors(self) -> Iterator["_Element"]:
        at = self.parent
        while at is not None:
            self.work.spend(1)
            yield at
            at = at.parent

    @property
    def previous_siblings(self) -> Iterator["_Element"]:
        at = self.previous
        while at is not None:
            self.work.spend(1)
            yield at
            at = at.previous

    def iter_children(self) -> Iterator["_Element"]:
        for child in super().iter_children():
            self.work.spend(_WRAPPING)
            yield child


def _rules(tree: etree._Element, work: _Work) -> _Matcher | None:
    """Return the page's own rules; `None` if it has none that matter."""
    matcher = _Matcher(work)
    for style in tree.iter("style"):
        css = style.text or ""
        work.spend(len(css) * _PARSING)
        if any(one.tag == "noscript" for one in style.iterancestors()):
            continue
        around = _Around(_screens(style.get("media") or ""))
        nodes = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        _add_rules(nodes, around, matcher, work)
    return matcher if matcher.order else None


def _add_rules(
    nodes: Sequence[Any], around: _Around, matcher: _Matcher, work: _Work
) -> None:
    if around.depth > _DEEPEST_RULE:
        return
    for node in nodes:
        if node.type == "qualified-rule":
            _add_rule(node, around, matcher, work)
        elif node.type == "at-rule" and node.content is not None:
            inner = _inside(node, around)
            if inner is not None:
                contents = tinycss2.parse_blocks_contents(
                    node.content, skip_comments=True, skip_whitespace=True
                )
                if around.parent is not None:
                    _add_declarations(
                        around.parent, _declarations(contents), inner, matcher, work
                    )
                _add_rules(contents, inner, matcher, work)


def _inside(rule: Any, around: _Around) -> _Around | None:
    """Return what holds inside of an at-rule; `None` if nothing there is read."""
    query = tinycss2.serialize(rule.prelude).strip()
    deeper = replace(around, depth=around.depth + 1)
    if rule.lower_at_keyword == "media":
        both = zip(around.screens, _screens(query), strict=True)
        return replace(deeper, screens=tuple(one and two for one, two in both))
    if rule.lower_at_keyword == "supports":
        return None if query.lower().startswith("not") else deeper
    if rule.lower_at_keyword == "layer":
        return replace(deeper, is_layered=True)
    return None


def _add_rule(rule: Any, around: _Around, matcher: _Matcher, work: _Work) -> None:
    if not any(around.screens):
        return
    contents = tinycss2.parse_blocks_contents(
        rule.content, skip_comments=True, skip_whitespace=True
    )
    declared = tuple(_declarations(contents))
    nested = [one for one in contents if one.type in ("qualified-rule", "at-rule")]
    if not declared and not nested:
        return
    selector = _unnested(tinycss2.serialize(rule.prelude).strip(), around.parent)
    _add_declarations(selector, iter(declared), around, matcher, work)
    if nested:
        inner = replace(around, parent=selector, depth=around.depth + 1)
        _add_rules(nested, inner, matcher, work)


def _unnested(selector: str, parent: str | None) -> str:
    if parent is None:
        return selector
    if "&" in selector:
        return selector.replace("&", f":is({parent})")
    return f":is({parent}) {selector}"


def _add_declarations(
    selector: str,
    declared: Iterator[_Declared],
    around: _Around,
    matcher: _Matcher,
    work: _Work,
) -> None:
    rule = _Rule(tuple(declared), around.screens, around.is_layered)
    if not rule.declared:
        return
    work.spend(len(selector) // 10)
    tokens = tinycss2.parse_component_value_list(selector, skip_comments=True)
    if _longest(tokens) > _LONGEST_SELECTOR:
        return
    try:
        compiled = cssselect2.compile_selector_list(tokens)
    except (
        cssselect2.SelectorError,
        NotImplementedError,
        MemoryError,
        RecursionError,
        SyntaxError,
    ):
        return  # as a browser, which drops what it does not know
    looks_aside = "-of-type" in selector or ":nth-last" in selector
    for one in compiled:
        work.spend(_COMPILING)
        if one.pseudo_element is None:
            if looks_aside:
                one.test = _counted(one.test, work)
            matcher.add_selector(one, rule)


def _longest(tokens: Sequence[Any]) -> int:
    """Return the tokens of the longest selector of a list."""
    longest = length = 0
    stack = [iter(tokens)]
    while stack:
        token = next(stack[-1], None)
        if token is None:
            stack.pop()
            continue
        length += 1
        if len(stack) == 1 and token.type == "literal" and token.value == ",":
            length = 0
        longest = max(longest, length)
        inner = getattr(token, "arguments", None) or getattr(token, "content", None)
        if inner:
            stack.append(iter(inner))
    return longest


def _counted(test: Any, work: _Work) -> Any:
    def counted(element: _Element) -> bool:
        work.spend(len(element.etree_siblings) // _SIBLINGS)
        return bool(test(element))

    return counted


# --- what an element shows ---


@dataclass(frozen=True, slots=True)
class _Look:
    """How the text of an element looks on one screen; children inherit it.

    `is_sure` says whether `background` is what the page declares, or what a browser
    paints where it declares nothing.
    """

    is_gone: bool = False
    is_invisible: bool = False
    font_px: float = 16.0
    color: _Paint = _Paint(_BLACK)
    background: _Paint = _Paint(_WHITE)
    is_sure: bool = True


_PHRASES = frozenset(
    [
        "span",
        "font",
        "b",
        "i",
        "em",
        "strong",
        "small",
        "big",
        "u",
        "sub",
        "sup",
        "code",
        "mark",
    ]
)
_NEVER_SHOWN = frozenset({"template", "noframes"})
_STRUCK = frozenset({"del", "s", "strike"})
# Browsers draw these by themselves, and scripts and metadata have no text that is read.
_KEPT_WHOLE = frozenset(
    ["head", "script", "style", "title", "meta", "link", "noscript", "svg", "math"]
)
_ROOTS = frozenset({"html", "body"})
_CONTROLS = ("aria-controls", "data-target", "data-bs-target", "popovertarget")
Cascade = Mapping[str, Any]


def _cascade(
    element: etree._Element,
    matched: Sequence[tuple[Any, int, Any, _Rule]],
    inline: Sequence[_Declared],
    screen: int,
) -> dict[str, Any]:
    """Return the value that holds for each property."""
    weights: dict[str, tuple[bool, bool, bool, int]] = {}
    values: dict[str, Any] = _by_attributes(element)

    def declare(one: _Declared, weight: tuple[bool, bool, bool, int]) -> None:
        if one.name not in weights or weights[one.name] <= weight:
            weights[one.name] = weight
            values[one.name] = one.value

    for order, (_, _, _, rule) in enumerate(matched):
        if rule.screens[screen]:
            for one in rule.declared:
                # An important declaration of a layer is stronger than one of none.
                strong = rule.is_layered == one.is_important
                declare(one, (one.is_important, False, strong, order))
    for one in inline:
        declare(one, (one.is_important, True, True, 0))
    return values


def _by_attributes(element: etree._Element) -> dict[str, Any]:
    """Return what the browser's own style sheet says of an element."""
    values: dict[str, Any] = {}
    attributes = element.attrib
    hidden = attributes.get("hidden")
    if hidden is not None:
        if hidden.strip().lower() == "until-found":
            values["content-visibility"] = "hidden"
        else:
            values["display"] = "none"
    tag = element.tag
    if (
        (tag == "dialog" and "open" not in attributes)
        or "popover" in attributes
        or tag in _NEVER_SHOWN
    ):
        values["display"] = "none"
    elif tag in _STRUCK:
        values["text-decoration"] = "line-through"
    if tag == "font" and "color" in attributes:
        values["color"] = _legacy_color(attributes["color"])
    if tag == "body" and "text" in attributes:
        values["color"] = _legacy_color(attributes["text"])
    if "background" in attributes:
        values["background"] = _UNKNOWN
    elif "bgcolor" in attributes:
        values["background"] = _legacy_color(attributes["bgcolor"])
    return values


def _legacy_color(text: str) -> _Paint:
    [token, *others] = tinycss2.parse_component_value_list(text.strip()) or [None]
    paint = _color(token) if token is not None and not others else None
    return paint or _UNKNOWN


def _look(
    element: etree._Element, around: _Look, values: Cascade, *, has_other_sheets: bool
) -> _Look:
    """Return how an element looks inside of one that looks like `around`."""
    is_root = element.tag in _ROOTS
    background, is_sure = around.background, around.is_sure
    if values.get("position") in ("absolute", "fixed"):
        background = _UNKNOWN  # it may lie above anything
    painted = values.get("background")
    if painted is not None:
        background, is_sure = painted, True
    elif is_root and has_other_sheets:
        is_sure = False
    color = values.get("-webkit-text-fill-color") or values.get("color") or around.color
    look = _Look(
        is_gone=around.is_gone or (not is_root and _takes_away(values)),
        is_invisible=_is_invisible(values, around) and not is_root,
        font_px=_font_px(values, around),
        color=color,
        background=background,
        is_sure=is_sure,
    )
    shows_background = values.get("background-clip") == "text"
    if shows_background or values.get("text-shadow", "none") != "none":
        return replace(look, color=_UNKNOWN)
    return look


def _is_invisible(values: Cascade, around: _Look) -> bool:
    visibility = values.get("visibility")
    if visibility in ("hidden", "collapse"):
        return True
    return around.is_invisible if visibility in (None, "inherit", "unset") else False


def _font_px(values: Cascade, around: _Look) -> float:
    kind: str
    size: float
    kind, size = values.get("font-size", ("times", 1.0))
    return size * around.font_px if kind == "times" else size


def _takes_away(values: Cascade) -> bool:
    """Return whether an element and all in it are not shown."""
    if not values:
        return False
    opacity = values.get("opacity")
    return (
        values.get("display") == "none"
        or values.get("content-visibility") == "hidden"
        or "line-through" in values.get("text-decoration", "")
        or (opacity is not None and opacity <= _LEAST_OPACITY)
        or _is_off_screen(values)
        or _is_cut_off(values)
    )


_MOVED = re.compile(r"translate(?:x|y|3d)?\(\s*(-?\d{1,9})[^,)]*(?:,\s*(-?\d{1,9}))?")
_SCALED_AWAY = re.compile(r"scale(?:x|y|3d)?\(\s*(?:0+(?:\.0*)?|\.0+)\s*[,)]")


def _is_off_screen(values: Cascade) -> bool:
    def at(name: str) -> float:
        return values.get(name) or 0.0

    if values.get("position") in ("absolute", "fixed", "relative"):
        sides = [at(name) for name in ("left", "top", "right", "bottom")]
        if min(sides) <= -_FAR_PX or max(at("left"), at("right")) >= _BEYOND_PX:
            return True
    if min(at("margin-left"), at("margin-top"), at("text-indent")) <= -_FAR_PX:
        return True
    transform = values.get("transform") or ""
    if _SCALED_AWAY.search(transform) or values.get("scale") in ("0", "0 0"):
        return True
    moved = _MOVED.search(transform)
    return moved is not None and any(
        int(by) <= -_FAR_PX for by in moved.groups() if by is not None
    )


_CLIPPED = re.compile(r"rect\(([^()]*)\)")
_INSET = re.compile(r"inset\(\s*([\d.]+)%")


def _is_cut_off(values: Cascade) -> bool:
    clip = _CLIPPED.search(values.get("clip") or "")
    if clip and values.get("position") in ("absolute", "fixed"):
        sides = [float(one) for one in _NUMBER.findall(clip[1])]
        if len(sides) == 4 and "auto" not in clip[1]:  # noqa: PLR2004 - top right bottom left
            top, right, bottom, left = sides
            if right - left <= _NO_SIZE_PX or bottom - top <= _NO_SIZE_PX:
                return True
    path = values.get("clip-path") or ""
    inset = _INSET.match(path)
    if (inset and float(inset[1].rstrip(".") or 0) >= _HALF) or path.startswith(
        ("circle(0", "ellipse(0")
    ):
        return True
    hides = any(
        "hidden" in values.get(name, "") or "clip" in values.get(name, "")
        for name in ("overflow", "overflow-x", "overflow-y")
    )
    sizes = (
        values.get(name) for name in ("width", "height", "max-width", "max-height")
    )
    return hides and any(size is not None and size <= _NO_SIZE_PX for size in sizes)


def _hides_own_text(element: etree._Element, look: _Look) -> bool:
    """Return whether the text directly in an element cannot be seen."""
    if look.is_gone or look.is_invisible or look.font_px < _LEAST_FONT_PX:
        return True
    if look.color.alpha <= _LEAST_OPACITY and look.color.rgb is not None:
        return True
    if look.color.rgb is None or look.background.rgb is None:
        return False
    if not look.is_sure and not _is_plain_phrase(element):
        return False  # a style sheet that was not read may paint behind it
    return contrast(look.color.rgb, look.background.rgb) < _LEAST_CONTRAST


def _is_plain_phrase(element: etree._Element) -> bool:
    attributes = element.attrib
    return (
        element.tag in _PHRASES and "class" not in attributes and "id" not in attributes
    )


def contrast(one: RGB, other: RGB) -> float:
    """Return how well text of one colour stands out on the other, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: RGB) -> float:
    # sRGB as the standard writes it.
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004
        for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# --- the page ---


def take_out_hidden(tree: etree._Element) -> bool:
    """Empty the elements of a page that it does not show; return whether any is.

    Raises:
        StylesTooLargeError: it has more rules and elements than are compared.
    """
    counted = _Work()

    class PageElement(_Element):
        work = counted

    root: _Element = PageElement.from_html_root(tree)
    elements, texts = _Search(tree, root, counted).result()
    for element in elements:
        # Its place stays, so that the words on both sides do not run together.
        element.clear(keep_tail=True)
    for element in tree.iter():
        # Trafilatura looks into these itself, but cannot tell what they come to.
        element.attrib.pop("style", None)
    for element in texts:
        element.text = " "
        for child in element:
            child.tail = " "
    return bool(elements or texts)


class _Search:
    """One walk over a page; what turns out to be openable is walked afterwards."""

    def __init__(self, tree: etree._Element, root: _Element, work: _Work) -> None:
        self._work = work
        self._rules = _rules(tree, work)
        self._has_other_sheets = _has_other_sheets(tree)
        self._styles: dict[str, tuple[_Declared, ...]] = {}
        self._controlled: set[str] = set()
        self._ids: set[str] = set()
        self._gone: list[tuple[_Element, tuple[_Look, ...]]] = []
        self._texts: list[etree._Element] = []
        self._walk(root, tuple(_Look() for _ in _SCREENS))

    def result(self) -> tuple[list[etree._Element], list[etree._Element]]:
        """Return what is hidden, and elements of which only the own text is."""
        hidden: list[etree._Element] = []
        while self._gone:
            closed, self._gone = self._gone, []
            shut = []
            for element, looks in closed:
                if self._can_be_opened(element.etree_element):
                    self._walk(element, looks, opened=True)
                else:
                    shut.append((element, looks))
            if len(shut) == len(closed):
                hidden += [element.etree_element for element, _ in shut]
                break
            self._gone += shut
        return hidden, self._texts

    def _can_be_opened(self, element: etree._Element) -> bool:
        name = element.get("id")
        if name and name in self._controlled:
            return True
        labels = (element.get("aria-labelledby") or "").split()
        return element.get("role") == "tabpanel" and any(
            one in self._ids for one in labels
        )

    def _walk(
        self, root: _Element, around: tuple[_Look, ...], *, opened: bool = False
    ) -> None:
        """Look at all elements of a subtree, those inside hidden ones left out."""
        stack = [(root, around)]
        while stack:
            element, looks = stack.pop()
            inner = element.etree_element
            if inner.tag in _KEPT_WHOLE:
                continue
            is_opened = opened and element is root
            outside, looks = looks, self._looks(element, looks, is_opened=is_opened)
            if all(look.is_gone for look in looks):
                self._gone.append((element, outside))
                continue
            self._note(inner)
            if all(_hides_own_text(inner, look) for look in looks):
                self._texts.append(inner)
            stack += [(child, looks) for child in element.iter_children()]

    def _looks(
        self, element: _Element, around: tuple[_Look, ...], *, is_opened: bool
    ) -> tuple[_Look, ...]:
        inner = element.etree_element
        matched = self._rules.match(element) if self._rules else []
        is_plain = not matched and not inner.attrib and inner.tag not in _SPECIAL
        if is_plain:
            return around
        inline = self._inline(inner.get("style", ""))
        looks = []
        for screen, look in enumerate(around):
            values = _cascade(inner, matched, inline, screen)
            if is_opened:
                values = {
                    name: value
                    for name, value in values.items()
                    if name not in _OPENED_BY
                }
            looks.append(
                _look(inner, look, values, has_other_sheets=self._has_other_sheets)
            )
        return tuple(looks)

    def _inline(self, style: str) -> tuple[_Declared, ...]:
        """Return what a `style` attribute declares; most are there many times."""
        if style not in self._styles:
            self._work.spend(len(style) * _PARSING)
            nodes = tinycss2.parse_blocks_contents(
                style, skip_comments=True, skip_whitespace=True
            )
            self._styles[style] = tuple(_declarations(nodes))
        return self._styles[style]

    def _note(self, element: etree._Element) -> None:
        """Remember what a shown element opens."""
        attributes = element.attrib
        if not attributes:
            return
        if "id" in attributes:
            self._ids.add(attributes["id"])
        for name in _CONTROLS:
            if name in attributes:
                self._controlled.update(
                    one.lstrip("#") for one in attributes[name].split()
                )
        if element.tag == "a" and attributes.get("href", "").startswith("#"):
            self._controlled.add(attributes["href"][1:])


_SPECIAL = _NEVER_SHOWN | _STRUCK | _ROOTS | {"dialog"}
_OPENED_BY = frozenset(
    ["display", "visibility", "content-visibility", "opacity", "height", "max-height"]
)


def _has_other_sheets(tree: etree._Element) -> bool:
    return any(
        "stylesheet" in (link.get("rel") or "").lower() for link in tree.iter("link")
    ) or any("@import" in (style.text or "") for style in tree.iter("style"))
