"""Wiki Live Challenge: the Good Article criteria, applied to one article or draft.

A page goes in; findings about its writing come out, each with its criteria. `review`
combines the checks: read it first. `by_model` asks a language model.
"""
