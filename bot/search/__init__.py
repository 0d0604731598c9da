"""Where candidates for a source come from.

A query goes in; addresses with title, date and a snippet come out, or whole documents.
Start with `services.client`.

- `services`: the web, the news, feeds, catalogues of papers, and Wikimedia
- `index`: documents on this disk, by words and by meaning
- `opensearch`: a corpus too large for one machine
"""
