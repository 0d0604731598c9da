"""Fills templates of wikitext (`*.wiki`); no value in them has a meaning to the wiki.

They are Jinja's, but with `<< value >>` and `<% if … %>`, because braces mean something
to a wiki. Every value that is not `WikiSafe` is escaped when it is put in. That holds
for what filters and operators make of safe values, too: it is escaped twice rather than
not at all.
"""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.wiki.escaping import WikiSafe, text


def escaped(value: object) -> WikiSafe:
    """Return a value as it can stand in wikitext."""
    return value if isinstance(value, WikiSafe) else text(str(value))


def fill(package: str, name: str, /, **values: object) -> WikiSafe:
    """Return a template of `package` with its values, without a line break at its end."""
    filled = templates(package).get_template(name).render(**values)
    return WikiSafe(filled.rstrip("\n"))


@cache
def templates(package: str) -> Environment:
    """Return the templates of a package, each compiled once."""
    return Environment(
        loader=PackageLoader(package),
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=escaped,
        autoescape=False,  # noqa: S701 - it is no HTML; `finalize` escapes
    )
