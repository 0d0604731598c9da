"""The names that wikis give to their citation templates and parameters.

Those of the English, German, French, Spanish and Arabic Wikipedias. To support another
wiki, add it here and nowhere else. Names are as the scan gives them (lower case);
parameter names are compared without "-", "_" and spaces. Pure.
"""

from collections.abc import Mapping
from enum import Enum

from handlers.model import TagKind


class Role(Enum):
    """What a template does for citations."""

    FULL = "full citation"  # {{cite web}}
    SHORT = "short citation"  # {{sfn}}, {{harvnb}}
    REUSE = "reuse"  # {{r}}
    PAGES = "pages"  # {{rp}}
    NOTE = "note"  # {{refn}}, {{efn}}
    LIST = "list of references"  # {{reflist|refs=…}}
    IDENTIFIER = "identifier"  # {{doi}}
    ADDRESS = "address"  # {{URL}}
    ARCHIVE = "archived copy"  # {{webarchive}}
    TAG = "cleanup tag"


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in listed.replace("\n", " ").split(",") if name)


_FULL = """
    citation, cite, cit web, cit news, citeweb, citenews, citebook, citejournal,
    vcite web, vcite news, vcite book, vcite journal, vancite web, vancite news,
    vancite book, vancite journal, web reference, reference news, wikicite, citar web,
    internetquelle, literatur, der spiegel,
    lien web, article, ouvrage, chapitre, lien brisé, lien archive, lien vidéo,
    lien conférence, article encyclopédique, thèse,
    obra citada,
    استشهاد, مرجع ويب, مرجع كتاب, مرجع خبر
"""
_FULL_PREFIXES = ("cite ", "cita ", "استشهاد ")
_NOT_FULL = frozenset(
    _names(
        """cite check, cite sources, cite section, cite plot points, cite talk,
        cita bloque, cita conocida, cita destacada"""
    )
)
_SHORT = """
    sfn, sfnp, sfnm, sfnmp, snf, psfn, shortened footnote, harv, harvnb, harvtxt, harvp,
    harvcol, harvcolnb, harvcoltxt, harvs, harvard citation, harvard citation text,
    harvard citation no brackets, harvsp, référence harvard,
    référence harvard sans parenthèses, cita harvard, cita harvard sin paréntesis
"""
_REUSE = "r"
_PAGES = "rp, reference page"
_LIST = """
    reflist, references, refs, reference list, ref-list, reflist-talk, notelist,
    notelist-ua, notelist-lr, notelist-ur, notelist-lg, notelist-ug, notefoot,
    références, références nombreuses, listaref, مراجع, ثبت المراجع
"""
_ADDRESS = (
    "url, official website, official url, official, website, homepage, site officiel"
)
_ARCHIVE = "webarchive, wayback, webcite, webarchiv, web archive, cite archive"

# The group of a note whose template names none.
NOTE_GROUPS: Mapping[str, str] = {
    "refn": "",
    "#tag:ref": "",
    "efn": "lower-alpha",
    "efn-la": "lower-alpha",
    "efn-ua": "upper-alpha",
    "efn-lr": "lower-roman",
    "efn-ur": "upper-roman",
    "efn-lg": "lower-greek",
    "efn-ug": "upper-greek",
    "explanatory footnote": "lower-alpha",
    "notetag": "note",
}
LIST_GROUPS: Mapping[str, str] = {
    "notelist": "lower-alpha",
    "notelist-ua": "upper-alpha",
    "notelist-lr": "lower-roman",
    "notelist-ur": "upper-roman",
    "notelist-lg": "lower-greek",
    "notelist-ug": "upper-greek",
    "notefoot": "note",
}
# Groups whose footnotes explain rather than cite.
EXPLANATORY_GROUPS = frozenset(
    _names(
        """lower-alpha, upper-alpha, lower-roman, upper-roman, lower-greek, upper-greek,
        note, notes, n, nb, n.b., fn, footnote, footnotes, explanatory, anm., anm, a,
        anmerkung, anmerkungen, remarque, remarques, nota, notas, arabic-abajad,
        ملاحظة, ملاحظات, هامش, هوامش, معلومة"""
    )
)
IDENTIFIERS: Mapping[str, str] = {
    "doi": "doi",
    "doi-inline": "doi",
    "pmid": "pmid",
    "pmc": "pmc",
    "arxiv": "arxiv",
    "isbn": "isbn",
}

_TAGS: Mapping[TagKind, str] = {
    TagKind.CITATION_NEEDED: """
            citation needed, cn, fact, cb, ctn, cit needed, citation requested, cite-needed,
            needs citation, need citation, citation-needed, citeneeded, fcitation needed,
            source needed, sourceme, uncited, unreferenced inline, refneeded, ref needed,
            citation needed span, cnspan, cn span, fact span, cn lead, citation needed lead,
            full citation needed lead, uncited inline, fact-now, medical citation needed,
            mcn, primary source needed claim, cite quote, quote citation needed,
            beleg, belege, belege fehlen, quelle fehlt,
            référence nécessaire, refnec, réf nécessaire, référence souhaitée, refsou,
            cita requerida, referencia requerida, demostrar,
            حقيقة, بحاجة لمصدر, بحاجة إلى مصدر, مصدر مطلوب
        """,
    TagKind.FAILED_VERIFICATION: """
            failed verification, failed verification span, fv, verification failed,
            not in source, not in citation, notincitation, not in ref, notinsource,
            nicg, source does not support, doesn't say that, non vérifié,
            référence non conforme, source non conforme, فشل التحقق
        """,
    TagKind.DEAD_LINK: """
            dead link, deadlink, dead url, dl, broken link, link broken, 404, dead links,
            dead-link, toter link, lien mort, enlace roto, cite link dead,
            وصلة مكسورة, وصلة ميتة
        """,
    TagKind.BETTER_SOURCE_NEEDED: """
            better source needed, better source, bettersource, better, bsn,
            better source example, unreliable source?, unreliable source inline, rs?, rs,
            reliable source?, unreliable source, self-published inline, sps, user-generated
            source, self-published source, user-generated inline, primary source inline,
            primary source-inline, psi, primary source, third-party inline, nonprimary
            source needed, non-primary source needed, npsn, tertiary source inline,
            medical reliable source?, medrs?, deprecated inline, obsolete source,
            independent source inline, third-party source needed, predatory publisher,
            référence insuffisante, refins, source insuffisante, verificar credibilidad,
            مصدر أفضل, مصدر غير موثوق
        """,
    TagKind.DUBIOUS: """
            dubious, disputed inline, disputed-inline, dubious-discuss, discutable,
            questionable, unlikely, dubious span, contradict-inline, contradictory inline,
            contradict inline, hoax inline, inconsistent, factually inaccurate inline,
            douteux, passage contradictoire, dudoso, مشكوك فيه
        """,
    TagKind.OUTDATED: """
            update inline, update-inline, update after, outdated inline, outdated-inline,
            out of date inline, needs update, update inline span, updateinline, obsolete
            inline, date missing, veraltet inline, veraltet, passage à actualiser,
            référence obsolète, actualizar en línea, desactualizado
        """,
    TagKind.OTHER: """
            clarify, clarify span, clarification needed, clarifyme, explain, huh, what,
            which, which?, who, who?, whom?, by whom, by whom?, according to whom,
            according to whom?, attribution needed, says who, says who?, when, when?,
            timeframe?, where, where?, why, why?, how, how?, how often, how many, weasel
            inline, weasel-inline, vague, vague inline, ambiguous, peacock inline,
            peacock-inline, pov inline, pov-inline, pov statement, npov inline, neutrality
            disputed inline, original research inline, original research?, or, or?,
            or inline, synthesis inline, synthesis-inline, syn, improper synthesis?, undue
            inline, undue-inline, undue weight inline, lopsided inline, page needed, page
            numbers needed, pn, volume needed, issue needed, full citation needed, full,
            citation not found, incomplete short citation, verify source, verification
            needed, verification needed span, vn, verify quote, quote needed, quotation
            needed, request quotation, needs quote, citation broken, nonspecific, specify,
            importance inline, relevance inline, irrelevant inline, off-topic inline,
            tone inline, jargon inline, jargon-inline, opinion, fact or opinion,
            speculation inline, speculation-inline, spam link, bare url inline, author
            missing, publisher missing, title missing, year missing, season needed, excessive
            citations inline, too many references, circular reference, circular, link note,
            check isbn, self-contradictory inline, definition needed, example needed,
            elucidate, non sequitur, buzz inline, copyedit inline, quantify, colloquial
            inline, chronology citation needed, disambiguation needed, dn, disambig needed,
            wann, wer, wo,
            quand, précision nécessaire, qui, par qui, selon qui, où, comment, pourquoi,
            combien, lequel, lesquels, pas clair, interprétation personnelle,
            passage non neutre, passage promotionnel, référence incomplète,
            référence à confirmer, préciser,
            aclarar, cuándo, quién, por quién, según quién, dónde, cuál,
            متى, متى؟, من, من؟, أين, أين؟, بحسب من؟, حسب من, توضيح, بحاجة لتوضيح
        """,
}
TAG_KINDS: Mapping[str, TagKind] = {
    name: kind for kind, listed in _TAGS.items() for name in _names(listed)
}

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(_names(_FULL), Role.FULL),
    **dict.fromkeys(_names(_SHORT), Role.SHORT),
    **dict.fromkeys(_names(_REUSE), Role.REUSE),
    **dict.fromkeys(_names(_PAGES), Role.PAGES),
    **dict.fromkeys(_names(_LIST), Role.LIST),
    **dict.fromkeys(NOTE_GROUPS, Role.NOTE),
    **dict.fromkeys(IDENTIFIERS, Role.IDENTIFIER),
    **dict.fromkeys(_names(_ADDRESS), Role.ADDRESS),
    **dict.fromkeys(_names(_ARCHIVE), Role.ARCHIVE),
    **dict.fromkeys(TAG_KINDS, Role.TAG),
}

_FIELDS: Mapping[str, str] = {
    "url": """url, online, lireenligne, chapterurl, contributionurl, articleurl,
            sectionurl, entryurl, mapurl, transcripturl, urlchapitre, urlcapítulo,
            conferenceurl, titleurl, urltexte, présentationenligne, مسار, رابط""",
    "archive_url": "archiveurl, archivurl, urlarchivo, مسارأرشيف",
    "archive_date": "archivedate, archivdatum, fechaarchivo, تاريخأرشيف",
    "url_status": "urlstatus, deadurl, offline, brisé, estado, urlmuerta, حالةالمسار",
    "dead_since": "briséle, deadlinkdate",
    "access_date": """accessdate, accessed, abruf, zugriff, consultéle, fechaacceso,
            تاريخالوصول""",
    "doi": "doi, دوي, معرفكائنرقمي",
    "pmid": "pmid",
    "pmc": "pmc",
    "arxiv": "arxiv, eprint",
    "isbn": "isbn, isbn13, isbn10, ردمك",
    "pages": """pages, page, pp, p, at, seiten, seite, páginas, página, passage,
            quotepages, quotepage, صفحة, صفحات""",
    "quote": "quote, quotation, zitat, citation, extrait, cita, اقتباس",
    "title": """title, titel, titre, título, chapter, contribution, article, entry,
            section, reference, scripttitle, chapitre, episodetitle, capítulo, عنوان,
            الفصل""",
    "work": """work, newspaper, journal, magazine, website, periodical, encyclopedia,
            encyclopaedia, dictionary, werk, sammelwerk, périodique, site, obra,
            periódico, publicación, booktitle, series, mailinglist, program, network,
            sitioweb, revista, titreouvrage, عمل, صحيفة, مجلة, دورية, موقع""",
    "publisher": """publisher, institution, agency, via, verlag, hrsg, éditeur,
            editorial, organization, ناشر""",
    "language": "language, lang, sprache, langue, idioma, لغة",
    "published": "date, publicationdate, datum, fecha, تاريخ",
    "year": "year, jahr, année, año, سنة",
    "ref": "ref",
    "id": "id",
    "authors": "authors, vauthors, people, auteurs, autores, مؤلفون",
}
# (field, rank): if two names give the same field, the lower rank wins.
FIELD_NAMES: Mapping[str, tuple[str, int]] = {
    name: (field, rank)
    for field, listed in _FIELDS.items()
    for rank, name in enumerate(_names(listed))
}
# Parameters with a number: who they name, and which part of the name.
PEOPLE: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        _names(
            "last, surname, authorlast, authorsurname, nom, apellido, apellidos, الأخير"
        ),
        ("author", "last"),
    ),
    **dict.fromkeys(
        _names(
            "first, given, authorfirst, authorgiven, prénom, nombre, nombres, الأول"
        ),
        ("author", "first"),
    ),
    **dict.fromkeys(
        _names("author, auteur, auteurinstitutionnel, autor, host, مؤلف"),
        ("author", "whole"),
    ),
    **dict.fromkeys(_names("editorlast, editorsurname, edlast"), ("editor", "last")),
    **dict.fromkeys(_names("editorfirst, editorgiven, edfirst"), ("editor", "first")),
    **dict.fromkeys(_names("editor, herausgeber, editors, محرر"), ("editor", "whole")),
}


def role_of(name: str) -> Role | None:
    """Return what the template of this normalised name does, or `None`."""
    role = _ROLES.get(name)
    if role is None and name.startswith(_FULL_PREFIXES) and name not in _NOT_FULL:
        return Role.FULL
    return role
