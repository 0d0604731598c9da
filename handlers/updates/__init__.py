"""WiNELL: newer facts than an article has, with their sources. Pure.

A page, searches and a judge go in; outdated statements, new facts and sources worth
reading come out, each with the smallest edit that would bring it in. Without a language
model `without_model` is the whole run: read it first. With one, `discovery` is the loop
of the roles, which `criteria`, `navigator`, `extractor`, `decisions` and `editor` play.
Nobody plays in the place of a model that fails: the page counts as not checked, and a
model that is out of reach ends the run.
"""
