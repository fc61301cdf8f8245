"""The process that computes a board of advice: `python -m palaver.web.boards.advice_worker FOLDER`."""

import sys
import time
from pathlib import Path

import msgspec

from palaver.core.errors import InputError, PalaverError
from palaver.core.serial import encode
from palaver.reports.target import opened_store
from palaver.studies.advice.board import read_round_board
from palaver.studies.advice.board_records import AdviceBoard
from palaver.web.boards.advice_shelf import FOUND, BoardTask
from palaver.web.desk.beside import give_way


def main() -> None:
    """Compute the board that standard input asks for; on a mistake one line on standard error."""
    give_way()
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=BoardTask)
    try:
        board = compute(task)
    except PalaverError as error:
        sys.exit(str(error))
    (Path(sys.argv[1]) / FOUND).write_bytes(encode(board))


def compute(task: BoardTask) -> AdviceBoard:
    """The board as the judgements stand."""
    with opened_store(task.database, Path(task.file), task.study) as opened:
        study = opened.definition
        if study is None or study.digest != task.digest:
            raise InputError(
                "The study's file has changed since the server read it; start it again."
            )
        now = time.time()
        return opened.store.read_now(lambda c: read_round_board(c, study, task.raters, now=now))


if __name__ == "__main__":
    main()
