"""Writes raised and lowered signs, fractions and formulas as they are seen.

Plain text has no raised signs: where the elements are flattened, 10<sup>6</sup> becomes
106, and 25<sup>1</sup>/<sub>2</sub> becomes 251/2, numbers that are nowhere on the
page. So they are written with characters that look the same. Runs in a child process.
"""

import unicodedata
from collections.abc import Iterator

from lxml import etree

RAISED = str.maketrans(
    "0123456789+-\N{MINUS SIGN}\N{EN DASH}=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ"
)
LOWERED = str.maketrans("0123456789+-\N{MINUS SIGN}\N{EN DASH}=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎")
"""What raises and lowers a sign."""
_SLASHES = frozenset("/\N{FRACTION SLASH}\N{DIVISION SLASH}")
_LONGEST = 8  # characters; what is longer is a phrase in small type
_LONGEST_NAME = 60  # characters; a longer one describes the picture
_DEEPEST = 12  # elements inside of a formula
_VULGAR = {
    unicodedata.normalize("NFKC", sign).replace("\N{FRACTION SLASH}", "/"): sign
    for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
}


def write_signs(tree: etree._Element) -> None:
    """Replace raised and lowered signs, fractions and formulas by plain text."""
    _show_buttons(tree)
    _quote(tree)
    _part_neighbours(tree)
    _name_pictures(tree)
    for formula in [one for one in tree.iter("math") if one.getparent() is not None]:
        _flatten(formula, " ".join(_formula(formula, 0).split()))
        formula.tag = "span"
    for raised in list(tree.iter("sup")):
        if _is_fraction(raised):
            _write_fraction(raised)
        else:
            _write(raised, RAISED)
    for lowered in list(tree.iter("sub")):
        # Readers write H2O for H₂O; only after a digit would it be another number.
        if _ends_in_digit(lowered):
            _write(lowered, LOWERED)


def show_shadows(tree: etree._Element) -> None:
    """Let the words stand that a browser takes from a template."""
    for template in list(tree.iter("template")):
        if template.get("shadowrootmode") in ("open", "closed"):
            template.tag = "div"


def _show_buttons(tree: etree._Element) -> None:
    """Let the words of a button stand that is a part of a sentence."""
    for button in list(tree.iter("button")):
        parent = button.getparent()
        if parent is not None and parent.tag in ("p", "li", "td", "dd"):
            previous = button.getprevious()
            before = parent.text if previous is None else previous.tail
            if (before or "").strip() and (button.tail or "").strip():
                button.tag = "span"


def _quote(tree: etree._Element) -> None:
    """Write the marks of a short quotation, which a browser adds."""
    for quotation in list(tree.iter("q")):
        quotation.tag = "span"
        quotation.text = f"\N{LEFT DOUBLE QUOTATION MARK}{quotation.text or ''}"
        last = quotation[-1] if len(quotation) else None
        end = "\N{RIGHT DOUBLE QUOTATION MARK}"
        if last is None:
            quotation.text += end
        else:
            last.tail = f"{last.tail or ''}{end}"


def _part_neighbours(tree: etree._Element) -> None:
    """Put a space between elements whose words would run together.

    On the page a style or a frame parts them, as a label and its value.
    """
    for element in tree.iter("span", "b", "strong", "i", "em", "a", "time"):
        before = element.getprevious()
        if before is None or before.tail or before.tag in ("sup", "sub"):
            continue
        one, other = (before.text or "")[-1:], (element.text or "")[:1]
        both_digits = one.isdigit() and other.isdigit()
        new_word = one.islower() and (other.isupper() or other.isdigit())
        if not len(before) and (both_digits or new_word):
            before.tail = " "


def _name_pictures(tree: etree._Element) -> None:
    """Let a table cell that shows only a picture say what the picture is called."""
    for cell in tree.iter("td", "th"):
        names = (one.get("alt", "").strip() for one in cell.iter("img"))
        name = next((one for one in names if 0 < len(one) <= _LONGEST_NAME), None)
        if name and not _text(cell):
            cell.text = name


def _write(element: etree._Element, signs: dict[int, int]) -> None:
    text = _text(element)
    if 0 < len(text) <= _LONGEST and all(ord(one) in signs for one in text):
        _flatten(element, text.translate(signs))


def _is_fraction(raised: etree._Element) -> bool:
    below = raised.getnext()
    return (
        below is not None
        and below.tag == "sub"
        and (raised.tail or "").strip() in _SLASHES
        and _text(raised).isdecimal()
        and _text(below).isdecimal()
        and len(_text(raised) + _text(below)) <= _LONGEST
    )


def _write_fraction(raised: etree._Element) -> None:
    below = raised.getnext()
    text = _fraction(_text(raised), _text(below))
    parted = " " if text not in _VULGAR.values() and _ends_in_digit(raised) else ""
    _flatten(raised, parted + text)
    _flatten(below, "")
    raised.tail = None


def _fraction(above: str, below: str) -> str:
    written = f"{above}/{below}"
    return _VULGAR.get(written, written)


def _formula(element: etree._Element, depth: int) -> str:
    """Return a formula in one line, as it is spoken: 3/4, 10⁶, x_i."""
    name = element.tag if isinstance(element.tag, str) else ""
    if depth > _DEEPEST or name.startswith("annotation"):
        return ""
    parts = [_formula(child, depth + 1) for child in element]
    match name, parts:
        case "mfrac", [above, below]:
            return f" {_fraction(above.strip(), below.strip())} "
        case "msup", [base, power]:
            return base.rstrip() + _raised(power.strip())
        case "msub", [base, index]:
            return f"{base.rstrip()}_{index.strip()}"
        case "mo", _:
            return f" {(element.text or '').strip()} "
    return (element.text or "").strip() + "".join(parts)


def _raised(power: str) -> str:
    is_known = power and all(ord(one) in RAISED for one in power)
    return power.translate(RAISED) if is_known else f"^{power}"


def _text(element: etree._Element) -> str:
    return "".join(element.itertext()).strip()


def _flatten(element: etree._Element, text: str) -> None:
    tail = element.tail
    element.clear()
    element.text, element.tail = text, tail


def _ends_in_digit(element: etree._Element) -> bool:
    """Return whether the text right before an element ends in a digit."""
    for text in _before(element):
        if text:
            return text[-1].isdigit()
    return False


def _before(element: etree._Element) -> Iterator[str]:
    previous, parent = element.getprevious(), element.getparent()
    if previous is not None:
        yield previous.tail or ""
        yield "".join(previous.itertext())
    elif parent is not None:
        yield parent.text or ""
