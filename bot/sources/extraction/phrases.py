"""The words by which pages without their text give themselves away. Data only.

Each phrase is long enough not to occur by chance; `bot.sources.extraction.
classify` moreover looks for them only in pages that show little else. They are
matched against lower-case text with straight apostrophes and single spaces.
"""

import re


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

SOFT_404_TITLE = _any(
    r"^(?:error |fehler |erreur )?(?:http )?404\b(?! [a-z]*[- ]?(?:street|st\.|ave))",
    r"\b404(?: -| –| —|:)? (?:error|not found|page|seite|fehler)",
    r"^(?:error:? )?(?:page|file|article|story|document|content|item) (?:was )?(?:not|cannot be|could not be|can't be) found",
    r"^page (?:is )?(?:missing|unavailable|no longer (?:available|exists))",
    r"\b(?:page|file) not found\b",
    r"^not found\b",
    r"^(?:oops|sorry|whoops)[!,.…]* .{0,30}?(?:page|article|story) ",
    r"\bdomain (?:name )?(?:is )?for sale\b",
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
    r"(?:this|the) domain (?:name )?(?:is|may be) (?:for sale|available for purchase)",
    r"(?:this|the) (?:domain|web ?page|web ?site|page) is parked|domain parking|parked free,? courtesy",
    r"buy this domain|inquire about this domain|interested in this domain",
    r"(?:account|website|site) (?:has been|is|was) suspended",
    r"(?:domain|hosting|website) (?:has|is) expired",
    r"(?:seite|artikel|inhalt|dokument).{0,60}?(?:nicht (?:gefunden|mehr (?:verfügbar|vorhanden|online)|verfügbar|existiert)|existiert nicht|wurde (?:gelöscht|verschoben|entfernt))",
    r"(?:domain|adresse) (?:steht zum verkauf|ist zu verkaufen|kaufen)",
    r"(?:page|article|contenu|document).{0,60}?(?:introuvable|n'existe (?:pas|plus)|n'est (?:pas|plus) (?:disponible|en ligne)|n'a pas (?:été|pu être) trouvée?|a été (?:supprimée?|déplacée?))",
    r"(?:nom de domaine|domaine) (?:est )?à vendre",
    r"(?:página|artículo|contenido|documento).{0,60}?(?:no (?:existe|encontrad[ao]|disponible|se (?:ha )?(?:encuentra|encontrado|pudo encontrar)|está disponible)|ya no (?:existe|está disponible)|ha sido (?:eliminad|movid|borrad)[ao])",
    r"dominio (?:está )?(?:en|a la) venta",
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
