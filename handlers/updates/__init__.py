"""WiNELL: newer facts than an article has, with their sources. Pure.

`discovery` is the loop of the four roles; `subjects` reads the article for them.
Each role has a folder with its embedded implementation, and `by_model` holds what asks
a language model in its place.
"""
