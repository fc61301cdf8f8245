"""The client's calls about rounds of writing, against a server that holds one."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from palaver.client import Client, ClientError
from palaver.client import rounds as client_rounds
from palaver.core.evaluation.rounds import ExampleVote
from palaver.core.serial import encode
from palaver.formats.written_examples import own_record
from palaver.storage.people.accounts import create_account, create_token
from support.desks import PASSWORD, hashed
from support.houses import House
from support.loops import loop_house, loop_study
from support.runs import NOW
from support.written import by_writers, written

BONUS = {"verified": 0.5, "fooling": 0.1}


@dataclass(frozen=True)
class Held:
    """A house with a round that is open, and the client of its owner."""

    house: House
    owner: Client

    @property
    def stranger(self) -> Client:
        return Client(self.house.server.base)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Held]:
    folder = tmp_path_factory.mktemp("rounds")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    with loop_house(folder, url, {"loop": loop_study(bonus=BONUS)}) as (house, _):
        account = house.store.write_now(
            lambda c: create_account(
                c,
                name="olga",
                role="owner",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
        token = house.store.write_now(
            lambda c: create_token(c, account_id=account.id, name="t", role="owner", now=NOW)
        ).secret
        yield Held(house, Client(house.serve().base, token))


def file_of(*, wrong: str = "") -> bytes:
    """A round of five examples by three people, of which one waits for a second judgement."""
    votes = (ExampleVote(rater="v0", verdict="correct"),)
    waits = written(7, writer="w9", standing="waiting", votes=votes)
    lines = [{"palaver": "round"}, *map(own_record, [*by_writers(3, 1), waits])]
    return b"".join(encode(line) + b"\n" for line in lines) + wrong.encode()


def test_a_round_goes_from_open_to_closed_and_is_followed_by_the_next(held: Held) -> None:
    client = held.owner
    (first,) = client.rounds("nli")
    assert (first.number, first.state, first.study) == (1, "open", "loop")
    assert first.terms.bonus == BONUS
    with pytest.raises(ClientError, match=r"Round 1 of 'nli' is open\. Close it first"):
        client.open_round("nli", "loop")
    assert client.stop_round("nli", 1).state == "stopped"
    assert client.resume_round("nli", 1).state == "open"
    sheet = client.round("nli", 1)
    assert (sheet.number, sheet.rates.overall.examples) == (1, 0)
    # Of nothing there is no rate, and a reason why.
    assert not sheet.rates.overall.rate.is_defined
    assert sheet.rates.overall.rate.reason
    bonuses = client.bonuses("nli", 1)
    assert (bonuses.currency, bonuses.rules, bonuses.bonuses) == ("GBP", BONUS, ())
    closed = client.close_round("nli", 1)
    assert (closed.state, closed.is_new, closed.leader) == ("closed", True, "bag")
    assert closed.result is not None
    assert closed.result.notes == ("Nothing was verified, so there is no data set.",)
    again = client.close_round("nli", 1)
    assert (again.is_new, again.result, again.closed) == (False, closed.result, closed.closed)
    second = client.open_round("nli", "loop")
    assert (second.number, second.state) == (2, "open")
    assert [each.name for each in second.models] == ["bag"]
    client.close_round("nli", 2)


def test_a_file_becomes_a_round_whose_examples_are_read_settled_closed_and_written(
    held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = held.owner
    for running in (each for each in client.rounds("nli") if each.state != "closed"):
        client.close_round("nli", running.number)
    made = client.import_round("nli", file_of(), study="elsewhere", state="stopped", matching=2)
    assert (made.state, made.is_new, made.study) == ("stopped", True, "elsewhere")
    assert (made.examples, made.writers, made.judgements) == (5, 3, 9)
    assert made.terms.matching == 2
    number = made.number
    assert not client.import_round("nli", file_of(), study="elsewhere", state="stopped").is_new

    # A page at a time, until there are none left.
    monkeypatch.setattr(client_rounds, "PAGE", 2)
    examples = client.examples("nli", number)
    assert len({each.uid for each in examples}) == 5
    overall = client.round("nli", number).rates.overall
    assert (overall.examples, overall.verified, overall.writers) == (5, 4, 3)
    assert overall.rate.interval is not None
    assert 0.8 in overall.rate.interval
    (waiting,) = client.examples("nli", number, state="waiting")
    assert waiting.votes[0].verdict == "correct"
    with pytest.raises(ClientError, match="waits for judgements"):
        client.close_round("nli", number)
    settled = client.settle_example("nli", number, waiting.uid, "correct", why="So it is.")
    assert (settled.standing, settled.votes[-1].reason) == ("correct", "So it is.")
    assert client.settle_example("nli", number, waiting.uid, None).standing == "waiting"

    closed = client.close_round(
        "nli",
        number,
        shares={"train": 0.75, "test": 0.25},
        access={"test": "hidden"},
        contexts_apart=True,
        right=True,
        noted=["language"],
        anyway=True,
        prefix="autumn",
        seed="s",
    )
    assert closed.result is not None
    assert closed.result.datasets == {"train": "autumn-train", "test": "autumn-test"}
    assert closed.result.left_out == {"waiting": 1}
    access = {each.name: each.access for each in client.datasets("nli")}
    assert (access["autumn-train"], access["autumn-test"]) == ("standard", "hidden")
    with pytest.raises(ClientError, match="is closed: its data sets are made"):
        client.settle_example("nli", number, waiting.uid, "correct")
    # Whoever was imported is paid nothing.
    assert client.bonuses("nli", number, ids=True).bonuses == ()


@pytest.mark.parametrize("format", ["palaver", "dynabench"])
def test_what_is_exported_comes_in_again_as_it_was(
    held: Held, tmp_path_factory: pytest.TempPathFactory, format: str
) -> None:
    client, folder = held.owner, tmp_path_factory.mktemp("export")
    made = client.import_round("nli", file_of(), study=f"first-{format}")
    file = client.export_round("nli", made.number, folder, format=format)
    assert file.name == f"nli-r{made.number}.{'jsonl' if format == 'palaver' else 'json'}"
    again = client.import_round("nli", file, study=f"second-{format}")
    assert (again.is_new, again.examples, again.writers) == (True, 5, 3)
    other = tmp_path_factory.mktemp("again")
    written_again = client.export_round("nli", again.number, other, format=format)
    assert len(written_again.read_bytes().splitlines()) == len(file.read_bytes().splitlines())


def test_what_is_refused_is_said_in_the_servers_words(held: Held) -> None:
    client = held.owner
    with pytest.raises(ClientError, match="no round 77"):
        client.round("nli", 77)
    with pytest.raises(ClientError, match="No study 'nowhere' is served"):
        client.open_round("nli", "nowhere")
    with pytest.raises(ClientError, match=r"examples\.jsonl:7:6: not JSON"):
        client.import_round("nli", file_of(wrong='{"a":\n'))
    assert client.rounds("nli")
    with pytest.raises(ClientError):
        held.stranger.bonuses("nli", 1)
