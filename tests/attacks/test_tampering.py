"""Somebody edits the database past Palaver: the chains say where."""

import contextlib
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection, text

from palaver.core.audit import Actor
from palaver.core.studies.stops import StudyStop
from palaver.storage import Store
from palaver.storage.audit.checkpoints import (
    SignedCheckpoint,
    chains_left_behind,
    computed_heads,
    last_checkpoint,
    make_checkpoint,
    parse_checkpoint,
    printed_checkpoint,
    sign_heads,
)
from palaver.storage.audit.entries import record
from palaver.storage.audit.forgetting import forget_addresses
from palaver.storage.audit.verification import Verification, verify
from palaver.storage.judging.exclusions import exclude
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.studies.stops import keep_stop
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.seeding import NOW, Seeder

KEY = bytes(range(32))
STOP = StudyStop(
    time=NOW, reason="decided", votes=3, raters=3, answer="Terse leads", until="order", within=0.05
)


class Scene:
    """A study with two dialogues and three votes, one rater left out, and a signed checkpoint."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def furnish(self) -> "Scene":
        store = self.store
        study_id = store.write_now(
            lambda c: register_study(c, name="s", title="S", digest="1", definition="", now=NOW)
        )
        self.study_id = study_id
        seeder = self.seeder = Seeder(store, study_id)
        self.ann = seeder.visit("ann")
        _, self.first = seeder.dialogue(self.ann, "hello", "hi", "a secret", "oh", system="terse")
        _, self.second = seeder.dialogue(self.ann, "hello", "well", system="chatty")
        store.write_now(lambda c: keep_stop(c, study_id, STOP))
        for rater in ("r1", "r2", "r3"):
            seeder.preference(self.first, self.second, "first", rater=rater)
        store.write_now(lambda c: exclude(c, study_id=study_id, rater_id=2, excluded=True, now=NOW))
        by = Actor("ada", "desk", "192.0.2.0/24")
        store.write_now(lambda c: record(c, "sign-in.pass", by=by, now=NOW, subject="ada"))
        self.sign()
        return self

    def sign(self) -> SignedCheckpoint | None:
        return self.store.write_now(lambda c: make_checkpoint(c, KEY, now=NOW))

    def verify(self, against: SignedCheckpoint | None = None) -> Verification:
        return self.store.read_now(lambda c: verify(c, KEY, against=against))

    def attack(self, *statements: str) -> list[str]:
        """Change the database past Palaver; what is then found, the first break first."""
        for statement in statements:
            self.store.write_now(lambda c, s=statement: c.execute(text(s)))
        return [str(each) for each in self.verify().breaks]


@pytest.fixture
def scene(store: Store) -> Scene:
    return Scene(store).furnish()


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the scene."""
    file = tmp_path_factory.mktemp("furnished") / "palaver.db"
    store = Store(new_sqlite(file))
    Scene(store).furnish()
    store.close()
    return file


@pytest.fixture
def copied(furnished: Path, tmp_path: Path) -> Iterator[Scene]:
    """The scene in a file of one's own."""
    shutil.copy(furnished, tmp_path / "palaver.db")
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    yield Scene(store)
    store.close()


def test_what_nobody_touched_holds(scene: Scene) -> None:
    found = scene.verify()

    assert found.breaks == ()
    assert found.kinds == {
        "audit": 3,
        "dialogue": 2,
        "erasure": 0,
        "event": 10,
        "exclusion": 1,
        "label": 3,
        "rater": 3,
        "seat": 4,
        "stop": 1,
        "unit": 3,
    }
    assert found.signed == found.links == sum(found.kinds.values())


@pytest.mark.parametrize(
    ("statements", "first"),
    [
        (["UPDATE labels SET value = '\"second\"' WHERE id = 2"], "label 2): its row was changed"),
        (["UPDATE labels SET rater_id = 1 WHERE id = 2"], "label 2): its row was changed"),
        (["DELETE FROM labels WHERE id = 2"], "are missing"),
        (
            ['UPDATE events SET data = \'{"text":"goodbye"}\' WHERE dialogue_id = 1 AND seq = 4'],
            "event 1.4): its row was changed",
        ),
        (["DELETE FROM events WHERE dialogue_id = 1 AND seq = 5"], "are missing"),
        (["UPDATE seats SET system = 'chatty' WHERE system = 'terse'"], "seat 1.1.1): its row was"),
        (
            ["UPDATE units SET first_unit_id = second_unit_id WHERE first_unit_id IS NOT NULL"],
            "unit 3): its row was changed",
        ),
        (["UPDATE raters SET kind = 'model' WHERE id = 1"], "rater 1): its row was changed"),
        (["UPDATE dialogues SET condition = 'x' WHERE id = 1"], "dialogue 1): its row was changed"),
        (["DELETE FROM exclusions"], "exclusion 1.0): its row was deleted"),
        (["UPDATE stops SET votes = 300"], "stop 1): its row was changed"),
        (["DELETE FROM stops"], "stop 1.0): its row was deleted"),
        (["UPDATE audit_entries SET account = 'eve'"], "audit 1): its row was changed"),
        (
            ["DELETE FROM audit_entries WHERE act = 'sign-in.pass'"],
            "audit 3.0): its row was deleted",
        ),
        (["DELETE FROM chain_links WHERE kind = 'seat'"], "are missing"),
        (
            [
                "INSERT INTO exclusions (study_id, rater_id, excluded, account, reason, time) "
                "SELECT study_id, 1, excluded, account, reason, time FROM exclusions"
            ],
            "exclusion 2): it has no link",
        ),
        (["UPDATE labels SET link = NULL, proof = NULL WHERE id = 2"], "are missing"),
        (["UPDATE checkpoints SET content = replace(content, '1', '2')"], "checkpoint"),
        (["UPDATE chains SET writer = 'somebody'"], "not the one that was signed"),
        (["DELETE FROM chains WHERE study_id IS NOT NULL"], "its chain was deleted"),
    ],
)
def test_a_change_past_palaver_is_named(copied: Scene, statements: list[str], first: str) -> None:
    assert first in copied.attack(*statements)[0]


def test_labels_that_change_places_are_found(scene: Scene) -> None:
    links = scene.store.read_now(
        lambda c: c.execute(text("SELECT link FROM labels ORDER BY id")).scalars().all()
    )

    breaks = scene.attack(
        f"UPDATE labels SET link = {links[0]} WHERE id = 3",
        f"UPDATE labels SET link = {links[2]} WHERE id = 1",
    )

    assert "not the one that was signed" in breaks[0]


def test_a_rewritten_link_that_is_consistent_in_itself_is_caught_by_the_signed_head(
    scene: Scene,
) -> None:
    """The attacker computes the digest of the forged vote as Palaver would."""
    from palaver.storage.engine.chain import LABEL, SALT, proof_of

    names = ", ".join((*LABEL.columns, *LABEL.later))
    row = scene.store.read_now(
        lambda c: (
            c.execute(text(f"SELECT {names}, proof FROM labels WHERE id = 2")).mappings().one()
        )
    )
    forged = {**row, "value": '"second"', "abstained": bool(row["abstained"])}
    salt = bytes(row["proof"])[:SALT]
    proof = proof_of(salt, LABEL.digest(forged, salt))
    scene.store.write_now(
        lambda c: c.execute(
            text("UPDATE labels SET value = :value, proof = :proof WHERE id = 2"),
            {"value": '"second"', "proof": proof},
        )
    )

    (only,) = scene.verify().breaks
    assert "the head here is not the one that was signed" in only.wrong


def test_a_tail_that_was_cut_off_is_missed_by_the_checkpoint_that_holds_it(scene: Scene) -> None:
    last = "(SELECT max(link) FROM labels)"
    breaks = scene.attack(
        f"DELETE FROM chain_links WHERE kind = 'exclusion' AND link > {last}",
        "DELETE FROM exclusions",
        f"DELETE FROM labels WHERE link >= {last}",
    )

    assert "the chain ends before this link, which a checkpoint holds" in breaks[0]


def test_a_checkpoint_kept_elsewhere_tells_that_the_end_of_everything_was_cut_off(
    scene: Scene,
) -> None:
    first = scene.store.read_now(last_checkpoint)
    scene.seeder.preference(scene.first, scene.second, "second", rater="r4")
    kept = scene.sign()
    assert kept is not None
    assert first is not None
    pinned = parse_checkpoint(printed_checkpoint(kept))

    attack = (
        "DELETE FROM checkpoints WHERE id = 2",
        "DELETE FROM labels WHERE id = 4",
        "DELETE FROM chain_links WHERE kind = 'rater' AND subject = 4",
        "DELETE FROM raters WHERE id = 4",
    )
    assert scene.attack(*attack) == []

    assert [each.wrong for each in scene.verify(pinned).breaks] == [
        "checkpoint 2, which was kept, is not there",
        *["the chain ends before this link, which a checkpoint holds"] * 2,
    ]
    assert scene.verify(parse_checkpoint(printed_checkpoint(first))).holds


def test_a_checkpoint_signed_by_somebody_else_is_not_the_homes(scene: Scene) -> None:
    content = scene.store.read_now(
        lambda c: c.execute(text("SELECT content FROM checkpoints")).scalar_one()
    )
    forged = msgspec.json.decode(content)
    forged["time"] = 1.0
    scene.store.write_now(
        lambda c: c.execute(
            text("UPDATE checkpoints SET content = :forged"),
            {"forged": msgspec.json.encode(forged).decode()},
        )
    )

    assert "is not signed with the home's key" in str(scene.verify().breaks[0])


def test_what_is_erased_as_it_should_be_is_gone_and_the_chain_holds(scene: Scene) -> None:
    done = scene.store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=NOW))
    scene.sign()

    left = scene.store.read_now(
        lambda c: c.execute(
            text("SELECT data, proof FROM events WHERE dialogue_id = 1 AND seq = 4")
        ).one()
    )
    found = scene.verify()
    assert done.events == 3
    assert (left.data, len(bytes(left.proof))) == (None, 32)
    assert found.breaks == ()
    assert (found.erased, found.kinds["erasure"]) == (3, 1)


def test_what_is_left_of_an_erased_row_cannot_be_changed_either(scene: Scene) -> None:
    scene.store.write_now(lambda c: erase_assignment(c, scene.ann.id, now=NOW))

    breaks = scene.attack("UPDATE events SET seat = 1 WHERE dialogue_id = 1 AND seq = 4")

    assert "erased event 1.4): its row was changed" in breaks[0]


def test_an_erasure_past_palaver_is_found(scene: Scene) -> None:
    """Somebody who knows the format lets an unwelcome vote look erased."""
    from palaver.storage.engine.chain import LABEL, SALT

    names = ", ".join((*LABEL.columns, *LABEL.later))
    row = scene.store.read_now(
        lambda c: (
            c.execute(text(f"SELECT {names}, proof FROM labels WHERE id = 2")).mappings().one()
        )
    )
    content = {**row, "abstained": bool(row["abstained"])}
    digest = LABEL.digest(content, bytes(row["proof"])[:SALT])
    scene.store.write_now(
        lambda c: c.execute(
            text("UPDATE labels SET value = NULL, erased = 1.0, proof = :digest WHERE id = 2"),
            {"digest": digest},
        )
    )

    assert "it was erased past Palaver" in str(scene.verify().breaks[0])


def test_addresses_go_after_their_time_and_the_entries_hold(scene: Scene) -> None:
    assert scene.store.write_now(lambda c: forget_addresses(c, before=NOW)) == 0
    assert scene.store.write_now(lambda c: forget_addresses(c, before=NOW + 1)) == 1

    kept = scene.store.read_now(
        lambda c: c.execute(text("SELECT address FROM audit_entries")).scalars().all()
    )
    assert set(kept) == {None}
    assert scene.verify().breaks == ()


def test_what_a_process_left_unsigned_is_signed_by_the_next(scene: Scene) -> None:
    scene.seeder.preference(scene.first, scene.second, "second", rater="r4")
    before = scene.verify()
    after = Store(scene.store.url)
    try:
        left = after.write_now(chains_left_behind)
        heads = after.read_now(lambda c: computed_heads(c, left))
        after.write_now(lambda c: sign_heads(c, KEY, heads, now=NOW))
    finally:
        after.close()

    found = scene.verify()
    assert before.signed < before.links
    assert (found.breaks, found.signed) == ((), found.links)


def test_work_that_fails_beside_others_in_one_commit_leaves_no_gap(scene: Scene) -> None:
    def keeps(c: Connection) -> None:
        record(c, "export.make", by=Actor("ada"), now=NOW, study_id=scene.study_id)

    def fails(c: Connection) -> None:
        keeps(c)
        with contextlib.suppress(LookupError), c.begin_nested():
            keeps(c)
            raise LookupError
        raise ValueError("no")

    outcomes: list[BaseException | None] = []
    done = threading.Event()

    def answer(result: object, error: BaseException | None) -> None:
        outcomes.append(error)
        if len(outcomes) == 7:
            done.set()

    def hold(c: Connection) -> None:
        # While this runs the others queue up, and then share a commit.
        for work in (keeps, fails, keeps, fails, fails, keeps):
            scene.store._writer.submit(work, answer)

    scene.store._writer.submit(hold, answer)
    assert done.wait(30)

    assert sum(error is None for error in outcomes) == 4
    assert scene.verify().kinds["audit"] == 6
    assert scene.verify().breaks == ()


def test_what_is_rolled_back_leaves_no_gap(scene: Scene) -> None:
    def fails(c: Connection) -> None:
        record(c, "export.make", by=Actor("ada"), now=NOW, study_id=scene.study_id)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        scene.store.write_now(fails)
    scene.seeder.preference(scene.first, scene.second, "second", rater="r4")

    assert scene.verify().breaks == ()
