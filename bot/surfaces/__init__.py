"""Notes as wikitext: the state box, the report page and the talk-page section.

It is all text in and text out; nothing here reads or writes a wiki. Fixed words are
written by people, and words from outside go through `bot.wiki.escaping`. Pure, except
for `shipped`, which reads files of the package.
"""
