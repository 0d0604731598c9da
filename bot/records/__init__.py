"""The plain values that the processes pass to each other through the database.

Nothing here reads or writes anything; `bot.store` stores these values, everything else
passes them on. Start with `tasks`, the form of all work that waits.

- `changes`: what a change feed reports, and how far it was read
- `watches`: what people asked to have watched, and the surfaces for it
- `tasks`: work that waits, leases, fair shares, and the loop that looks for work
- `jobs`: pages to check, and those that a wiki does not answer for
- `patrol`: edits of a whole wiki that are looked at
- `fetches`: sources read by one process for another
- `spending`: what language models may cost in a day
- `dossiers`: drafts that people asked for
- `posts`: writes wanted on a wiki, and what became of them
- `accounts`: readers of the panel, their sign-ins and decisions
- `panel_edits`: edits that readers saved through the panel
- `noted_edits`: edits that were noted, and what became of them
- `accuracy`: how often notes are right, for the open data
- `heartbeat`: which processes run, and what is wrong with them
- `status`: how the whole program is doing
"""
