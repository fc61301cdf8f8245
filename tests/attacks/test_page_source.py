"""A rater who reads the source of every page: which sheet is a check, how the store counts, and how
long an answer may be said to have taken."""

import asyncio
import base64
import binascii
import json
import re
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import aiohttp
import pytest
from sqlalchemy import text

from palaver.evaluation.dynaboards import read_board, save_snapshot
from palaver.evaluation.home import evaluation_home
from palaver.storage import Store
from palaver.storage.evaluation.submitters import add_submitter
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.schema import metadata
from support.databases import Postgres
from support.houses import House, study, write_study
from support.judging_studies import BAD, GOOD, READS, gold, line, training
from support.participants import Participant
from support.public_boards import PublicBoard
from support.seeding import NOW

pytestmark = pytest.mark.postgres

CARES = "empathetic"
SEAL_LENGTH = 22
# Every table begins to count where no other number of a page is.
FIRST, STEP = 731_000_000, 1_000_000
CLEAR = {"kind": "likert", "text": "How clear is the reply?"}
CHAT = {"pace": None, "arrangement": "paired", "turns": {"exactly": 2}}
STUDIES: dict[str, dict[str, Any]] = {
    "judged": {
        "title": "Judge",
        "questions": {"clear": CLEAR, "reads": READS},
        "stages": [
            {"screen": {"training": "training.json", "ask": "empathy"}},
            {
                "rate": {
                    "ask": ["empathy", "clear"],
                    "data": "many.jsonl",
                    "raters": 3,
                    "order": "file",
                    "per_visit": 6,
                    "gold": {"file": "gold-of-both.jsonl", "after": 1, "every": 2},
                    "attention": {"ask": ["reads"], "after": 2, "every": 2},
                }
            },
        ],
    },
    "chatters": study({"turns": {"exactly": 2}, "conditions": "tern"}),
    "judge-chatters": {
        "title": "Judge chats",
        "stages": [
            {
                "rate": {
                    "ask": ["empathy"],
                    "from": "chatters",
                    "raters": 3,
                    "gold": {"file": "gold.jsonl", "after": 1},
                }
            }
        ],
    },
    "own-questions": study(
        {},
        stages=[
            {"chat": {**CHAT, "conditions": "plover|tern", "online": {"ask": "thumbs"}}},
            {"rate": {"ask": ["preference"]}},
        ],
        board={"public": True},
    ),
    "people": study(
        {"arrangement": "people", "turns": {"exactly": 2}, "conditions": [{"people": True}]}
    ),
}
FILES = {
    "many.jsonl": [line(f"d{n}", GOOD if n % 2 else BAD) for n in range(6)],
    "gold.jsonl": [gold("g1")],
    "gold-of-both.jsonl": [{**gold(f"g{n}"), "answers": {"clear": 3}} for n in range(3)],
}


@dataclass
class Sight:
    """One rating page as a rater got it, and what only the store knows of it."""

    purpose: str
    page: str
    head: str
    hidden: dict[str, str]

    @property
    def has_check(self) -> bool:
        return 'id="answer-reads"' in self.page


@dataclass
class Loot:
    """All that was sent to somebody who is not staff, by who they were, and the sheets among it."""

    sent: dict[str, list[str]] = field(default_factory=dict)
    sights: dict[str, list[Sight]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def house(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The studies and a public board in a store that counts from numbers that stand out."""
    folder, url = tmp_path_factory.mktemp("attacked"), postgres.new_database()
    for name, definition in STUDIES.items():
        here = write_study(folder / "studies" / name, definition)
        for file, lines in FILES.items():
            (here / file).write_text("".join(json.dumps(each) + "\n" for each in lines))
        (here / "training.json").write_text(json.dumps(training()))
    built = House(folder / "studies", folder / "home", url)
    count_high(built.store)
    built.home.mkdir(parents=True)
    publish_board(built)
    built.serve()
    yield built
    built.close()


def count_high(store: Store) -> None:
    """Let the ids of each table begin at a number of its own."""

    def begin(connection: Any) -> None:
        for n, table in enumerate(numbered_tables()):
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :first)"),
                {"name": table, "first": FIRST + n * STEP},
            )

    store.write_now(begin)


def numbered_tables() -> list[str]:
    return [
        table.name
        for table in metadata.sorted_tables
        if "id" in table.c and table.c.id.autoincrement and not table.c.id.foreign_keys
    ]


def publish_board(house: House) -> None:
    """A board that everybody may see, with a model that has no name for them, and a snapshot of it."""
    board = PublicBoard(evaluation_home(house.home, house.store), sets={"snli-test": 20})
    team = house.store.write_now(
        lambda c: add_submitter(c, task_id=board.row.id, team="Owls of Ghent", now=NOW)
    )
    board.model("bert-base", 0.7, submitter_id=team.id)
    board.model("secret", 0.8, published=False)
    house.store.write_now(
        lambda c: save_snapshot(
            c, board.row.id, "Then", read_board(c, board.row, board.task, public=True), now=0.0
        )
    )


@pytest.fixture(scope="module")
def loot(house: House) -> Loot:
    """What raters, chatters and strangers are sent on their whole way."""
    return asyncio.run(collect(house))


async def collect(house: House) -> Loot:
    found = Loot()
    for person in ("ann", "bob"):
        async with visiting(house, found, "judged", person) as ann:
            await practise(ann)
            found.sights[person] = await judge_all(house, ann)
    for person in ("cy", "di"):
        async with visiting(house, found, "chatters", person) as cy:
            room = await cy.chat("Hello")
            await room.ends()
            await cy.reload()
    async with visiting(house, found, "own-questions", "eve") as eve:
        await compare_own(eve)
    await asyncio.gather(pair_up(house, found, "fay"), pair_up(house, found, "gus"))
    # What was chatted is taken in when a process starts.
    later = house.serve()
    async with visiting(house, found, "judge-chatters", "hal", server=later) as hal:
        found.sights["hal"] = await judge_all(house, hal)
    found.sent["stranger"] = await wander(house.server.base)
    found.sent["team"] = await submit(house)
    return found


@asynccontextmanager
async def visiting(
    house: House, found: Loot, study: str, person: str, **options: Any
) -> AsyncIterator[Participant]:
    async with house.visitor(study, person, **options) as visitor:
        await visitor.begin()
        yield visitor
        for path in ("problem", "withdraw"):
            await visitor.open(f"{visitor.path}/{path}")
        found.sent[person] = visitor.received


async def practise(ann: Participant) -> None:
    """Get a round wrong once, mend it, and pass."""
    await ann.send("practice")
    while len(fields(ann)) == 2:
        first, second = fields(ann)
        await ann.send("rate", **{first: "not_empathetic", second: "not_empathetic"})
        while "Check again" in ann.page:
            await ann.send("rate", **dict.fromkeys(fields(ann), CARES))
        if "This round counts" in ann.page:
            first, second = fields(ann)
            await ann.send("rate", **{first: CARES, second: "not_empathetic"})


def fields(ann: Participant) -> list[str]:
    """The empathy fields on the page, in order."""
    return list(dict.fromkeys(re.findall(r'name="(answer-empathy-\d+:empathy)"', ann.page)))


async def judge_all(house: House, ann: Participant) -> list[Sight]:
    """Judge every sheet as it should be judged; what was seen of each screen, twice of the first."""
    sights: list[Sight] = []
    while 'name="work"' in ann.page:
        if not sights:
            sights.append(sight(house, ann))
            await ann.reload()
        sights.append(sight(house, ann))
        likert = {"answer-clear": "3", "answer-reads": "4"}
        given = {name: value for name, value in likert.items() if f'name="{name}"' in ann.page}
        await ann.send("rate", **given, **dict.fromkeys(fields(ann), CARES))
        assert ann.status == 200, ann.page
    return sights


def sight(house: House, ann: Participant) -> Sight:
    [(purpose,)] = house.rows(
        "SELECT sheets.purpose FROM slots JOIN sheets ON sheets.id = slots.sheet_id "
        "JOIN assignments ON assignments.id = slots.assignment_id "
        "WHERE slots.state = 'held' AND assignments.key = :key",
        key=ann.path.rpartition("/")[2],
    )
    return Sight(purpose, ann.page, ann.received[-2], ann.hidden())


async def compare_own(eve: Participant) -> None:
    for _ in range(2):
        await (await eve.chat("Hello")).ends()
        await eve.reload()
        while judged := re.findall(r'name="(answer-thumbs-\d+)"', eve.page):
            await eve.send("rate", **{judged[0]: "up"})
    await eve.send("rate", **{"answer-preference": "a"})
    assert eve.code


async def pair_up(house: House, found: Loot, person: str) -> None:
    async with visiting(house, found, "people", person) as fay:
        if "/waiting/" in fay.page:
            assert await fay.wait_for_partner() == "seated"
        room = await fay.room()
        await room.say("Hello")
        await room.ends()
        await fay.reload()


# What anybody may ask for, from which links lead on.
OPEN_DOORS = (
    "/",
    "/health",
    "/tasks",
    "/boards/own-questions",
    "/boards/own-questions.json",
    "/s/judged",
    "/tasks/nli/board.json",
    "/tasks/nli/board.csv",
    "/tasks/nli/models/dynaboard?ordered_metric_weights=4|1|1|1|1"
    "&ordered_scoring_dataset_weights=5",
    "/api/v1/tasks",
    "/api/v1/tasks/nli",
    "/api/v1/tasks/nli/board",
    "/api/v1/tasks/nli/board/csv",
    "/api/v1/tasks/nli/tags",
    "/api/v1/tasks/nli/saved",
    "/api/v1/tasks/nli/models/dynaboard",
    "/api/v1/tasks/nli/models/topleaderboardtags",
)


async def wander(base: str) -> list[str]:
    """Everything that a stranger comes upon."""
    sent: list[str] = []
    seen: dict[str, int] = {}
    ahead = list(OPEN_DOORS)
    async with aiohttp.ClientSession() as session:
        while ahead:
            path = ahead.pop()
            if path in seen or path.startswith(("/static/", "/desk")):
                continue
            async with session.get(base + path) as response:
                seen[path] = response.status
                page = await response.text()
            sent += [f"{path}\n{dict(response.headers)}", page]
            ahead += re.findall(r'(?:href|src)="(/[^"#]*)"', page)
            ahead += [f"/api/v1/saved/{key}" for key in re.findall(r'"key":"(b_[\w-]+)"', page)]
    assert {status for path, status in seen.items() if path in OPEN_DOORS} <= {200, 403}, seen
    assert len(seen) > len(OPEN_DOORS) + 4
    return sent


async def submit(house: House) -> list[str]:
    """What a team reads of itself and of its models."""
    task = house.store.read_now(lambda c: find_task(c, "nli"))
    team = house.store.write_now(
        lambda c: add_submitter(c, task_id=task.id, team="Late owls", now=NOW)
    )
    cookies, sent = {"palaver_team": team.token}, []
    heads = {"Authorization": f"Bearer {team.token}"}
    async with aiohttp.ClientSession(cookies=cookies, headers=heads) as session:
        for path in ("/api/v1/submissions/team", "/api/v1/submissions", "/tasks/nli/submit"):
            async with session.get(house.server.base + path) as response:
                assert response.status == 200, path
                sent += [str(dict(response.headers)), await response.text()]
    assert "Late owls" in sent[1]
    return sent


# --- What the store counts ------------------------------------------------------------------------


def test_no_number_of_the_store_is_in_anything_that_is_sent(house: House, loot: Loot) -> None:
    numbers = {
        str(number): table
        for table in numbered_tables()
        for (number,) in house.rows(f"SELECT id FROM {table}")
    }
    counted = set(numbers.values())
    assert {"slots", "sheets", "labels", "dialogues", "units", "models", "screenings"} <= counted
    assert {"submitters", "tasks", "datasets"} <= counted
    leaks = {
        (who, numbers[number])
        for who, sent in loot.sent.items()
        for text_ in sent
        for number in long_numbers(text_)
        if number in numbers
    }
    assert leaks == set()
    assert {"ann", "eve", "fay", "hal", "stranger", "team"} <= set(loot.sent)


def long_numbers(sent: str) -> Iterator[str]:
    """Every nine digits in a row, also within what is only encoded."""
    for each in (sent, *decoded(sent)):
        for run in re.findall(r"\d{9,}", each):
            for at in range(len(run) - 8):
                yield run[at : at + 9]


def decoded(sent: str) -> Iterator[str]:
    for word in set(re.findall(r"[\w-]{12,}", sent)):
        try:
            yield base64.urlsafe_b64decode(word + "=" * (-len(word) % 4)).decode("latin-1")
        except (binascii.Error, ValueError):
            continue


def test_a_number_that_is_encoded_is_found_all_the_same() -> None:
    hidden = base64.urlsafe_b64encode(b'["slot", 731000017]').decode()
    assert "731000017" in set(long_numbers(f'<input value="{hidden}">'))
    assert "731000017" in set(long_numbers("work=sheet-731000017"))


# --- What tells a check ---------------------------------------------------------------------------


class Structure(HTMLParser):
    """A page without its words: the tags in order, with whatever attributes hold no text."""

    def __init__(self, page: str, *, without: str = "", only: str = "") -> None:
        super().__init__()
        self.tags: list[tuple[Any, ...]] = []
        self._without, self._only = without, only
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "fieldset":
            self._inside.append(known.get("id") or "")
        if self._only and self._only not in self._inside:
            return
        if self._without and self._without in self._inside:
            return
        self.tags.append((tag, *(self._plain(tag, known, each) for each in known)))

    def handle_endtag(self, tag: str) -> None:
        if tag == "fieldset":
            self._inside.pop()

    def _plain(self, tag: str, known: dict[str, str | None], name: str) -> tuple[str, str]:
        value = known[name] or ""
        if name in ("data-elapsed", "data-question", "aria-label"):
            return name, ""
        if tag == "input" and name == "value" and known.get("type") == "hidden":
            return name, re.sub(r"[A-Za-z0-9_-]", "x", value)
        return name, value.replace(self._only, "answer") if self._only else value


def structures(sights: Iterable[Sight], **options: str) -> dict[str, set[str]]:
    """How pages are built, by the screen of their sheet."""
    found: dict[str, set[str]] = {}
    for each in sights:
        # What has just happened is said once, whatever comes next.
        page = re.sub(r'<p class="notice".*?</p>', "", each.page, flags=re.S)
        built = repr(Structure(page, **options).tags)
        head = re.sub(r"'(?:Date|date|Content-Length|content-length)': '[^']*'", "", each.head)
        head = re.sub(r"\?screen=\d", "", head)
        found.setdefault(each.hidden["screen"], set()).add(f"{head}\n{built}")
    return found


@pytest.mark.parametrize("person", ["ann", "bob", "hal"])
def test_a_check_is_built_like_every_other_sheet(loot: Loot, person: str) -> None:
    sights = [each for each in loot.sights[person] if not each.has_check]
    gold_ = [each for each in sights if each.purpose == "gold"]
    real = [each for each in sights if each.purpose == "real"]
    assert gold_
    assert len(real) >= 2
    assert structures(gold_)["0"] == structures(real)["0"]
    assert len(structures(real)["0"]) == 1


def test_a_question_that_checks_attention_is_built_like_every_other(loot: Loot) -> None:
    checked = [each for each in loot.sights["ann"] if each.has_check]
    plain = [each for each in loot.sights["ann"] if not each.has_check and each.purpose == "real"]
    assert checked
    assert structures(checked, without="answer-reads")["1"] == structures(plain)["1"]
    asked = structures(checked, only="answer-reads")["1"]
    assert asked == structures(plain, only="answer-clear")["1"]


def test_the_comparison_would_see_a_number(loot: Loot) -> None:
    first = loot.sights["ann"][0]
    other = Sight(
        "gold",
        first.page.replace(first.hidden["work"], "sheet-731000017"),
        first.head,
        first.hidden,
    )
    assert structures([first]) != structures([other])


def test_seals_differ_from_rater_to_rater_and_are_as_long(loot: Loot) -> None:
    seals = {
        person: {each.hidden["work"] for each in loot.sights[person]} for person in ("ann", "bob")
    }
    assert not seals["ann"] & seals["bob"]
    assert {len(seal) for each in seals.values() for seal in each} == {SEAL_LENGTH}
    # One sheet has one seal, on all its screens and after a reload.
    sheets = {(each.purpose, each.hidden["work"]) for each in loot.sights["ann"]}
    assert len(sheets) == 6 + 3


# --- What a form may say --------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_what_was_handed_to_others_or_never_is_refused_alike(house: House) -> None:
    async with (
        house.visitor("judge-chatters", "ivy") as ivy,
        house.visitor("judge-chatters", "jo") as jo,
    ):
        await ivy.begin()
        await jo.begin()
        theirs, answer = jo.hidden(), {fields(ivy)[0]: CARES}
        ours = ivy.hidden()
        forged = {
            "the seal of another rater": {"work": theirs["work"], "shown": theirs["shown"]},
            "the time of another rater": {"shown": theirs["shown"]},
            "a row of the store": {"work": "sheet-731000017"},
            "no seal": {"work": "", "shown": ""},
            "strange letters": {"work": "\ud7ff…\u2028"},
            "a seal of another kind": {"work": ours["shown"].rpartition(".")[2]},
        }
        told = {}
        for what, given in forged.items():
            await ivy.send("rate", **given, **answer)
            notice = re.search(r'<p class="notice".*?</p>', ivy.page, re.S)
            assert notice, what
            told[what] = (ivy.status, re.sub(r"<svg.*?</svg>", "", notice[0], flags=re.S))
            assert ivy.hidden()["work"] == ours["work"]
        assert {status for status, _ in told.values()} == {409}
        assert len(set(told.values())) == 1
        await ivy.send("rate", **answer)
        assert ivy.status == 200
    stored = house.rows("SELECT count(*) FROM labels JOIN studies ON studies.id = labels.study_id "
                        "JOIN assignments ON assignments.id = labels.assignment_id "
                        "WHERE studies.name = 'judge-chatters' AND assignments.key = :key",
                        key=ivy.path.rpartition("/")[2])  # fmt: skip
    assert stored == [(1,)]


@pytest.mark.asyncio
async def test_nobody_says_how_long_they_took(house: House) -> None:
    async with house.visitor("judged", "kim") as kim:
        await kim.begin()
        await practise(kim)
        began = time.time()
        await kim.reload()
        given = dict.fromkeys(fields(kim), CARES)
        shown = kim.hidden()["shown"]
        moment, _, seal = shown.rpartition(".")
        earlier = f"{float(moment) - 600:.3f}"
        for forged in (f"{earlier}.{seal}", earlier, "", f"{shown}0", "0"):
            await kim.send("rate", shown=forged, **given)
            assert kim.status == 409, forged
        # The time of the first screen is not that of the second.
        await kim.send("rate", screen="1", **{"answer-clear": "3"})
        assert kim.status == 409
        # Both screens lie open from the start: the time is not counted twice.
        await kim.open(f"{kim.path}?screen=2")
        second = kim.hidden()
        await kim.open(f"{kim.path}?screen=1")
        await kim.send("rate", seconds="600", **given)
        await kim.send("rate", **{**second, "seconds": "600", "answer-clear": "3"})
        assert kim.status == 200
        passed = time.time() - began
    taken = house.rows(
        "SELECT labels.seconds FROM labels "
        "JOIN assignments ON assignments.id = labels.assignment_id "
        "WHERE assignments.key = :key AND labels.purpose <> 'training'",
        key=kim.path.rpartition("/")[2],
    )
    assert len(taken) == 2
    assert all(seconds >= 0 for (seconds,) in taken)
    assert 0 < sum(seconds for (seconds,) in taken) <= passed
