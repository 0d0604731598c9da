"""The models that read and judge: the built-in networks, the encoder, a language model.

Text goes in (a claim with passages, or a prompt); probabilities, vectors or a reply come
out. Start with `neural`, which judges claims. `lexical` judges by features alone, `encoder`
makes vectors, `onnx` loads the networks, `operating_points` the thresholds that ship with
them; `language_model` asks any address that speaks OpenAI's protocol; `files` holds the
weights with their model cards.
"""
