"""Tells sections that hold no facts of their own: references, links, lists of books. Pure."""

from handlers.page.anchors import normalised

# English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Swedish.
_APPARATUS = frozenset(
    """references,reference,notes,footnotes,citations,sources,bibliography,further reading,
    external links,see also,notes and references,references and notes,works cited,
    general references,explanatory notes,gallery,einzelnachweise,weblinks,literatur,
    siehe auch,quellen,anmerkungen,fußnoten,références,notes et références,
    liens externes,lien externe,voir aussi,bibliographie,annexes,articles connexes,
    referencias,enlaces externos,véase también,bibliografía,notas,note,collegamenti esterni,
    altri progetti,voci correlate,bibliografia,referências,ligações externas,ver também,
    bronnen,referenties,externe links,zie ook,literatuur,przypisy,linki zewnętrzne,
    zobacz też,примечания,ссылки,литература,см также,källor,referenser,noter,
    externa länkar,se även,litteratur""".replace("\n    ", "").split(",")
)


def is_apparatus(section: tuple[str, ...]) -> bool:
    """Tell whether the section, or one that it stands in, takes no facts."""
    return any(normalised(heading) in _APPARATUS for heading in section)
