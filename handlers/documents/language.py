"""Tells the language of a text by its commonest words.

The words are function words that few other languages have; scripts of their own are
told by their letters.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from handlers.model import SourceText

_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        code: frozenset(listed.split())
        for code, listed in {
            "en": "the and of was were with that this from which his her by has have been is are for after",
            "de": "der die das und ist nicht mit von dem den ein eine auf für wurde werden sich auch bei nach",
            "fr": "le les des est une dans pour qui sur avec pas plus par aux sont été cette ses et du",
            "es": "el los las una que por con para del está fue como más pero sus y su desde este también",
            "it": "il gli della che di non per con una sono dei nel alla è anche delle più dal degli stato",
            "pt": "o os as um uma que não com para por dos foi são mais como pelo pela também ao em",
            "nl": "de het een van en niet met voor zijn op werd aan ook bij naar wordt dat uit deze door",
            "sv": "och att det som en är på för av med till den har inte om ett var från de vid",
            "da": "og at det som en er på for af med til den har ikke om et var fra de ved blev",
            "no": "og at det som en er på for av med til den har ikke om et var fra de ved ble",
            "pl": "w i na z się nie do jest że to przez po od za dla był została jako oraz lub",
            "cs": "a v se na je že s z do pro ve byl jako po který za od ale jeho k",
            "fi": "ja on ei että se oli hän mutta myös kun joka ovat kuin sekä tai jo vuonna",
            "hu": "a az és hogy nem egy is van volt meg ez csak már mint de el volna szerint",
            "ro": "și în de la cu pe din care nu este pentru un o fost mai ale prin sau după",
            "tr": "ve bir bu da de için ile olarak çok daha gibi olan kadar sonra ise en",
            "id": "yang dan di dengan untuk dari pada ini dalam adalah itu tidak oleh akan ke sebagai",
            "vi": "của và là các có được cho trong một không với đã người những này từ về",
            "tl": "ang ng sa na mga ay ni at si para ito kay nang",
        }.items()
    }
)
_WORD = re.compile(r"[^\W\d_]+")
_LOOKED_AT = 4000  # words
_FEWEST = 12  # words of a language that tell it
_SHARE = 0.08  # of all words; a menu has hardly any, a prose of English a third
_SCRIPTS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "ja": re.compile(r"[\u3040-\u30ff]"),
        "ko": re.compile(r"[\uac00-\ud7af]"),
        "zh": re.compile(r"[\u4e00-\u9fff]"),
        "ru": re.compile(r"[\u0400-\u04ff]"),
        "ar": re.compile(r"[\u0600-\u06ff]"),
        "he": re.compile(r"[\u0590-\u05ff]"),
        "el": re.compile(r"[\u0370-\u03ff]"),
        "hi": re.compile(r"[\u0900-\u097f]"),
        "bn": re.compile(r"[\u0980-\u09ff]"),
        "th": re.compile(r"[\u0e00-\u0e7f]"),
        "ka": re.compile(r"[\u10a0-\u10ff]"),
        "hy": re.compile(r"[\u0530-\u058f]"),
    }
)
_SCRIPT_SHARE = 0.3


def language_of_text(text: str) -> str | None:
    """Return the code of the language of `text`, `None` where it does not tell.

    Languages that share a script that is not Latin are not told apart: Ukrainian is
    "ru", Persian is "ar".
    """
    letters = sum(map(str.isalpha, text))
    for code, pattern in _SCRIPTS.items():
        if letters and len(pattern.findall(text)) >= _SCRIPT_SHARE * letters:
            return code
    found = [one.lower() for one in _WORD.findall(text)[:_LOOKED_AT]]
    counts = {
        code: sum(one in listed for one in found) for code, listed in _WORDS.items()
    }
    best = max(counts, key=lambda code: counts[code])
    enough = counts[best] >= min(_FEWEST, max(3, len(found) // 8))
    return best if enough and counts[best] >= _SHARE * len(found) else None


def language_of_document(document: SourceText, most_chars: int) -> str | None:
    """Return the language of a document: of its words, else what it states."""
    told = language_of_text(document.text[:most_chars])
    stated = document.imprint.language or document.language or ""
    return told or stated.partition("-")[0].partition("_")[0].lower() or None
