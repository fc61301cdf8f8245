"""Many people at once from a panel, hooks twice and out of order, and a server that is killed.

What must hold afterwards: no sheet has too many raters, everybody has an outcome, nothing is paid twice,
and ours beside theirs there is nothing that does not fit.
"""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from ruamel.yaml import YAML
from sqlalchemy import text

from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.studies.visits import ACTIVE
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting import payments as payment_rows
from palaver.storage.recruiting.submissions import list_submissions
from palaver.storage.recruiting.visits import panel_visits
from palaver.studies.recruiting.books import read_reconciliation, read_suggestions
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import Ruling, rule
from palaver.studies.recruiting.submissions.hooks import set_up_hooks
from support.chains import verified
from support.lengths import short_and_long
from support.participants import Participant, sqlite_url
from support.recruiting import ADA, Recruiting, deployed, prolific_in_reach
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.asyncio, pytest.mark.faults, pytest.mark.timeout(300)]

LOST = (aiohttp.ClientError, ConnectionError, TimeoutError)
RATERS = 2


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandIn]:
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    with prolific_in_reach(monkeypatch) as found:
        yield found


def write_study(folder: Path, *, people: int) -> None:
    """A study that needs four fifths of the people who come."""
    sheets = people * 4 // 5 // RATERS
    folder.mkdir()
    terms: dict[str, Any] = {
        "title": "Judge a talk",
        "name": "storm",
        "minutes": 5,
        "consent": {"version": "1", "text": "You read a short talk."},
        "pay": {"amount": 1.0, "currency": "GBP", "over_quota": 0.2},
        "crowd": {"kind": "prolific", "rejoin": "open"},
        "recruit": {"description": "You read a talk.", "places": people, "most_places": people},
        "stages": [
            {"rate": {"ask": ["empathy"], "data": "data.jsonl", "raters": RATERS, "per_visit": 1}}
        ],
    }
    with (folder / "study.yaml").open("w", encoding="utf-8") as file:
        YAML().dump(terms, file)
    turns = [["user", "I am sad."], ["system", "Oh no."]]
    lines = [json.dumps({"id": f"d{n}", "turns": turns}) for n in range(sheets)]
    (folder / "data.jsonl").write_text("\n".join(lines), encoding="utf-8")


class Visitor:
    """Somebody from the panel, who does not give up while the server is away."""

    def __init__(self, stand_in: StandIn, piece: str, manner: str) -> None:
        self.piece = piece
        self.manner = manner
        self._panel = stand_in
        self._browser = Participant(stand_in.way_in(piece))

    async def come(self) -> None:
        """Take part in this manner, and go back."""
        try:
            if self.manner == "stays_away":
                await asyncio.to_thread(self._panel.return_, self.piece)
                return
            await self._insist(self._browser.link)
            await self._take_part()
        finally:
            await self._browser.session.close()

    async def _take_part(self) -> None:
        for _ in range(300):
            page = self._browser.page
            field = re.search(r'name="(answer-empathy-(\d+):empathy)"', page)
            if "/consent" in page:
                agrees = "decline" if self.manner == "declines" else "agree"
                await self._send("consent", consent=agrees)
            elif self.manner in ("returns", "times_out"):
                leave = {"returns": self._panel.return_, "times_out": self._panel.time_out}
                await asyncio.to_thread(leave[self.manner], self.piece)
                return
            elif '/start"' in page:
                await self._send("start")
            elif field is not None:
                await self._send("rate", **{field[1]: "empathetic"})
            elif self._browser.code is not None:
                break
            else:
                await asyncio.sleep(0.2)  # others hold what is left: the page says to try again
                await self._insist(self._browser.path)
        assert self._browser.code, page
        await asyncio.to_thread(self._panel.complete, self.piece, self._browser.code)
        if self._panel.submission(self.piece).return_requested is not None:
            await asyncio.to_thread(self._panel.return_, self.piece)  # as they were asked to

    async def _send(self, path: str, **form: str) -> None:
        try:
            await self._browser.send(path, **form)
            if self._browser.status == 200:
                return
        except LOST:
            pass
        await self._insist(self._browser.path)

    async def _insist(self, address: str) -> None:
        while True:
            try:
                await self._browser.open(address)
                if self._browser.status == 200 or self._browser.heading:
                    return
            except LOST:
                pass
            await asyncio.sleep(0.1)


MANNERS = {"stays": 80, "returns": 7, "times_out": 4, "declines": 4, "stays_away": 5}


@short_and_long("people", 24, 500)
async def test_nobody_is_lost_and_nothing_is_paid_twice(
    tmp_path: Path, stand_in: StandIn, environment: dict[str, str], people: int
) -> None:
    kills = 1 if people < 100 else 10
    folder, home, port = tmp_path / "study", tmp_path / "home", free_port()
    write_study(folder, people=people)
    home.mkdir()
    base = f"http://127.0.0.1:{port}"
    async with deployed(folder, home, stand_in) as before:
        made = await recruit.create(before.deployment, "storm", base=base, actor=ADA)
        await set_up_hooks(before.deployment, base=base, actor=ADA)
        made = await recruit.publish(before.deployment, made, actor=ADA)

    async def start() -> Server:
        return await asyncio.to_thread(
            start_server, folder, home=home, port=port, environment=environment
        )

    running = await start()
    dice = random.Random(people)
    # Everything happens at least once, however few come.
    drawn = dice.choices(list(MANNERS), weights=list(MANNERS.values()), k=people - len(MANNERS))
    draws = [*MANNERS, *drawn]
    dice.shuffle(draws)
    visitors = [
        Visitor(stand_in, each.id, manner)
        for each, manner in zip(stand_in.arrive(people), draws, strict=True)
    ]
    over = asyncio.Event()
    telling = asyncio.create_task(_tell(stand_in, over))
    arriving = asyncio.gather(*(each.come() for each in visitors))
    try:
        for _ in range(kills):
            await asyncio.sleep(dice.uniform(0.3, 1.5))
            running.kill()
            verified(sqlite_url(home))
            running = await start()
        await arriving
    finally:
        over.set()
        await telling
        running.stop()
    async with deployed(folder, home, stand_in) as after:
        await _check(after, made, visitors)


async def _tell(stand_in: StandIn, over: asyncio.Event) -> None:
    """Deliver hooks twice, and every other time in the wrong order, until all have left."""
    shuffled = False
    stand_in.switches.hooks = "twice"
    while not over.is_set():
        stand_in.switches.hooks = "shuffled" if shuffled else "twice"
        shuffled = not shuffled
        await asyncio.to_thread(stand_in.deliver)
        await asyncio.sleep(0.1)


async def _check(home: Recruiting, made: Recruitment, visitors: list[Visitor]) -> None:
    store, panel = home.deployment.store, home.stand_in
    await news.read_all(home.deployment, made)

    # No sheet has more raters than it needs, and nobody who is gone holds one.
    counted = await store.read(
        lambda c: c.execute(
            text("SELECT sheet_id, COUNT(*) FROM slots WHERE state IN ('held', 'done') GROUP BY 1")
        ).all()
    )
    assert all(count <= RATERS for _, count in counted)
    visits = await store.read(lambda c: panel_visits(c, home.study.id, "prolific"))
    assert not [each for each in visits if each.state == ACTIVE]
    named = [each.person for each in visits if each.person is not None]
    assert len(named) == len(set(named))

    # Everybody has an outcome, here and there.
    known = await store.read(lambda c: list_submissions(c, made.id))
    assert len(known) == len(visitors)
    told = Counter(each.state for each in known)
    finished = sum(each.reason == "complete" for each in visits)
    assert told["awaiting_review"] == finished
    assert set(told) <= {"awaiting_review", "returned", "timed_out", "screened_out"}

    # Ours beside theirs nothing is left over.
    now = home.deployment.clock.now() + 1e6
    books = await store.read(lambda c: read_reconciliation(c, made, now=now))
    assert [(each.kind, each.words) for each in books.mismatches] == []

    await _decide_and_pay(home, made)
    assert len({each.who for each in panel.payments}) == len(panel.payments)


async def _decide_and_pay(home: Recruiting, made: Recruitment) -> None:
    """Approve what is suggested, and pay each of them a bonus, with an answer that never comes."""
    store, now = home.deployment.store, home.deployment.clock.now()
    found = await store.read(lambda c: read_suggestions(c, made, None, now=now))
    pieces = tuple(each.submission.panel_id or "" for each in found if each.suggested == "approve")
    assert len(pieces) == len(found)
    for begin in range(0, len(pieces), 400):
        ruling = Ruling(decision="approve", submissions=pieces[begin : begin + 400])
        assert (await rule(home.deployment, made, ruling, actor=ADA)).done
    await news.read_all(home.deployment, made)
    states = await store.read(lambda c: list_submissions(c, made.id))
    assert sum(each.state == "approved" for each in states) == len(pieces)

    amounts = {piece: orders.Money(25, "GBP") for piece in pieces}
    await store.write(
        lambda c: orders.intend_by_hand(
            c, made, amounts, words="thanks", subject="storm", actor=ADA, now=now
        )
    )
    left = await store.read(lambda c: payment_rows.unordered(c, made.id))
    chosen = [each.id for each in left]
    made_orders = await store.write(
        lambda c: orders.make_orders(c, made, chosen, actor=ADA, now=now)
    )
    for number, order in enumerate(made_orders):
        ready = await orders.set_up(home.deployment, order, actor=ADA)
        if number == 0:
            home.stand_in.switches.break_next(how="500", when="after", on="pay")
        paid = await orders.pay(home.deployment, ready, actor=ADA)
        assert paid.state == ("unknown" if number == 0 else "paid")
    assert len(home.stand_in.payments) == len(pieces)
