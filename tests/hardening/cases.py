"""The 52 threats and failures of the catalogue, with what is promised and its tests."""

from tests.hardening.case import Case
from tests.hardening.cases_of_posts import POSTS_AND_WEB
from tests.hardening.cases_of_sources import SOURCES_AND_MODEL
from tests.hardening.cases_of_stream import STREAM_AND_STORAGE
from tests.hardening.goals import GOALS

CASES: tuple[Case, ...] = (*STREAM_AND_STORAGE, *SOURCES_AND_MODEL, *POSTS_AND_WEB)
ALL: tuple[Case, ...] = (*CASES, *GOALS)
