"""Recognises pages that answered 200 without their text. Pure.

Three parts: the phrases of such pages, the rules that look for them, and, for short
English pages, a model that ships with the package.

Each phrase is long enough not to occur by chance, and the rules look for them only in
pages that show little else. They are matched against lower-case text with straight
apostrophes and single spaces.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from handlers.documents.language import languages_of
from handlers.model import SourceOutcome


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(phrases))


# Gaps are bounded, so that a search stays linear.
_GAP = ".{0,40}?"

BOT_CHECK_TITLE = _any(
    r"^just a moment\b",
    r"^attention required",
    r"\bare you (?:a )?(?:robot|human)\b",
    r"\brobot or human\b",
    r"^pardon our interruption",
    r"^(?:security|browser|bot) (?:check|verification)\b",
    r"^access denied",
    r"^access to this page has been denied",
    r"^(?:ddos-guard|captcha|verification required|human verification)\b",
    r"^(?:sicherheitsüberprüfung|zugriff verweigert|accès refusé|acceso denegado)",
    r"^(?:un instant|un momento|einen moment)\b",
)
BOT_CHECK = _any(
    r"verif(?:y|ying)(?: that)? you(?:'re| are) (?:a )?(?:not a robot|human)",
    r"(?:confirm|prove|make sure)(?: that)? you(?:'re| are) (?:not a (?:ro)?bot|(?:a )?human)",
    rf"unusual (?:traffic|activity){_GAP}(?:network|computer|browser|device|ip address)",
    r"checking (?:if the site connection is secure|your browser before)",
    r"(?:complete|solve)(?: the)? (?:security check|captcha)",
    r"needs to review the security of your connection",
    r"enable (?:javascript|js) and (?:cookies to continue|disable any ad blocker)",
    r"press (?:&|and) hold to confirm",
    r"made us think (?:that )?you (?:were|are|might be) a bot",
    r"you(?:'ve| have) been blocked by (?:network )?security",
    r"sorry, you have been blocked",
    r"performing security verification",
    rf"automated (?:access|requests?) (?:to|from){_GAP}(?:detected|blocked|not (?:allowed|permitted))",
    r"you don't have permission to access .{0,200}? on this server",
    r"(?:bestätigen|beweisen) sie,? dass sie (?:ein mensch|kein roboter) sind",
    rf"ungewöhnlichen? (?:datenverkehr|aktivität){_GAP}(?:netzwerk|computer|browser)",
    r"(?:wir )?(?:überprüfen|prüfen) ihren browser",
    r"(?:vérifi(?:ez|er)|confirme[rz]|prouve[rz]) que vous (?:êtes (?:un )?humain|n'êtes pas un robot)",
    rf"(?:trafic|activité) (?:inhabituel(?:le)?|exceptionnel){_GAP}(?:réseau|ordinateur|navigateur)",
    r"vérification de (?:votre navigateur|la sécurité de votre connexion)",
    r"(?:verifi(?:que|car)|confirm(?:e|ar)|demuestre) que (?:(?:usted )?no es|eres|es|no eres) (?:un )?(?:robot|humano)",
    rf"(?:tráfico|actividad) (?:inusual|inhabitual){_GAP}(?:red|equipo|navegador|ordenador)",
    r"comprobando (?:su|tu) navegador",
)
# Parts of challenge pages of the large protection services.
BOT_CHECK_MARKUP = (
    "/cdn-cgi/challenge-platform/",
    "_incapsula_resource",
    "captcha-delivery.com",
    "px-captcha",
    "awswafcaptcha",
    "challenge.js?token",
    "g-recaptcha",
    "h-captcha",
    "cf-turnstile",
)

PARKED = _any(
    r"\bdomain (?:name )?(?:is |may be )?(?:for sale|available for purchase)\b",
    r"(?:this|the) (?:domain|web ?page|web ?site|page) is parked|domain parking|parked free,? courtesy",
    r"buy this domain|inquire about this domain|interested in this domain",
    r"dominio (?:está )?(?:en|a la) venta",
)

SOFT_404_TITLE = _any(
    r"^(?:error |fehler |erreur )?(?:http )?404\b(?! [a-z]*[- ]?(?:street|st\.|ave))",
    r"\b404(?: -| –| —|:)? (?:error|not found|page|seite|fehler)",
    r"^(?:error:? )?(?:page|file|article|story|document|content|item) (?:was )?(?:not|cannot be|could not be|can't be) found",
    r"^page (?:is )?(?:missing|unavailable|no longer (?:available|exists))",
    r"\b(?:page|file) not found\b",
    r"^not found\b",
    r"^(?:oops|sorry|whoops)[!,.…]* .{0,30}?(?:page|article|story) ",
    r"\bseite (?:wurde )?nicht (?:gefunden|verfügbar)",
    r"\bartikel (?:wurde )?nicht gefunden",
    r"\bpage (?:introuvable|non trouvée|inexistante)",
    r"\b(?:página|pagina) no (?:encontrada|existe|disponible)",
    r"\bpagina non trovata|\bpágina não encontrada|\bpagina niet gevonden",
)
SOFT_404 = _any(
    rf"(?:page|article|story|content|document|file|item|resource|url|link){_GAP}"
    r"(?:you(?:'re| are| were)? (?:looking for|requested|requesting|trying to (?:reach|access|view)|tried to (?:reach|access|view)|asked for|followed)|at this address)"
    rf".{{0,80}}?(?:not (?:be )?found|n't (?:be )?(?:found|exist|available)|not (?:exist|available)|no longer|moved|removed|deleted|unavailable|expired|broken|missing)",
    r"(?:can't|cannot|can not|couldn't|could not|unable to|didn't|did not|failed to) (?:seem to )?(?:find|locate) (?:the|that|this|your) (?:requested )?(?:page|article|story|file|document|content|url)",
    r"(?:the|this) (?:requested )?(?:page|article|story|document|content|url|video|post)(?: you requested)? (?:is|has been|was|does|may have been|might have been|could) (?:not (?:found|exist|be found)|no longer (?:available|exists?|online)|moved|removed|deleted|retired|withdrawn|unavailable)",
    r"(?:page|article|story) (?:doesn't|does not) exist",
    r"\bno longer (?:available|exists?) (?:on|at) (?:this|our) (?:site|website|server|address)",
    r"(?:account|website|site) (?:has been|is|was) suspended",
    r"(?:domain|hosting|website) (?:has|is) expired",
    r"(?:seite|artikel|inhalt|dokument).{0,60}?(?:nicht (?:gefunden|mehr (?:verfügbar|vorhanden|online)|verfügbar|existiert)|existiert nicht|wurde (?:gelöscht|verschoben|entfernt))",
    r"(?:domain|adresse) (?:steht zum verkauf|ist zu verkaufen|kaufen)",
    r"(?:page|article|contenu|document).{0,60}?(?:introuvable|n'existe (?:pas|plus)|n'est (?:pas|plus) (?:disponible|en ligne)|n'a pas (?:été|pu être) trouvée?|a été (?:supprimée?|déplacée?))",
    r"(?:nom de domaine|domaine) (?:est )?à vendre",
    r"(?:página|artículo|contenido|documento).{0,60}?(?:no (?:existe|encontrad[ao]|disponible|se (?:ha )?(?:encuentra|encontrado|pudo encontrar)|está disponible)|ya no (?:existe|está disponible)|ha sido (?:eliminad|movid|borrad)[ao])",
)

LOGIN_TITLE = _any(
    r"^(?:please )?(?:log ?in|sign ?in|log on)\b",
    r"\b(?:log ?in|sign ?in) (?:required|to your account)\b",
    r"^(?:anmelden|anmeldung|einloggen|login)\b",
    r"^(?:connexion|se connecter|identification)\b",
    r"^(?:iniciar sesión|inicia sesión|acceso|identifícate)\b",
    r"^(?:subscribe|subscription required|subscribers only)\b",
)
LOGIN_WALL = _any(
    r"(?:log ?in|sign ?in|sign ?up|register|subscribe|create (?:a free |an )?account)(?: or (?:log ?in|sign ?in|sign ?up|register|subscribe|create an account))? (?:now )?(?:to|and) (?:continue|keep|read|access|unlock|get (?:full|unlimited)|finish)",
    r"(?:must|need to|have to|required to) (?:be (?:logged|signed) in|log ?in|sign ?in|subscribe|register|be a (?:subscriber|member)) (?:to|before|in order to) (?:you can )?(?:continue|keep|read|view|see|access|unlock|download|open)",
    r"(?:article|story|content|page) is (?:for|available to|only (?:for|available to)|exclusive to|reserved for|exclusively for|available exclusively to) (?:our |paying |paid |premium |registered |digital )*(?:subscribers|members|users)",
    r"(?:reached|used|hit) (?:your|the) (?:\w+ ){0,3}(?:limit|(?:free|complimentary) (?:articles|stories))",
    r"to (?:continue|keep) reading(?: this (?:article|story))?,? (?:please )?(?:subscribe|log|sign|register|create|become|start)",
    r"(?:continue|keep) reading (?:this article )?with a (?:\w+ )?(?:subscription|trial|account)",
    r"(?:purchase|buy|get|rent) (?:instant |full |online )?access to (?:this|the full) (?:article|content|pdf)|access through your institution",
    r"(?:jetzt|bitte) (?:anmelden|einloggen|registrieren|abonnieren)(?:,? und|,? um)",
    r"(?:artikel|inhalt|beitrag).{0,40}?(?:nur für (?:\w+ )?(?:abonnent|mitglieder|registrierte)|exklusiv für)",
    r"(?:weiterlesen|weiter lesen|lesen sie weiter) mit",
    r"(?:réservé|exclusif|accessible)(?:e|s)?(?: uniquement| seulement)? (?:à|aux) (?:nos )?(?:abonné|membres)",
    r"(?:abonnez-vous|connectez-vous|identifiez-vous|inscrivez-vous) (?:pour|afin|et)|il vous reste .{0,10}% (?:de cet article )?à (?:lire|découvrir)",
    r"(?:exclusiv[oa]|sol[oa]|solamente|reservad[oa]) para (?:nuestros )?(?:suscriptores|usuarios registrados|socios|abonados)",
    r"(?:suscríbe(?:te|se)|inicia(?:r)? sesión|inicie sesión|regístrate|regístrese) (?:para|y) (?:seguir|continuar|leer|acceder|ver|sigue|continúa)",
)
# Offers that also stand beside the text of open pages.
LOGIN_OFFER = _any(
    r"(?:log ?in|sign ?in|sign ?up|register) (?:to|and) (?:view|see|watch|listen)",
    r"réservé(?:e|s)? aux inscrits",
    r"(?:subscriber|member|premium)s?[- ](?:only|exclusive)",
    r"already (?:a|an) (?:\w+ )?(?:subscriber|member)\?|already have (?:a subscription|an account)\?",
    r"sie (?:sind|haben) bereits (?:\w+ )?(?:abonnent|ein abo)|bereits (?:abonnent|registriert)\?",
    r"déjà abonnée?",
    r"¿ya (?:eres|es) suscriptor",
)
PAID_MARKUP = re.compile(r'"isaccessibleforfree"\s{0,9}:\s{0,9}"?false')

COOKIE_SENTENCE = _any(
    r"\bcookies?\b",
    r"\bconsent\b",
    r"\bprivacy (?:policy|notice|settings|preferences|choices)\b",
    r"\bwe value your privacy\b",
    r"\b(?:our|and|\d+) (?:\d+ )?partners\b",
    r"\bpersonal(?:ised|ized) (?:ads|advertising|content)\b",
    r"\b(?:accept|reject|agree to|allow|manage) (?:all|preferences|settings|options)\b",
    r"\b(?:einwilligung|einwilligen|zustimmen|datenschutz\w*|alle akzeptieren|alle ablehnen)\b",
    r"\b(?:werbung und (?:tracking|analyse)|personalisierte (?:werbung|anzeigen))\b",
    r"\b(?:consentement|tout accepter|tout refuser|continuer sans accepter|données personnelles|confidentialité)\b",
    r"\b(?:consentimiento|aceptar (?:todas?|todo|y continuar)|rechazar (?:todas?|todo)|privacidad|datos personales)\b",
)
COOKIE_ASK = _any(
    r"\b(?:accept|agree|allow|consent|reject|manage|i agree|got it)\b",
    r"\b(?:akzeptieren|zustimmen|ablehnen|einwilligen|einverstanden)\b",
    r"\b(?:accepter|accepte[zr]?|refuser|autoriser|consentir)\b",
    r"\b(?:aceptar|acepto|aceptas?|rechazar|consentir|permitir)\b",
)
BEFORE_YOU_CONTINUE = _any(
    r"before you continue to",
    r"bevor (?:sie|du) (?:zu .{0,40}?)?(?:weitergeh|weiterles|fortfahr)",
    r"avant (?:de continuer|d'accéder)",
    r"antes de (?:continuar|ir a)",
)

NEEDS_SCRIPTS = _any(
    r"(?:enable|turn on|activate|allow|requires?|needs?|switch on) (?:javascript|java script|scripting)",
    r"javascript (?:is|to be|must be|has to be|needs to be|seems to be|appears to be) (?:disabled|enabled|required|turned|switched|not (?:enabled|supported|available))",
    r"without javascript|doesn't work (?:properly )?without|your browser (?:does not|doesn't) support javascript",
    r"(?:javascript|skripte) (?:aktivier|einschalt|muss|wird benötigt|ist (?:deaktiviert|erforderlich))|aktivieren sie (?:bitte )?javascript",
    r"(?:activer|activez|veuillez activer) (?:le )?javascript|javascript (?:est|doit être) (?:désactivé|requis|nécessaire|activé)",
    r"(?:active|activar|habilite|habilitar|habilita) (?:el )?javascript|javascript (?:está|debe estar) (?:desactivado|deshabilitado|activado|habilitado)",
)
LOADING = re.compile(
    r"^\W*(?:loading|please wait|laden|wird geladen|chargement|cargando)\b"
)


LONG_PAGE = 3500  # characters; a longer page is taken at face value
_TEASER = 2400  # the longest beginning of an article above a paywall
_MESSAGE = 1200  # the longest page that is only a message
_BRIEF = 600
_FEW_WORDS = 300
_HARDLY_ANYTHING = 150
_PROMPT = 120  # the longest line that is a notice rather than a paragraph
_READ_CHARS = 6000  # how much of the text is searched for phrases
_COOKIE_SHARE = 0.6

# Text without full stops is split all the same, or one word would affect all of it.
_SENTENCE = re.compile(r"[^.!?\n]{1,160}")


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What is known of a page before it is judged.

    `outside` counts the characters outside menus, dialogs and links; `main` those of
    the main text. Either may be zero on a good page: some sites mark their whole body
    as a dialog, and extractors make mistakes.
    """

    title: str
    text: str  # all that is visible
    content: str  # the same without menus, dialogs, asides and footers
    outside: int
    main: int
    without_scripts: str = ""  # the text of <noscript>
    markup: str = ""
    has_password_field: bool = False
    has_scripts: bool = False

    @property
    def size(self) -> int:
        """How many characters there are to read."""
        return max(self.outside, self.main)


@dataclass(frozen=True, slots=True)
class Wall:
    """What the page shows instead of its text."""

    outcome: SourceOutcome
    detail: str


def classify(page: VisibleText) -> Wall | None:
    """Return what the page is instead of an article, or `None` if it is one.

    Precision comes first: a long page is never a wall, whatever words it holds, because
    articles write about paywalls, captchas and missing pages, too. Each rule requires
    its words and a page that shows little else.
    """
    if page.outside > LONG_PAGE:
        return None
    words = _Words(
        title=_plain(page.title),
        text=_plain(page.text[:_READ_CHARS]),
        content=_plain(page.content[:_READ_CHARS]),
        without_scripts=_plain(page.without_scripts[:_READ_CHARS]),
    )
    for applies, outcome, detail in _RULES:
        if applies(page, words):
            return Wall(outcome, detail)
    return None


def classify_plain(text: str) -> Wall | None:
    """Return what a plain text is instead of a source, or `None` if it is one."""
    title = text.split("\n", 1)[0][:200]
    chars = len(text)
    return classify(VisibleText(title, text, text, outside=chars, main=chars))


@dataclass(frozen=True, slots=True)
class _Words:
    """The searchable form of a page's texts."""

    title: str
    text: str
    content: str
    without_scripts: str


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split(" "))


def _is_bot_check(page: VisibleText, words: _Words) -> bool:
    if len(page.text) <= _TEASER and BOT_CHECK_TITLE.search(words.title):
        return True
    if page.size <= _MESSAGE and _says(BOT_CHECK, page, words):
        return True
    if page.size > _HARDLY_ANYTHING:
        return False
    return bool(BOT_CHECK.search(words.without_scripts)) or (
        not page.has_password_field and _has_challenge(page.markup)
    )


def _has_challenge(markup: str) -> bool:
    lowered = markup.lower()
    return any(sign in lowered for sign in BOT_CHECK_MARKUP)


def _is_parked(page: VisibleText, words: _Words) -> bool:
    if PARKED.search(words.title):
        return page.outside <= _TEASER
    return page.outside <= _MESSAGE and _says(PARKED, page, words)


def _is_soft_404(page: VisibleText, words: _Words) -> bool:
    # Such pages often continue with links to what else there is to read.
    if SOFT_404_TITLE.search(words.title):
        return page.outside <= _TEASER
    return page.outside <= _MESSAGE and _says(SOFT_404, page, words)


def _says(phrase: re.Pattern[str], page: VisibleText, words: _Words) -> bool:
    """Return whether the page is such a message, and does not just write about one."""
    if page.size <= _BRIEF:
        return bool(phrase.search(words.content))
    notices = (line for line in words.content.split("\n") if len(line) <= _PROMPT)
    return any(phrase.search(line) for line in notices if line not in words.title)


def _is_cookie_wall(page: VisibleText, words: _Words) -> bool:
    if not COOKIE_ASK.search(words.text):
        return False
    if page.size <= _MESSAGE and BEFORE_YOU_CONTINUE.search(words.text):
        return True
    sentences = [s for s in _SENTENCE.findall(words.text) if len(s.strip()) > 1]
    about = sum(len(s) for s in sentences if COOKIE_SENTENCE.search(s))
    if about <= _HARDLY_ANYTHING < page.size:
        return False
    return about > 0 and about >= _COOKIE_SHARE * sum(map(len, sentences))


def _is_login_wall(page: VisibleText, words: _Words) -> bool:
    if is_paid(page.markup) and _asks_to_log_in(words.text):
        return page.size <= LONG_PAGE
    # Menus and footers of any page offer a login, so they count only on an empty one.
    if page.size > _FEW_WORDS:
        offers = page.size <= _BRIEF and _says(LOGIN_OFFER, page, words)
        demands = page.size <= _TEASER and _says(LOGIN_WALL, page, words)
        return offers or demands
    has_form = page.has_password_field or LOGIN_TITLE.search(words.title)
    return bool(has_form) or _asks_to_log_in(words.text)


def is_paid(markup: str) -> bool:
    """Return whether a page says of itself that only some may read it all."""
    return PAID_MARKUP.search(markup.lower()) is not None


def _asks_to_log_in(text: str) -> bool:
    return bool(LOGIN_WALL.search(text) or LOGIN_OFFER.search(text))


def _is_empty_shell(page: VisibleText, words: _Words) -> bool:
    if page.size <= _BRIEF and NEEDS_SCRIPTS.search(words.text):
        return True
    if page.size > _HARDLY_ANYTHING:
        return False
    return bool(
        page.has_scripts
        or NEEDS_SCRIPTS.search(words.without_scripts)
        or LOADING.search(words.text)
    )


_Rule = tuple[Callable[[VisibleText, _Words], bool], SourceOutcome, str]
_RULES: tuple[_Rule, ...] = (
    (
        _is_bot_check,
        SourceOutcome.BOT_CHECK,
        "the site wants its visitor to prove to be human",
    ),
    (
        _is_parked,
        SourceOutcome.PARKED,
        "the page offers its domain for sale, or is parked",
    ),
    (
        _is_soft_404,
        SourceOutcome.SOFT_404,
        "the page says that it was not found or is gone",
    ),
    (
        _is_cookie_wall,
        SourceOutcome.COOKIE_WALL,
        "the page asks for consent to cookies before it shows its text",
    ),
    (
        _is_login_wall,
        SourceOutcome.LOGIN_WALL,
        "the page asks to log in or subscribe before it shows its text",
    ),
    (
        _is_empty_shell,
        SourceOutcome.EMPTY_SHELL,
        "the page shows its text only where scripts run",
    ),
)


LONGEST = 4000  # characters; a longer page is taken at face value
SHORTEST = 60  # characters; a single sentence is as short as a menu, but says something
_PAGE = "page"
_ENGLISH = "en"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])[\s\"”’)]+|\n")
_LEAST_SENTENCE = 40  # characters
_LONGEST_NUMBER = 5  # further digits add nothing
_OUTCOMES = {
    "boilerplate": (
        SourceOutcome.BOILERPLATE,
        "the page shows menus, contact details or a banner, and no text",
    ),
    "bot_check": (
        SourceOutcome.BOT_CHECK,
        "the site turns programs away or wants its visitor to prove to be human",
    ),
    "cookie_wall": (
        SourceOutcome.COOKIE_WALL,
        "the page asks for consent before it shows its text",
    ),
    "empty_shell": (
        SourceOutcome.EMPTY_SHELL,
        "the page shows its text only in a browser that runs scripts",
    ),
    "login_wall": (
        SourceOutcome.LOGIN_WALL,
        "the page asks to log in or subscribe before it shows its text",
    ),
    "soft_404": (
        SourceOutcome.SOFT_404,
        "the page says that it was not found or that something went wrong",
    ),
}


@dataclass(frozen=True, slots=True)
class _Model:
    """A logistic regression: for each feature a weight for each kind of page."""

    kinds: tuple[str, ...]
    threshold: float  # of the probability that it is an article
    intercepts: tuple[float, ...]
    measures: Mapping[str, tuple[float, ...]]
    words: Mapping[str, tuple[float, ...]]


def what_stands_there(title: str, text: str) -> tuple[SourceOutcome, str] | None:
    """Return what a page shows instead of an article; `None` if it shows one.

    For short English pages only. One that answers 200 with an error message, a login
    form, an archive's banner or a menu would be judged as if it were the source. A
    model has learned the words of such pages (`bot/models/files/pages.md` says from
    what, and how well); the rules of `classify` see what only markup shows, and the
    same in other languages.

    Args:
        title: of the page; may be empty.
        text: what the page shows outside its menus, if these are known.
    """
    shown = text if text.startswith(title) else f"{title}\n{text}"
    if not SHORTEST <= len(text) <= LONGEST or not _may_be_english(shown):
        return None
    likely = probabilities(shown)
    if likely[_PAGE] >= _model().threshold:
        return None
    kind = max((one for one in likely if one != _PAGE), key=likely.__getitem__)
    return _OUTCOMES[kind]


def probabilities(text: str) -> dict[str, float]:
    """Return how likely a text is to be each kind of page."""
    model = _model()
    words = words_of(text[:LONGEST])
    present = terms_of(words)
    scores = list(model.intercepts)
    for name in present & model.words.keys():
        scores = [a + b for a, b in zip(scores, model.words[name], strict=True)]
    for name, value in measures_of(text[:LONGEST], words).items():
        weights = model.measures[name]
        scores = [a + value * b for a, b in zip(scores, weights, strict=True)]
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    return {
        kind: share / sum(shares)
        for kind, share in zip(model.kinds, shares, strict=True)
    }


def _may_be_english(text: str) -> bool:
    languages = languages_of(text)
    return not languages or languages[0].code == _ENGLISH


def words_of(text: str) -> list[str]:
    """Return the words in lower case; for a number, its length."""
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [
        "#" * min(len(word), _LONGEST_NUMBER) if word.isdigit() else word
        for word in found
    ]


def terms_of(words: list[str]) -> set[str]:
    """Return the words and the pairs of neighbours, each once."""
    return {*words, *(" ".join(pair) for pair in pairwise(words))}


def measures_of(text: str, words: list[str]) -> dict[str, float]:
    """Return features that no single word shows, each scaled to about one."""
    parts = (part for part in _SENTENCE_BREAK.split(text) if part)
    sentences = [
        part.strip()
        for part in parts
        if len(part) >= _LEAST_SENTENCE and part.rstrip('"”’) ')[-1:] in (".", "!", "?")
    ]
    chars, count = len(text) or 1, len(words) or 1
    return {
        "log of characters": math.log(len(text) + 1) / 8,
        "share in sentences": sum(map(len, sentences)) / chars,
        "log of sentences": math.log(1 + len(sentences)),
        "mean line length": math.log(1 + len(text) / (text.count("\n") + 1)) / 5,
        "share of numbers": sum(word[0] == "#" for word in words) / count,
        "share of distinct words": len(set(words)) / count,
        "share of capitals": sum(map(str.isupper, text)) / chars,
    }


def sentences_of(text: str) -> list[str]:
    """Return the lines that are long enough and end like a sentence."""
    return [
        part.strip()
        for part in _SENTENCE_BREAK.split(text)
        if len(part) >= _LEAST_SENTENCE and part.rstrip('"”’) ')[-1:] in (".", "!", "?")
    ]


@cache
def _model() -> _Model:
    file = files("bot.models").joinpath("files", "pages.json")
    fields = json.loads(file.read_text("utf-8"))
    return _Model(
        kinds=tuple(fields["kinds"]),
        threshold=fields["threshold"],
        intercepts=tuple(fields["intercepts"]),
        measures={name: tuple(row) for name, row in fields["measures"].items()},
        words={name: tuple(row) for name, row in fields["words"].items()},
    )
