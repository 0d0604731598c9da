"""What people see on the wiki: who asked for it, when it is due, and its wikitext.

Suggestions and opt-ins go in; posts for the outbox come out. Nothing here writes to a wiki.
Words from outside go through `bot.wiki.escaping`. Start with `planning`.

- `opt_in`: who asked for notes, and who refuses them
- `planning`: what is to be written for them
- `feedback`: what may be shown, by what readers decided
- `note`: the parts that all notes share
- `talk_page`, `report_page`, `dossier_page`: the pages; text in, text out
- `messages`: fixed words, written by people, in a wiki's language
- `post_summaries`: the edit summaries of posts
- `shipped`: the templates and documentation that ship (in `wikitext`)
- `panel_edits`, `problem_reports`: what readers saved through the panel, or say is wrong
"""
