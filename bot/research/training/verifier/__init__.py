"""Makes the cross-encoder that ships: pairs from data, fine-tuning, export.

Only `sidenote train verifier` uses this; running the model does not need it. Start with
`run`: `examples` makes the pairs, `network` is trained by `fit`, and `heads` combines its
answers with the features.
"""
