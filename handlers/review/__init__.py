"""Wiki Live Challenge: the Good Article criteria, applied to one article or draft.

A page goes in; findings about its writing come out, each with its criteria. `review`
combines the checks: read it first.

- `criteria`: the criteria, and the guidelines behind them
- `markdown`: a draft in Markdown as wikitext
- `manuscript`: a page as a reviewer reads it
- `shape`, `sources`: lead, headings and sizes; missing, empty, few or copied sources
- `rules`, `voice`: words to watch, as data; where the article's voice has them
- `by_model`: what a language model finds
- `suggestions`: which findings are shown
- `copied`: sentences that repeat their source, whoever asks for a review
"""
