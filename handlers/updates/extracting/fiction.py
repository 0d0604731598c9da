"""Keeps the stories of films, novels and games out of what is suggested.

A plot needs no source but the work itself, and a retelling names people and deeds like
any fact. So nothing goes into a section that retells, and for an article on a work of
fiction a sentence must speak of the work: who made it, when it came out, how it was
taken. Pure.
"""

import re

from handlers.model import Ignored, Subject
from handlers.wikitext.anchors import normalised

Fault = tuple[Ignored, str]

# English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Swedish.
_STORY = frozenset(
    """plot,plot summary,plot synopsis,plot overview,synopsis,premise,storyline,story,
    narrative,plot and characters,plot and themes,handlung,inhalt,intrigue,scénario,
    résumé détaillé,argumento,sinopsis,trama,enredo,sinopse,verhaal,plot en verhaal,
    fabuła,opis fabuły,сюжет,handling,intrig""".replace("\n    ", "").split(",")
)
# Headings that retell only where the article is on a work of fiction.
_STORY_OF_WORK = frozenset(
    """summary,setting,backstory,fictional biography,character biography,ending,
    fictional character biography,in other films,in other media,episode summary,lyrics"""
    .replace("\n    ", "").split(",")
)  # fmt: skip
_KIND = (
    r"(?:film|movie|novels?|novella|short story|video game|episode|musical|opera|manga|anime"
    r"|comic(?: book| strip)?|graphic novel|sitcom|miniseries|soap opera|telenovela"
    r"|(?:television|tv|web|film|drama|comedy|anime|book|novel|comic|streaming) series"
    r"|television (?:drama|film|movie|special)|stage play)"
)
# "is a 2023 Italian historical drama film", but not "is an American film director".
_IS_WORK = re.compile(
    r"\b(?:is|was) (?:an?|the)(?: (?!(?:who|in|for|by|to|from|and|known|that|which|about|documentary"
    r"|reality|concert|sports|news|talk|game show)\b)[\w'’–-]+){0,9}?"
    rf" {_KIND}\b(?! (?:act\w+|direct\w+|produc\w+|studios?|festivals?|compan\w+|critics?|industr\w+"
    r"|awards?|scores?|soundtracks?|makers?|composers?|developers?|writers?|publishers?))",
    re.IGNORECASE,
)
_OPENING = 3  # statements of the lead in which an article says what it is about
# What a sentence on the making and the fate of a work has, and its story has not.
_OF_THE_WORK = re.compile(
    r"\b(?:films?|movies?|series|shows?|episodes?|seasons?|novels?|books?|games?|actors?|actress(?:es)?"
    r"|stars?|starr(?:ed|ing)|co-stars?|casts?|casting|roles?|portray\w*|voiced?|played by|direct(?:ed|ors?|s|ing)"
    r"|produc\w+|screenplay|scripts?|wr(?:itten|ote|iters?|iting)|authors?|creat(?:ed|ors?)|based on|adapt\w+"
    r"|inspired by|film(?:ed|ing)|shooting|soundtracks?|scores?|compos\w+|releas\w+|premier\w+|debut\w*|air(?:ed|s|ing)"
    r"|broadcast\w*|stream\w*|distribut\w+|publish\w+|editions?|box office|gross\w*|budgets?|critics?|reviews?|ratings?"
    r"|awards?|nominat\w+|won|festivals?|audiences?|viewers?|sequels?|prequels?|remakes?|franchise|studios?|rights|trailers?"
    r"|sold|sales|copies|copyright|translat\w+|charts?|developers?|platforms?|performances?|theat(?:re|er)s?|cinemas?)\b",
    re.IGNORECASE,
)
_RETELLS = re.compile(
    r"\b(?:tells? the (?:\w+ )?(?:story|tale)|(?:follows|chronicles|depicts|traces) (?:an?|the|two|three|four|his|her|[A-Z])"
    r"|(?:cent(?:er|re)s|revolves?|revolving|focus(?:es)?) (?:a?round|on) (?:an?|the life|two|three|the story)"
    r"|(?:is|are|gets?|becomes?) forced to|must (?:confront|decide|choose|face|find|fight|save|learn|race|navigate|survive)"
    r"|sets? out to|falls? in love|finds? (?:himself|herself|themselves|out that)|protagonists?|comes? of age"
    r"|(?:discovers|realizes|realises|learns) (?:that|the (?:truth|secret|mystery))|reveals to)\b"
)

# Whatever the article is about, this is a blurb of a work.
_ALWAYS = re.compile(
    r"\btells? the (?:\w+ )?(?:story|tale) of\b|^[^,.]{2,60} (?:follows|chronicles) (?:an?|the|two|three) (?:\w+ )?(?:group|story|lives|life|journey|adventures|famil\w+|friends|brothers|sisters|man|woman|girl|boy)\b|\b(?:film|movie|novel|series|show|story|book)"
    r" (?:follows|revolves|cent(?:er|re)s|chronicles) "
)


def is_fiction(subject: Subject) -> bool:
    """Tell whether the article is on a work of fiction: film, novel, series, game."""
    lead = [one.text for one in subject.statements if not one.section][:_OPENING]
    return any(_IS_WORK.search(one) for one in lead)


def is_story(section: tuple[str, ...], *, of_fiction: bool) -> bool:
    """Tell whether a section retells what happens in a work."""
    closed = _STORY | _STORY_OF_WORK if of_fiction else _STORY
    return any(normalised(heading) in closed for heading in section)


def fault(text: str, *, of_fiction: bool) -> Fault | None:
    """Return why a sentence retells a story, `None` where it does not."""
    found = _RETELLS.search(text) if of_fiction else _ALWAYS.search(text)
    if found:
        return Ignored.NOT_A_FACT, f"it retells a story: “{found[0]}”"
    if of_fiction and not _OF_THE_WORK.search(text):
        return Ignored.NOT_A_FACT, "it retells a story, or says nothing of the work"
    return None
