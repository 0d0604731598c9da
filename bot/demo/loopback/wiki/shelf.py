"""The templates that every test wiki has, written for this project.

They have the names and parameters of Wikipedia's, as far as articles use them, and need
no Lua.
"""

from importlib.resources import files

from bot.demo.loopback.wiki.seeds import SeedPage

_KINDS = (  # of sources, each with a template that calls the common one
    "AV media",
    "book",
    "conference",
    "encyclopedia",
    "journal",
    "magazine",
    "news",
    "press release",
    "report",
    "thesis",
    "web",
)
_OF_OTHER_LANGUAGES = {  # with the names of their address, title and publisher
    "Internetquelle": ("url", "titel", "hrsg"),
    "Lien web": ("url", "titre", "éditeur"),
    "Cita web": ("url", "título", "editorial"),
    "استشهاد ويب": ("مسار", "عنوان", "ناشر"),
}
_STYLE = """\
cite.citation { font-style: normal; }
.reflist { font-size: 90%; }
"""


def template_pages() -> tuple[SeedPage, ...]:
    """Return the templates, and the style that goes with them."""
    own = sorted(
        (files("bot.demo.loopback.wiki") / "templates").iterdir(), key=lambda f: f.name
    )
    return (
        *(
            SeedPage(
                f"Template:{file.name.removesuffix('.wikitext')}",
                (file.read_text("utf-8"),),
            )
            for file in own
        ),
        *(
            SeedPage(f"Template:{name}", ("#REDIRECT [[Template:Cite]]",))
            for name in ("Citation", *(f"Cite {kind}" for kind in _KINDS))
        ),
        *(
            SeedPage(
                f"Template:{name}",
                (f"[{{{{{{{url}}}}}}} {{{{{{{title}}}}}}}]. {{{{{{{by}|}}}}}}",),
            )
            for name, (url, title, by) in _OF_OTHER_LANGUAGES.items()
        ),
        SeedPage("MediaWiki:Common.css", (_STYLE,)),
    )
