"""Makes the models that ship with the program, identical each time.

Data sets go in; the files of `bot/models/files` and `bot/sources/reliability` come out. Each
makes one: `lexical` and `verifier` the judges of claims, `operating_points` their
thresholds, `model_trust` how far a language model's answers count, `encoder` the encoder,
`pages` the model of pages without text, `reliability` the lists of sources. `writers` makes
sets for fine-tuning. Start with `lexical`.
"""
