"""Plans what is to be written for people: answers, reports, talk pages.

Nothing is written here: each plan ends in posts for the outbox, stored together with
the end of the plan. Every plan may be made again at any time, and then asks for nothing
new.

`planner` takes the plans that are due: `opt_ins` for a template that asks, `reports`
and `talk` for notes, `drafts`, `own_pages` and `accuracy` for other pages. `selection`
says which findings become notes; `recheck` asks again right before a write.
"""
