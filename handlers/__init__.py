"""The pure core: what to think about a page. Values in, values out.

Start with `ports`, what the core needs from outside. `findings` is what was found, as it is
stored and shown; `registry` lists the kinds of findings, and who looks for each.

- `model`: the values that travel through the program
- `page`, `text`: wikitext to claims and citations; the words and numbers of a text
- `sources`, `documents`: sources by their address; documents by what they say of themselves
- `citations`: does each cited source support its claim?
- `updates`, `search`: facts newer than the article's; the queries for them
- `drafts`: documents to a draft
- `review`: the writing of an article
"""
