"""Plans what is to be written for people: answers, reports, talk pages.

Due plans go in; posts for the outbox come out, stored together with the end of the plan.
Nothing is written here. Every plan may be made again at any time, and then asks for nothing
new. Start with `planner`.

- `planner`, `posts`: takes the plans that are due; the tools they are made with
- `opt_ins`, `opt_in_answers`, `page_lists`: a template that asks, its answer, its lists
- `selection`, `filtered`: which findings become notes; what a wiki's filter refuses
- `reports`, `talk`: a watcher's report page; the section of a talk page
- `drafts`, `own_pages`, `accuracy`: pages of drafts, the operator's, and open figures
- `current_page`, `diff`: what stands on a page, and one change to it
- `recheck`: asks again right before a write
"""
