"""A study is changed while it is served: at once, whole or not at all, and nothing is spoilt."""

import asyncio
import stat
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND, Actor, AuditFilter
from palaver.core.errors import ConflictError, InputError, StudyError
from palaver.core.listings import Window
from palaver.storage import Store
from palaver.storage.audit.entries import read_entries
from palaver.storage.studies.quotas import claim
from palaver.storage.studies.versions import latest_version, list_versions
from palaver.studies.file.disk import StagedFile
from palaver.studies.file.edits import ConditionPlaces, NewDates, StudyEdit
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.version_keeper import VersionKeeper
from palaver.studies.run.versions import (
    change_study,
    edit_study,
    foresee_change,
    read_diff,
    return_to_version,
)
from support.seeding import NOW, STUDY, Seeder, deploy

ADA = Actor("ada", "desk", "192.0.2.0")
TEXT = "# Ada's pilot\n" + STUDY.format(name="pilot", title="Pilot", needed=60)


class Killed(Exception):
    """What stands for a process that is killed at this step."""


def write(folder: Path, text: str = TEXT) -> Path:
    (folder / "pilot").mkdir(exist_ok=True)
    file = folder / "pilot" / "study.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def during(
    store: Store, folder: Path, act: Callable[[Deployment], Coroutine[Any, Any, None]]
) -> None:
    """Do something while a deployment of a folder is up."""

    async def run() -> None:
        deployment = deploy(store, folder)
        await deployment.start()
        try:
            async with asyncio.timeout(60):
                await act(deployment)
        finally:
            await deployment.stop()

    asyncio.run(run())


def places(store: Store, study_id: int) -> int:
    found = store.read_now(
        lambda c: c.exec_driver_sql("SELECT count(*) FROM places WHERE stage = 0").scalar()
    )
    return int(found or 0)


def test_a_larger_quota_holds_at_once_and_is_on_record(store: Store, tmp_path: Path) -> None:
    file = write(tmp_path)
    file.chmod(0o640)
    more = TEXT.replace("needed: 60", "needed: 80")

    async def change(deployment: Deployment) -> None:
        before = deployment.studies["pilot"]
        foreseen = await foresee_change(deployment, "pilot", more)
        assert foreseen.possible
        assert foreseen.words == ("stages › 1 › chat › conditions › 1 › needed: 60 → 80",)
        assert "+        - {systems: [terse, chatty], needed: 80}" in foreseen.lines
        assert file.read_text() == TEXT, "foreseeing does nothing"

        made = await change_study(deployment, "pilot", more, actor=ADA, note="more money", base=1)

        assert (made.number, made.account, made.via, made.note) == (2, "ada", "desk", "more money")
        after = deployment.studies["pilot"]
        assert after.version == 2
        assert after.plans[0].quotas == {"terse|chatty": 80}
        assert deployment.plans["pilot", 0] is after.plans[0]
        # Nothing was said of the systems: they are the ones that people talk with.
        assert after.systems["terse"] is before.systems["terse"]
        assert places(store, after.id) == 80

    during(store, tmp_path, change)
    assert file.read_text() == more
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [p.name for p in file.parent.iterdir()] == ["study.yaml"]
    [entry] = store.read_now(
        lambda c: read_entries(c, AuditFilter(act="study.edit"), Window(size=5))
    ).rows
    assert (entry.account, entry.study, entry.detail["version"]) == ("ada", "pilot", 2)


def test_a_file_that_is_wrong_is_refused_with_its_places(store: Store, tmp_path: Path) -> None:
    file = write(tmp_path)
    wrong = TEXT.replace("exactly: 4", "exactly: four")

    async def change(deployment: Deployment) -> None:
        foreseen = await foresee_change(deployment, "pilot", wrong)
        assert not foreseen.possible
        [problem] = foreseen.wrong
        assert (problem.file, problem.line) == (str(file), 15)
        with pytest.raises(StudyError, match=r"study\.yaml:15:"):
            await change_study(deployment, "pilot", wrong, actor=ADA)
        with pytest.raises(StudyError, match="not allowed"):
            await change_study(deployment, "pilot", "title: !!python/name:os.system x", actor=ADA)
        assert deployment.studies["pilot"].version == 1

    during(store, tmp_path, change)
    assert file.read_text() == TEXT


def test_nobody_brings_a_program_from_outside(store: Store, tmp_path: Path) -> None:
    write(tmp_path)
    touched = tmp_path / "touched"
    program = f'{{kind: command, run: [touch, "{touched}"]}}'
    brought = TEXT.replace('{kind: scripted, lines: ["I see."]}', program)

    async def change(deployment: Deployment) -> None:
        foreseen = await foresee_change(deployment, "pilot", brought)
        [problem] = foreseen.wrong
        assert "runs programs on this server" in problem.message
        assert problem.line == 8
        with pytest.raises(StudyError, match="palaver study apply"):
            await change_study(deployment, "pilot", brought, actor=ADA)
        # Whoever is on the server may; then others can change the rest of the file.
        await change_study(deployment, "pilot", brought, actor=COMMAND)
        more = brought.replace("needed: 60", "needed: 70")
        assert (await change_study(deployment, "pilot", more, actor=ADA)).number == 3

    during(store, tmp_path, change)
    assert not touched.exists()


def test_what_would_spoil_collected_data_is_refused(store: Store, tmp_path: Path) -> None:
    write(tmp_path)

    async def change(deployment: Deployment) -> None:
        study = deployment.studies["pilot"]
        seeder = Seeder(store, study.id)
        ann = seeder.visit("ann", state=None)
        _, terse = seeder.dialogue(ann, "hello", "hi", group="g1")
        _, chatty = seeder.dialogue(ann, "hello", "hm", group="g1", system="chatty", reason=None)
        seeder.preference(terse, chatty, "first", rater="ann")
        for number in range(3):
            seeder.place(f"g{number}", done=number > 0)

        async def refused(text: str) -> str:
            foreseen = await foresee_change(deployment, "pilot", text)
            assert not foreseen.wrong, foreseen.wrong
            with pytest.raises(ConflictError) as error:
                await change_study(deployment, "pilot", text, actor=ADA)
            assert str(error.value).splitlines() == list(foreseen.refusals)
            return foreseen.refusals[0]

        few = await refused(TEXT.replace("needed: 60", "needed: 2"))
        assert few == (
            "Stage 1: 'needed' of 'terse|chatty' is 2, and 3 are held or done already. Take 3 or more."
        )
        assert "'name' is 'other'" in await refused(TEXT.replace("name: pilot", "name: other"))
        single = TEXT.replace("arrangement: paired", "arrangement: system").replace(
            "[terse, chatty]", "[terse]"
        )
        single = single.replace("comparative, text", "likert, points: [1, 2], text")
        assert "'arrangement' is 'system'" in await refused(single)
        turned = TEXT.replace("[terse, chatty]", "[chatty, terse]")
        assert "condition 'terse|chatty' is taken out, and it has 2" in await refused(turned)
        front = TEXT.replace(
            "stages:\n", "stages:\n  - screen: {training: empathy, ask: empathy}\n", 1
        )
        assert "Stage 1 is a screen stage" in await refused(front)
        # As many as there are is no loss.
        await change_study(deployment, "pilot", TEXT.replace("needed: 60", "needed: 3"), actor=ADA)
        assert places(store, study.id) == 3

    during(store, tmp_path, change)


def test_whoever_made_it_of_an_older_version_is_told(store: Store, tmp_path: Path) -> None:
    write(tmp_path)

    async def change(deployment: Deployment) -> None:
        first = TEXT.replace("Pilot", "Pilot A")
        await change_study(deployment, "pilot", first, actor=ADA, base=1)
        with pytest.raises(ConflictError, match="made of version 1, and version 2"):
            await change_study(
                deployment, "pilot", TEXT.replace("Pilot", "Pilot B"), actor=ADA, base=1
            )
        with pytest.raises(ConflictError, match="served already"):
            await change_study(deployment, "pilot", first, actor=ADA)
        assert deployment.studies["pilot"].definition.title == "Pilot A"

    during(store, tmp_path, change)


def test_a_file_that_somebody_edits_meanwhile_is_not_overwritten(
    store: Store, tmp_path: Path
) -> None:
    file = write(tmp_path)

    async def change(deployment: Deployment) -> None:
        edited = TEXT.replace("Pilot", "By hand")
        file.write_text(edited)
        with pytest.raises(ConflictError, match="was edited on disk"):
            await change_study(deployment, "pilot", TEXT.replace("Pilot", "B"), actor=ADA)
        assert file.read_text() == edited
        await change_study(deployment, "pilot", edited, actor=ADA)
        assert deployment.studies["pilot"].definition.title == "By hand"

    during(store, tmp_path, change)


def test_systems_are_built_anew_only_where_they_changed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)

    async def change(deployment: Deployment) -> None:
        before = deployment.studies["pilot"]
        old, closed = before.systems["terse"], []

        async def close(system: object) -> None:
            closed.append(system)

        monkeypatch.setattr(type(old), "close", close)
        await change_study(deployment, "pilot", TEXT.replace("I see.", "Aha."), actor=ADA)
        after = deployment.studies["pilot"]
        assert after.systems["chatty"] is before.systems["chatty"]
        assert after.systems["terse"] is not before.systems["terse"]
        await deployment.versions.let_go()
        assert closed == [old]
        await deployment.versions.let_go()
        assert closed == [old]

    during(store, tmp_path, change)


@pytest.mark.parametrize("step", ["before the store", "after the store", "after the file"])
def test_a_process_that_is_killed_leaves_one_truth(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = write(tmp_path)
    changed = TEXT.replace("needed: 60", "needed: 61")

    def die(*_: object, **__: object) -> None:
        raise Killed

    async def change(deployment: Deployment) -> None:
        with monkeypatch.context() as patched:
            if step == "before the store":
                patched.setattr("palaver.studies.run.versions._store_version", die)
            elif step == "after the store":
                patched.setattr(StagedFile, "replace", die)
            else:
                patched.setattr(VersionKeeper, "swap", die)
            with pytest.raises(Killed):
                await change_study(deployment, "pilot", changed, actor=ADA)
        assert deployment.studies["pilot"].version == 1

    during(store, tmp_path, change)

    async def look(deployment: Deployment) -> None:
        study = deployment.studies["pilot"]
        latest = store.read_now(lambda c: latest_version(c, study.id))
        expected = (1, TEXT) if step == "before the store" else (2, changed)
        assert latest is not None
        assert (latest.number, latest.definition) == expected
        assert file.read_text() == expected[1]
        assert (study.version, study.definition.digest) == (expected[0], latest.digest)
        assert len(store.read_now(lambda c: list_versions(c, study.id))) == expected[0]

    during(store, tmp_path, look)
    assert [p.name for p in file.parent.iterdir()] == ["study.yaml"]


def test_a_file_that_was_edited_is_a_version_at_the_next_start(
    store: Store, tmp_path: Path
) -> None:
    file = write(tmp_path)
    ids: list[int] = []

    async def note(deployment: Deployment) -> None:
        ids.append(deployment.studies["pilot"].version)

    during(store, tmp_path, note)
    file.write_text(TEXT.replace("Pilot", "Pilot B"))
    during(store, tmp_path, note)
    # Back by hand is a change like any other: nobody made the one before by another door.
    file.write_text(TEXT)
    during(store, tmp_path, note)
    during(store, tmp_path, note)
    assert ids == [1, 2, 3, 3]
    assert file.read_text() == TEXT


def test_small_edits_keep_comments_and_an_older_version_can_come_back(
    store: Store, tmp_path: Path
) -> None:
    file = write(tmp_path)

    async def change(deployment: Deployment) -> None:
        edit = StudyEdit(
            places=(ConditionPlaces(stage=0, condition="terse|chatty", needed=12),),
            dates=NewDates(opens="2026-11-20T09:00", zone="Europe/Berlin"),
        )
        await edit_study(deployment, "pilot", edit, actor=ADA)
        text = file.read_text()
        assert text.startswith("# Ada's pilot\n")
        assert "needed: 12" in text
        study = deployment.studies["pilot"].definition
        assert study.dates.zone == "Europe/Berlin"
        assert study.dates.opening is not None

        wrong = StudyEdit(places=(ConditionPlaces(stage=0, condition="ters", needed=1),))
        with pytest.raises(InputError, match="no condition 'ters'"):
            await edit_study(deployment, "pilot", wrong, actor=ADA)

        made = await return_to_version(deployment, "pilot", 1, actor=ADA)
        assert (made.number, made.note) == (3, "back to version 1")
        assert file.read_text() == TEXT
        found = store.read_now(lambda c: read_diff(c, deployment.studies["pilot"].id, 1, 2))
        assert "stages › 1 › chat › conditions › 1 › needed: 60 → 12" in found.words

    during(store, tmp_path, change)


def test_another_process_follows(store: Store, database_url: str, tmp_path: Path) -> None:
    """On PostgreSQL other processes serve the same home; a command does so on SQLite, too."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        write(folder)
    changed = TEXT.replace("needed: 60", "needed: 70")
    other = Store(database_url)

    async def change(deployment: Deployment) -> None:
        follower = deploy(other, there)
        await follower.start()
        try:
            await change_study(deployment, "pilot", changed, actor=ADA)
            await follower.versions.follow()
            assert follower.studies["pilot"].version == 2
            assert follower.studies["pilot"].plans[0].quotas == {"terse|chatty": 70}
            assert (there / "pilot" / "study.yaml").read_text() == changed
        finally:
            await follower.stop()

    try:
        during(store, here, change)
    finally:
        other.close()


def test_a_place_that_is_taken_during_the_change_counts(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)

    async def change(deployment: Deployment) -> None:
        study = deployment.studies["pilot"]
        stage = deployment.versions.stage

        async def meanwhile(*given: Any) -> Any:
            for name in ("g1", "g2"):
                await store.write(
                    lambda c, name=name: claim(
                        c, study.id, 0, "terse|chatty", group=name, limited=True, now=NOW
                    )
                )
            return await stage(*given)

        monkeypatch.setattr(deployment.versions, "stage", meanwhile)
        with pytest.raises(ConflictError, match="2 are held or done already"):
            await change_study(
                deployment, "pilot", TEXT.replace("needed: 60", "needed: 1"), actor=ADA
            )
        assert deployment.studies["pilot"].version == 1
        assert places(store, study.id) == 60

    during(store, tmp_path, change)
