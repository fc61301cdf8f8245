"""The process that compares the runs of a track: `python -m palaver.web.challenges.verdict_worker`."""

import sys
import time
from pathlib import Path

import msgspec

from palaver.core.errors import PalaverError
from palaver.evaluation.challenges.standings import make_verdict
from palaver.evaluation.challenges.stored import find_challenge
from palaver.evaluation.home import evaluation_home
from palaver.storage import Store
from palaver.web.challenges.verdicts import TrackVerdictTask
from palaver.web.desk.beside import give_way


def main() -> None:
    """Compare what standard input asks for; on a mistake one line on standard error."""
    give_way()
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=TrackVerdictTask)
    try:
        compare(task)
    except PalaverError as error:
        sys.exit(str(error))


def compare(task: TrackVerdictTask) -> None:
    """Compute the verdict of a track, and keep it with the files of its home."""
    store = Store(task.database, read_only=task.database.startswith("sqlite"))
    try:
        home = evaluation_home(Path(task.home), store)
        row = store.read_now(lambda c: find_challenge(c, task.challenge))
        make_verdict(home, row, task.track, task.phase, part=task.part, now=time.time())
    finally:
        store.close()


if __name__ == "__main__":
    main()
