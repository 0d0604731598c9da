"""What can be said of a source without reading it: by its address and its citation. Pure.

`addresses` decides which addresses mean the same page, `links` what the visits to one
show and how else a reader gets at the text, `reliability` how a wiki regards its site;
`templates` writes the citation of a page that was read.
"""
