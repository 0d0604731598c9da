"""The daemon is killed again and again on a real wiki, in short; `./dev torture` is long."""

from pathlib import Path

import pytest

from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder
from tests.torture.pipeline.phases import Phase
from tests.torture.pipeline.stage import stage_on
from tests.torture.pipeline.torture import Wishes, torture

pytestmark = pytest.mark.mediawiki


def test_nothing_is_lost_doubled_or_changed_when_the_daemon_is_killed(
    wiki: Wiki,
    recorder: Recorder,
    changes_port: int,
    tmp_path: Path,
) -> None:
    wishes = Wishes(
        kills=5,
        seed=3,
        flips=2,
        unanswered=3,
        longest_s=240,
        pause_s=0.35,
    )

    with stage_on(wiki, recorder, changes_port, tmp_path) as stage:
        result = torture(stage, wishes, print)

    assert result.wrong == [], result.text()
    counted = dict(result.lines)
    assert int(counted["posts on the wiki"]) > 4
    assert int(counted["stop pages flipped, each while a post was under way"]) > 0
    assert int(counted[f"killed in {Phase.WRITE.value}"]) >= 3
