"""Wiki Live Challenge: the Good Article criteria, applied to one article or draft.

A page goes in; findings about its writing leave, each with its criteria. `review` puts the
checks together: read it first. `by_model` and `pairwise` ask a language model.
"""
