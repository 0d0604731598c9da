"""Runs METEOR 1.5, the Java program of its authors, which the papers' figures come from.

It is neither shipped nor needed: who has its file (NLG-eval and pycocoevalcap bring it)
can have its figures beside those of NLTK, which knows METEOR's first version only.
"""

import shutil
import subprocess
from pathlib import Path
from threading import Timer
from types import TracebackType

from handlers.ports import PermanentError

_SLOWEST_S = 300.0  # long texts take some ten seconds
_BAR = "|||"  # what the program parts its fields with
_PERCENT = 100


class MeteorProgram:
    """One running program; to be used in a `with` statement.

    Args:
        jar: `meteor-1.5.jar`; its paraphrases lie in `data` beside it.

    Raises:
        PermanentError: there is no such file, or no Java.
    """

    def __init__(self, jar: Path) -> None:
        self._java = shutil.which("java")
        if self._java is None:
            raise PermanentError(
                "METEOR 1.5 is a Java program and no `java` was found; install"
                " default-jre-headless, or leave it out"
            )
        if not jar.is_file():
            raise PermanentError(f"{jar} is no file; pass the path of meteor-1.5.jar")
        self._jar = jar.resolve()
        self._program: subprocess.Popen[str] | None = None

    def __enter__(self) -> "MeteorProgram":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the program; it starts anew when it is asked again."""
        if self._program is not None:
            self._program.kill()
            self._program.communicate()
            self._program = None

    def score(self, reference: str, text: str) -> float:
        """Return METEOR 1.5 for English, normalised, as NLG-eval asks for it: 0 to 100.

        Raises:
            PermanentError: the program ended, or took longer than five minutes.
        """
        told = self._ask(f"SCORE {_BAR} {_line(reference)} {_BAR} {_line(text)}")
        self._put(f"EVAL {_BAR} {told}")
        self._get()  # that of the segment, which is all there is
        try:
            return _PERCENT * float(self._get())
        except ValueError as error:
            raise self._broken() from error

    def _ask(self, line: str) -> str:
        self._put(line)
        return self._get()

    def _put(self, line: str) -> None:
        program = self._running()
        assert program.stdin is not None  # noqa: S101 - it was opened with one
        try:
            program.stdin.write(f"{line}\n")
            program.stdin.flush()
        except OSError as error:
            raise self._broken() from error

    def _get(self) -> str:
        program = self._running()
        assert program.stdout is not None  # noqa: S101 - it was opened with one
        limit = Timer(_SLOWEST_S, program.kill)
        limit.start()
        try:
            told = program.stdout.readline().strip()
        finally:
            limit.cancel()
        if not told:
            raise self._broken()
        return told

    def _running(self) -> "subprocess.Popen[str]":
        if self._program is None:
            self._program = subprocess.Popen(  # noqa: S603 - no shell, and what the user named
                [
                    self._java or "java",
                    *("-Xmx2G", "-jar", str(self._jar)),
                    *("-", "-", "-stdio", "-l", "en", "-norm"),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        return self._program

    def _broken(self) -> PermanentError:
        self.close()
        return PermanentError(
            f"{self._jar} gave no score; is it METEOR 1.5 with its `data` folder beside?"
        )


def _line(text: str) -> str:
    return " ".join(text.replace(_BAR, " ").split())
