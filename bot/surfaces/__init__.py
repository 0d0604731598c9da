"""Notes as wikitext: the state box, the report page and the talk-page section.

All of it is text in and text out; nothing here reads or writes a wiki. Fixed words
are written by people, and what comes from outside goes through
`bot.wiki.escaping`. Pure, but for `wiki_pages`, which reads files of the package.
"""
