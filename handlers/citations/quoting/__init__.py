"""What a person is shown of a quote: its words in their place, and the way there.

`words` cuts it out of its passage, `links` leads to it, `quotes` names its source.
"""
