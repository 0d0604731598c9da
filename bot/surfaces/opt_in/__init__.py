"""Who asked for notes, about what and where; and who asked for none. Pure.

`watch` reads the opt-in template of a page, `community` what a wiki decided for
itself, `effective` what comes of both, `scope` whether a page falls under it,
`exclusion` whether a page refuses bots.
"""
