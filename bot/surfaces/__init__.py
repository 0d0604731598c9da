"""What people see on the wiki: who asked for it, when it is due, and its wikitext.

`opt_in` says who asked for notes, `planning` what is to be written for them. `note` has
the parts that all notes share, `talk_page`, `report_page` and `dossier_page` the pages;
these are text in and text out. Fixed words are written by people (`messages`), and words
from outside go through `bot.wiki.escaping`. Nothing here writes to a wiki.
"""
