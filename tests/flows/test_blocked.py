"""People whom a study blocks are turned away in words, also by pseudonym, and leave no trace."""

from pathlib import Path

import pytest

from palaver.formats.pseudonyms import origin_pseudonym
from support.houses import House, study
from support.participants import Participant

CHAT = {"turns": {"exactly": 4}, "conditions": "tern:5"}


@pytest.mark.asyncio
async def test_a_blocked_person_is_turned_away(tmp_path: Path) -> None:
    crowd = {"kind": "chateval", "blocked": "blocked.txt", "blocked_salt": "pepper"}
    url = f"sqlite:///{tmp_path / 'home' / 'palaver.db'}"
    house = House.build(tmp_path, {"closed": study(CHAT, crowd=crowd)}, url)
    blocked = house.studies / "closed" / "blocked.txt"
    blocked.write_text(f"{origin_pseudonym('pepper', 'A39S')}\nB2\n")
    house.serve()
    try:
        for person, status in (("A39S", 403), ("B2", 403), ("C3", 200)):
            address = f"{house.server.base}/s/closed?worker_id={person}&assignment_id=1"
            visitor = Participant(address)
            await visitor.open(address)
            await visitor.session.close()
            assert visitor.status == status
            assert ("You cannot take part in this study." in visitor.page) == (status == 403)
        people = house.rows("SELECT external_id FROM participants")
        assert [row.external_id for row in people] == ["C3"]
    finally:
        house.close()
