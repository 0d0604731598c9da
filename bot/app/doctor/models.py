"""The models that ship: whether each file is undamaged and works."""

from functools import partial
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from bot.app.doctor.values import Group, Notes, Patient, Trial, in_thread
from bot.report.words import counted
from bot.settings import VerifierChoice

SUMS = "checksums.sha256"
_MIB = 2**20
_REINSTALL = "Reinstall Sidenote; local changes to its files are lost."
_TEXT = "The bridge was opened in 1937."


def sums_trial(folder: Traversable | None = None) -> Trial:
    """Return the comparison of the files in `folder` (those that ship) with their sums."""
    place = folder or files("bot.models") / "files"
    look = in_thread(partial(_sums, place))
    return Trial(Group.MODELS, "files", look, _REINSTALL, limit_s=20)


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of the models."""
    choice = patient.settings.verifier
    works = (
        ("verifier", partial(_verifier, choice)),
        ("encoder", _encoder),
    )
    return (
        sums_trial(),
        *(
            Trial(Group.MODELS, name, in_thread(look), _REINSTALL, limit_s=30)
            for name, look in works
            if "work" in patient.roles
        ),
    )


def _sums(folder: Traversable, notes: Notes) -> None:
    listed = (folder / SUMS).read_text("ascii").splitlines()
    wanted = {name: told for told, name in (line.split() for line in listed)}
    bad, size = [], 0
    for name, told in wanted.items():
        try:
            content = (folder / name).read_bytes()
        except OSError as error:
            bad.append(f"{name} cannot be read ({(error.strerror or '').lower()})")
            continue
        size += len(content)
        if sha256(content).hexdigest() != told:
            bad.append(f"{name} is damaged (its SHA-256 differs)")
    if bad:
        notes.broken("files", ", ".join(bad), _REINSTALL)
        return
    told = f"{counted(len(wanted), 'file')}, {size / _MIB:.0f} MiB, undamaged"
    notes.fine("files", told)


def _verifier(choice: VerifierChoice, notes: Notes) -> None:
    if choice is VerifierChoice.LEXICAL:
        from bot.models.lexical import LexicalVerifier

        notes.fine("verifier", f"lexical, version {LexicalVerifier().engine.version}")
        return
    from bot.models.neural import shipped_networks, shipped_neural
    from handlers.citations.network_input import PairText

    same = shipped_networks(threads=1)(PairText(_TEXT, "", _TEXT))
    version = shipped_neural().model.version
    if any(
        one is None or one.supported < max(one.refuted, one.unmentioned)
        for one in (same, same.larger)
    ):
        notes.broken(
            "verifier", "it does not recognise an identical sentence", _REINSTALL
        )
        return
    notes.fine("verifier", f"minilm, version {version}, judged a sentence")


def _encoder(notes: Notes) -> None:
    from bot.models.encoder import DIMENSIONS, Encoder

    encoder = Encoder()
    vector = encoder.encode(_TEXT)
    if vector.shape == (DIMENSIONS,) and abs(float(vector @ vector) - 1) < 1e-3:  # noqa: PLR2004 - of length 1
        notes.fine("encoder", f"{encoder.name}, encoded a sentence")
        return
    notes.broken("encoder", "its vectors have the wrong shape", _REINSTALL)
