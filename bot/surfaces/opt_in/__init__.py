"""Who asked for notes, about what and where; and who refuses them. Pure.

`watch` reads the opt-in template of a page, `community` what a wiki decided for itself,
`effective` combines both, `scope` says whether a page falls under it, and `exclusion`
whether a page refuses bots.
"""
