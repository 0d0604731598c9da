"""Where candidates for a source come from.

In goes a query, out come addresses with title, date and a snippet, or whole documents.
`services` asks search engines and feeds over the web, `index` documents on this disk,
`opensearch` a cluster. Start with `services.asking`.
"""
