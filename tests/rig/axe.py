"""What axe-core has against a page, by the accessibility guidelines up to WCAG 2.2 AA."""

from importlib.resources import files

from playwright.sync_api import Page

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_RUN = """within => axe.run( within ? { include: within } : document, {
    resultTypes: [ 'violations' ],
    runOnly: [ 'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice' ]
} ).then( ( found ) => found.violations.map( ( each ) => each.id + ': ' +
    each.nodes.map( ( node ) => node.target + ' ' + node.failureSummary ).join( '; ' ) ) )"""


def violations(tab: Page, within: str = "") -> list[str]:
    """Return what it finds on the page, or in the elements that `within` selects."""
    if not tab.evaluate("() => !!window.axe"):  # half a megabyte
        tab.evaluate(_AXE)
    found: list[str] = tab.evaluate(_RUN, within)
    return found
