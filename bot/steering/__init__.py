"""What readers' decisions say about how surely a finding has to be right to be shown.

Pure: decisions in, least probabilities out.
"""
