"""Pages that the test wiki holds besides those of the demo.

All places and facts are made up.
"""

from bot.demo.loopback.wiki.seeds import SeedPage

CLOCK = """\
'''The Harbour Clock of Eastmere''' stands on the old customs quay.<ref name="guide">\
{{cite web |url=http://127.0.0.1:1/guide |title=A guide to the quay |year=2019}}</ref>

== History ==
The clock was built in 1874 by Ada Penrose.<ref name="guide" /> A storm stopped it in \
1911.<ref>{{cite book |last=Holm |title=Storms of the North Coast |page=12}}</ref>

== References ==
<references />
"""
CLOCK_FIRST = "'''The Harbour Clock of Eastmere''' stands on the old customs quay.\n"
CLOCK_SECOND = CLOCK_FIRST + "\n== History ==\nThe clock was built in 1847.\n"


PAGES = (
    SeedPage("Harbour Clock of Eastmere", (CLOCK_FIRST, CLOCK_SECOND, CLOCK)),
    SeedPage("Eastmere Clock", ("#REDIRECT [[Harbour Clock of Eastmere]]\n",)),
    SeedPage(
        "Ada Penrose", ("#REDIRECT [[Harbour Clock of Eastmere#History]] {{R to x}}\n",)
    ),
    SeedPage("Old clock", ("#REDIRECT [[Eastmere Clock]]\n",)),
    SeedPage("Here and there", ("#REDIRECT [[There and here]]\n",)),
    SeedPage("There and here", ("#REDIRECT [[Here and there]]\n",)),
    SeedPage("Own tail", ("#REDIRECT [[Own tail]]\n",)),
    SeedPage("Lost way", ("#REDIRECT [[A page that nobody wrote]]\n",)),
    SeedPage(
        "Eastmere",
        (
            "'''Eastmere''' may be:\n* [[Harbour Clock of Eastmere]], a clock\n"
            "* Eastmere Halt, a station\n{{disambiguation}}\n",
        ),
    ),
    SeedPage(
        "Penrose Lane", ("'''Penrose Lane''' is a lane that nobody has cited.\n",)
    ),
    SeedPage("Café Zürich 🕰", ("A café; “Zürich” — 東京 🕰 <ref>Menü</ref>\n",)),
    SeedPage("Talk:Eastmere", ("Which Eastmere? ~~~~\n",)),
    SeedPage("MediaWiki:Common.js", ("var quay = 1;\n",)),
    SeedPage("Sunken pier", ("This page was deleted.\n",)),
    SeedPage("Locked room", ("First.\n", "Somebody's secret.\n", "Last.\n")),
)
DELETED = "Sunken pier"
HIDDEN = ("Locked room", 1)  # page, and which of its revisions
