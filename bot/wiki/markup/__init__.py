"""What goes into a wiki's pages, and is found there again, as text. Pure.

`escaping` makes anything safe to show, `keys` signs what is ours, `blocks` keeps a
stretch of a page that we may rewrite, `titles` knows a wiki's namespaces, `calls`
finds templates.
"""
