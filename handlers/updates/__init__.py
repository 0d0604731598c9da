"""WiNELL: newer facts than an article has, with their sources. Pure.

A page, searches and a judge go in; outdated statements, new facts and sources worth
reading come out. With a language model `discovery` is the loop of its roles, which
`by_model` holds; without one `without_model` is the whole run: read it first.
"""
