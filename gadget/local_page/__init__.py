"""The panel without a wiki: plain articles, and the queue, on our own pages.

The same script as on a wiki, with a small stand-in for MediaWiki's `mw` (`mw.js`) and a
style sheet of our own for the Codex tokens and classes that it uses (`codex.css`). Start
with `pages`; `articles` are what there is to read, `local_reader` who reads.
"""

from gadget.local_page.articles import WatchedArticles
from gadget.local_page.local_reader import signed_in_here
from gadget.local_page.pages import local_pages

__all__ = ["WatchedArticles", "local_pages", "signed_in_here"]
