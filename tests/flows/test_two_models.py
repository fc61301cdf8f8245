"""A round with two models, served: writers meet each of them equally often, in every process."""

from typing import Any

import pytest

from palaver.evaluation.home import evaluation_home
from palaver.storage.evaluation.rounds import find_round
from palaver.storage.evaluation.tasks import find_task
from support.loops import Writer, loop_house, loop_study, put_http_model

pytestmark = pytest.mark.asyncio

STUDY = loop_study(models=["bag", "sack"], per_context=5, per_visit=2)


async def test_writers_meet_both_models_equally_often(busy_ground: Any) -> None:
    with loop_house(busy_ground.folder, busy_ground.database_url, {"loop": STUDY}) as (
        house,
        endpoint,
    ):
        home = evaluation_home(house.home, house.store)
        put_http_model(home, "nli", "sack", endpoint)
        servers = [house.serve()]
        if house.store.is_postgres:
            servers.append(house.serve())
        for n in range(6):
            async with house.visitor("loop", server=servers[n % len(servers)]) as person:
                writer = await Writer.begin(person)
                if n % 2:
                    await writer.tries(f"Sentence {n} follows.")
                    await writer.keeps()
                    await writer.next()
                round_ = house.store.read_now(lambda c: find_round(c, find_task(c, "nli").id))
                met = [round_.model_of(d.id).name for d in house.dialogues("loop")]
                assert abs(met.count("bag") - met.count("sack")) <= 1
        assert len(met) == 9
