"""Who asked for notes, about what and where; and who refuses them.

The text of pages goes in, a watch in force comes out. Start with `watch`. `calls` finds the
templates on a page, `values` reads their values, `watch` makes an opt-in of them;
`community` reads what a wiki decided for itself, `effective` combines both, `scope` says
whether a page falls under it, and `refusal` what a page or a person refuses. Pure, but for
`refusal.Refusals`, which asks the store.
"""
