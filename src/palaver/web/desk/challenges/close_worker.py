"""The process that closes a challenge: `python -m palaver.web.desk.challenges.close_worker`."""

import sys
from pathlib import Path

import msgspec

from palaver.core.audit import Actor
from palaver.core.errors import PalaverError
from palaver.evaluation.challenges.stored import find_challenge
from palaver.evaluation.home import open_evaluation
from palaver.reports.challenge_results import close_and_write
from palaver.web.desk.beside import give_way
from palaver.web.desk.challenges.closing import CloseTask


def main() -> None:
    """Close what standard input asks for; on a mistake one line on standard error."""
    give_way()
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=CloseTask)
    try:
        close(task)
    except PalaverError as error:
        sys.exit(str(error))


def close(task: CloseTask) -> None:
    """Compute the results of a challenge, keep them, and freeze it."""
    with open_evaluation(Path(task.home), task.database) as home:
        row = home.store.read_now(lambda c: find_challenge(c, task.challenge))
        actor = Actor(task.actor, task.via, task.address)
        close_and_write(home, row, by=actor, now=task.now, publish=task.publish)


if __name__ == "__main__":
    main()
