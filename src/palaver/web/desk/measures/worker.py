"""The process that measures a study: `python -m palaver.web.desk.measures.worker FOLDER`."""

import gc
import sys
import time
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError, PalaverError
from palaver.reports.target import OpenStudy, opened_store
from palaver.studies.review.views import measures_of
from palaver.web.desk.beside import give_way
from palaver.web.desk.measures.shelf import FOUND, MeasuresFound, MeasureTask


def main() -> None:
    """Measure what standard input asks for; on a mistake one line on standard error."""
    give_way()
    # Hundreds of thousands of answers are held until the end; nothing is won by looking through them.
    gc.disable()
    folder = Path(sys.argv[1])
    task = msgspec.json.decode(sys.stdin.buffer.read(), type=MeasureTask)
    try:
        with opened_store(task.database, Path(task.file or folder), task.study) as opened:
            found = measure(task, opened)
    except PalaverError as error:
        sys.exit(str(error))
    (folder / FOUND).write_bytes(msgspec.json.encode(found))


def measure(task: MeasureTask, opened: OpenStudy) -> MeasuresFound:
    """Everything that is measured of a study's answers."""
    # The server goes by the file as it read it, also if somebody has changed it since.
    definition = opened.definition
    if definition is not None and definition.digest != task.digest:
        definition = None
    measures = measures_of(opened.stored, definition, task.raters)
    if measures.digest != task.digest:
        raise InputError("The study's file has changed since the server read it; start it again.")

    def work(connection: Connection) -> MeasuresFound:
        # The mark first: what is answered meanwhile may be measured, but is not said to be.
        mark, now = measures.mark(connection), time.time()
        return MeasuresFound(mark=mark, time=now, summaries=measures.measure_all(connection))

    return opened.store.read_now(work)


if __name__ == "__main__":
    main()
