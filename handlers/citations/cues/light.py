"""Words that nobody would look for in a source by themselves. Pure.

"Known", "occurred" and "part" say something only with the words around them; whether
a source puts it so is no question of support.
"""

from handlers.citations.cues.words import Word, stem

_WORDS = """
    known occur happen part people person move follow become make take use include
    involve several various number time times day well area portion receive result
    cause come go see say remain continue begin start other others addition
    additional total least most almost approximately nearly common type kind process
    way form numerous multiple entire whole due issue place give put call name
    describe note report state consider provide set get have feature find show serve
    help keep seem appear consist another different certain particular mainly mostly
    generally usually often sometimes especially particularly eventually subsequently
    previously currently originally then still even just only like back away onto
    across toward towards upon within throughout alongside together along many much
    thing case point fact respectively therefore however because able such long large
    small new old big great high low early late later already soon ever never yet
    quite very rather exist base locate contain lie stand bring hold allow lead
"""
_STEMS = frozenset(stem(word) for word in _WORDS.split())


def is_light(word: Word) -> bool:
    """Tell whether `word` is no name, no number and of little meaning by itself."""
    opens = not word.start and word.text[1:].islower()
    return (opens or word.text.islower()) and word.stem in _STEMS
