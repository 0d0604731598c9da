"""Makes the cross-encoder that ships: pairs from data, fine-tuning, export.

Only `sidenote train verifier` comes here; running the model needs none of it.
"""
