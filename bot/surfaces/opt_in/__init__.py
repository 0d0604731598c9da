"""Who asked for notes, about what and where; and who refuses them.

`watch` reads the opt-in template of a page, `community` what a wiki decided for itself,
`effective` combines both, `scope` says whether a page falls under it, and `refusal`
what a page or a person refuses. Pure, but for `refusal.Refusals`, which asks the store.
"""
