"""What a server understands of the protocol, learnt from what it refuses.

The protocol has grown: newer models want `max_completion_tokens` and take no
`temperature`, older servers know no `response_format`. A server that refuses one
names it in its error; the next request goes without.
"""

from typing import Any

from bot.settings import JsonSupport

_WEAKER = {JsonSupport.SCHEMA: JsonSupport.OBJECT, JsonSupport.OBJECT: JsonSupport.NONE}
_JSON_WORDS = ("response_format", "json_schema", "json_object", "guided")


class Dialect:
    """The parameters of a request, beside model and messages."""

    def __init__(self, json: JsonSupport) -> None:
        self._may_weaken = json is JsonSupport.AUTO
        self._json = JsonSupport.SCHEMA if self._may_weaken else json
        self._limit = "max_tokens"
        self._steady = True

    def parameters(
        self, schema: dict[str, object], max_output_tokens: int
    ) -> dict[str, Any]:
        """Return them, in the form that the server is known to take."""
        chosen: dict[str, Any] = {self._limit: max_output_tokens}
        if self._steady:
            chosen["temperature"] = 0
        if self._json is JsonSupport.OBJECT:
            chosen["response_format"] = {"type": "json_object"}
        if self._json is JsonSupport.SCHEMA:
            chosen["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            }
        return chosen

    def learn(self, words: str, sent: dict[str, Any]) -> bool:
        """Take in a refusal; tell whether another form is worth a request.

        Args:
            words: of the server's error, in lower case.
            sent: the parameters that were refused. Requests under way together are
                refused together; those after the first only take over its lesson.
        """
        if self._limit in words and "max_tokens" in sent:
            self._limit = "max_completion_tokens"
            return True
        if "temperature" in words and "temperature" in sent:
            self._steady = False
            return True
        if self._may_weaken and any(word in words for word in _JSON_WORDS):
            return self._weaken(sent)
        return False

    def _weaken(self, sent: dict[str, Any]) -> bool:
        refused = sent.get("response_format", {}).get("type")
        if refused is None:
            return False
        if self._json is not JsonSupport.NONE and self._json.value in refused:
            self._json = _WEAKER[self._json]
        return True
