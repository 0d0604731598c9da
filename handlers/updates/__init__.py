"""WiNELL: facts newer than those in an article, with their sources. Pure.

A page, searches and a verifier go in; outdated statements, new facts and sources worth
reading come out, each with the smallest edit that would add it. `discovery` is the loop
that calls the roles: read it first. A language model plays them in `criteria`,
`navigator`, `extractor`, `decisions` and `editor`, the built-in engine in `embedded`.
There is no fallback for a model that fails: the page counts as not checked, and a model
that cannot be reached ends the run.
"""
