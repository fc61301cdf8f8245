"""An onlooker knows studies without serving them, and what it changes others follow."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.file.reader import load_studies
from palaver.studies.home import find_home
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.onlooker import looking_on
from support.recruiting import ADA, BASE, prolific_in_reach, recruiting

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.delenv("PALAVER_DATABASE_URL", raising=False)
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def test_what_was_never_served_is_not_known(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in):
        pass
    (tmp_path / "study.yaml").write_text(
        (tmp_path / "study.yaml").read_text().replace("name: birds", "name: fish")
    )
    async with looking_on(find_home(tmp_path), load_studies(tmp_path)) as onlooker:
        assert onlooker.studies == {}


async def test_a_draft_is_made_beside_a_server_which_follows(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in, crowd={"kind": "prolific"}) as home:
        before = home.study.version
        async with looking_on(find_home(tmp_path), load_studies(tmp_path)) as onlooker:
            assert onlooker.studies["birds"].systems == {}
            made = await recruit.create(onlooker, "birds", base=BASE, actor=ADA)
            # The codes that the file lacked are in it, as a version of their own.
            known = onlooker.studies["birds"]
            assert known.version == before + 1
            assert known.definition.crowd.codes["completed"] == made.codes["completed"]
        await home.deployment.versions.follow()
        assert home.study.version == before + 1
        assert home.study.definition.crowd.codes == known.definition.crowd.codes


async def test_who_is_gone_at_the_panel_is_freed_past_the_server(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await home.published()
        (visit,) = await home.come(recruitment)
        stand_in.return_(visit.external_id or "")
        async with looking_on(find_home(tmp_path), load_studies(tmp_path)) as onlooker:
            await news.read_all(onlooker, recruitment)
        ended = await home.end(visit)  # which does nothing to a visit that is over
        assert (ended.state, ended.reason) == ("abandoned", "returned")
