"""The models that read and judge: the built-in networks, the encoder, a language model.

Text goes in (a claim with passages, or a prompt); probabilities, vectors or a reply
come out. `neural` judges claims, `language_model.chat` asks any address that
speaks OpenAI's protocol, and `files` holds the weights with their model cards.
"""
