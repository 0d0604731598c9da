"""The pure core: what to think about a page. Values in, values out."""
