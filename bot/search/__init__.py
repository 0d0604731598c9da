"""Where candidates for a source come from.

Given a query, it returns addresses with title, date and a snippet, or whole documents.
`services` searches the web with engines and feeds, `index` documents on this disk,
`opensearch` a cluster. Start with `services.client`.
"""
