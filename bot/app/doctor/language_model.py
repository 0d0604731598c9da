"""The language model: whether it answers, accepts our key and writes JSON, and its price."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from pydantic import BaseModel

from bot.app.doctor.values import Group, Notes, Patient, Trial, ask
from bot.app.wiring.language_model import allowance
from bot.app.wiring.wiki import user_agent
from bot.daemon.web.guard import is_loopback
from bot.search.services.client import Request
from bot.settings import Settings
from handlers.ports import ModelRequest, ModelSilence, PermanentError, TemporaryError

_MOST_S = 30.0
_SETTING = "Check SIDENOTE_LANGUAGE_MODEL_ADDRESS; without the model, doubtful claims stay doubtful."
_INSTRUCTIONS = (
    "This is a test of the connection. Answer with the number of legs that a horse has."
)
_SHOWN = 5


class Legs(BaseModel):
    """What the model is asked for."""

    legs: int


@dataclass(frozen=True, slots=True)
class _Model:
    what: str
    address: str
    name: str
    key: str


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of language models."""
    return tuple(_trials(patient))


def _trials(patient: Patient) -> Iterator[Trial]:
    settings = patient.settings
    if not settings.language_model_address:
        yield Trial(Group.LANGUAGE_MODEL, "language model", _none, _SETTING)
    for model in _models(settings):
        ask, listed = partial(_ask, patient, model), partial(_listed, patient, model)
        yield Trial(
            Group.LANGUAGE_MODEL, model.what, ask, _SETTING, _MOST_S + 5, is_remote=True
        )
        yield Trial(
            Group.LANGUAGE_MODEL,
            f"{model.what}: list",
            listed,
            _SETTING,
            after=model.what,
            is_remote=True,
        )
    if settings.language_model_address:
        yield Trial(Group.LANGUAGE_MODEL, "cost", partial(_cost, patient), _SETTING)


def _models(settings: Settings) -> Iterator[_Model]:
    address, key = settings.language_model_address, settings.language_model_key
    if address:
        name = settings.language_model_name
        yield _Model("language model", address, name, key.get_secret_value())
    if settings.draft_model:
        place = settings.draft_model_address or address
        is_same = urlsplit(place)[:2] == urlsplit(address)[:2]
        secret = key.get_secret_value() if is_same else ""
        yield _Model("model of drafts", place, settings.draft_model, secret)


async def _none(notes: Notes) -> None:
    notes.skipped("language model", "not set, and not needed")


async def _ask(patient: Patient, model: _Model, notes: Notes) -> None:
    from bot.models.language_model import (
        Budget,
        ChatModel,
        ModelSettings,
        Patience,
        Prices,
    )

    settings = patient.settings
    asked = ModelSettings(
        address=model.address,
        name=model.name,
        key=model.key,
        user_agent=user_agent(settings),
        budget=Budget(settings.language_model_budget, settings.language_model_calls),
        prices=Prices(
            settings.language_model_input_price, settings.language_model_output_price
        ),
        patience=Patience(
            timeout_s=min(settings.language_model_timeout_s, _MOST_S), attempts=1
        ),
        json=settings.language_model_json,
        max_output_tokens=settings.language_model_output_tokens,
    )
    question = ModelRequest(_INSTRUCTIONS, (), Legs)
    async with ChatModel(asked) as chat:
        reply = await chat.ask(question)
    where = urlsplit(model.address).netloc
    if isinstance(reply, ModelSilence):
        notes.warning(
            model.what,
            f"{model.name} at {where} gave an unusable answer: {reply.detail}",
            "Allow longer answers (SIDENOTE_LANGUAGE_MODEL_OUTPUT_TOKENS), or choose another model.",
        )
        return
    use = reply.use
    notes.fine(
        model.what,
        f"{model.name} at {where} answered in JSON ({use.input_tokens} + {use.output_tokens} tokens)",
    )


async def _listed(patient: Patient, model: _Model, notes: Notes) -> None:
    """See the list of models of the server; many servers have none."""
    headers = {"Authorization": f"Bearer {model.key}"} if model.key else {}
    request = Request(
        f"{model.address.rstrip('/')}/models", {}, headers, secret=model.key
    )
    name = f"{model.what}: list"
    try:
        said = (await ask(patient, model.what, request, timeout_s=10)).json
    except (PermanentError, TemporaryError):
        said = None
    data = said.get("data") if isinstance(said, dict) else None
    if not isinstance(data, list):
        notes.skipped(name, "the server lists no models")
        return
    ids = [str(each.get("id")) for each in data if isinstance(each, dict)]
    if model.name in ids:
        notes.fine(name, f"{model.name} is listed")
        return
    notes.warning(
        name,
        f"{model.name} is not among the models listed: {', '.join(ids[:_SHOWN])}",
        "Set SIDENOTE_LANGUAGE_MODEL_NAME to the exact name.",
    )


async def _cost(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    price_in = settings.language_model_input_price
    price_out = settings.language_model_output_price
    budget, calls = settings.language_model_budget, settings.language_model_calls
    daily = allowance(settings)
    host = urlsplit(settings.language_model_address).hostname or ""
    if not (calls and daily.calls):
        notes.warning(
            "cost",
            "the limit of requests is 0",
            "Set SIDENOTE_LANGUAGE_MODEL_CALLS and …_DAILY_CALLS above 0.",
        )
    elif not (price_in or price_out):
        seen = f"no price is set, so spending is limited only by {calls:,} requests per run and {daily.calls:,} per day of the daemon"
        if is_loopback(host):
            notes.fine("cost", seen)
            return
        notes.warning(
            "cost",
            seen,
            "If the server charges money, set SIDENOTE_LANGUAGE_MODEL_INPUT_PRICE and …_OUTPUT_PRICE.",
        )
    elif not (budget and daily.money):
        notes.warning(
            "cost",
            "the budget is 0",
            "Set SIDENOTE_LANGUAGE_MODEL_BUDGET and …_DAILY_BUDGET above 0.",
        )
    else:
        told = f"{budget} and {calls:,} requests per run, {daily.money} and {daily.calls:,} requests per day of the daemon; {price_in} and {price_out} per million tokens"
        notes.fine("cost", told)
