"""What reads and judges: the network that ships, the encoder, and a language model.

In goes text (a claim beside passages, or a prompt), out come probabilities, vectors or
a reply. `neural_verifier` is the judge, `language_model.chat` the way to any address that
speaks OpenAI's protocol; `files` holds the weights with their cards.
"""
