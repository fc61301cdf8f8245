"""What may be done with a recruitment as it stands, and what is said before it is done."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.offering.codes import codes_of
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.moves import foreseen, make_move, open_moves
from palaver.studies.recruiting.submissions.foreseen import code_words, foreseen_decision
from support.recruiting import ADA, BASE, TERMS, prolific_in_reach, recruiting, write_study

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def test_only_what_makes_sense_is_offered(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        draft = await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        assert open_moves(draft) == ("publish", "delete", "read")
        told = foreseen("publish", draft)
        assert "10 places at 2.00 GBP each may cost 28.00 GBP in all with fees" in told
        running = await make_move(home.deployment, draft, "publish", actor=ADA)
        assert open_moves(running) == ("pause", "stop", "read")
        paused = await make_move(home.deployment, running, "pause", actor=ADA)
        assert open_moves(paused) == ("resume", "stop", "read")
        stopped = await make_move(home.deployment, paused, "stop", actor=ADA)
        assert open_moves(stopped) == ("read",)
        stand_in.delete_over_there(stopped.panel_id or "")
        with pytest.raises(InputError, match="it was deleted there"):
            await make_move(home.deployment, stopped, "read", actor=ADA)
        assert open_moves(await recruit.find(home.deployment, stopped.key)) == ()


async def test_a_move_that_nobody_knows_does_nothing(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        draft = await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        with pytest.raises(InputError, match=r"Nothing is called 'publsh'.* Near: 'publish'"):
            await make_move(home.deployment, draft, "publsh", actor=ADA)
        assert foreseen_decision("approve", 1, draft) == (
            "1 submission is approved. It gets the reward of 2.00 GBP; with fees that is 2.80 GBP. A "
            "payment is not taken back."
        )


async def test_what_the_panel_does_with_each_code_is_said(tmp_path: Path) -> None:
    pay = {**TERMS["pay"], "practice": 0.2}
    study = write_study(tmp_path, pay=pay, recruit={**TERMS["recruit"], "approve": "at_once"})
    told = code_words(study, codes_of(study), places=10, currency="GBP")
    assert told["completed"] == "The panel approves and pays at once."
    assert told["screened_out"] == "Is paid 0.20 GBP as a screen-out."
    assert told["no_consent"].startswith("Is asked to return the place")
