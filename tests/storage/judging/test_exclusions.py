"""Exclusions: a rater's labels are left out of the counts, and can be taken in again."""

from palaver.core.labels import Label
from palaver.core.scenario import Scenario
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.exclusions import exclude, excluded_raters
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.raters import ensure_rater
from support.sheets import add_study


def prefer(store: Store, study_id: int, rater: str) -> int:
    """A comparison of two dialogues, by this rater; the rater's id."""

    def work(connection) -> int:
        keys = [
            create_dialogue(
                connection,
                study_id=study_id,
                stage=0,
                condition="a|b",
                scenario=Scenario(),
                occupants=[Occupant(system=system)],
                now=0.0,
            )[1]
            for system in ("a", "b")
        ]
        one, other = (dialogue_unit(key) for key in keys)
        pair = pair_unit(one, other)
        ids = ensure_units(connection, study_id, [pair, one, other])
        rater_id = ensure_rater(connection, key=rater, kind="simulated", now=0.0)
        label = Label(
            unit=pair.key,
            question="better",
            question_version="1",
            rater=rater,
            rater_kind="simulated",
            value="first",
        )
        append_labels(
            connection,
            [
                NewLabel(
                    label,
                    study_id=study_id,
                    unit_id=ids[pair.key],
                    rater_id=rater_id,
                    assignment_id=None,
                )
            ],
        )
        return rater_id

    return store.write_now(work)


def test_the_newest_row_of_a_rater_holds_in_its_study(store: Store) -> None:
    here, there = add_study(store, "here"), add_study(store, "there")
    ann, ben = (prefer(store, here, name) for name in ("ann", "ben"))
    prefer(store, there, "ann")

    def counted(study: str) -> int:
        found = store.read_now(lambda c: count_preferences(c, study, "better"))
        return sum(each.count for each in found)

    def set_excluded(rater: int, excluded: bool) -> None:
        store.write_now(
            lambda c: exclude(
                c,
                study_id=here,
                rater_id=rater,
                excluded=excluded,
                account="eve",
                reason="too fast",
                now=1.0,
            )
        )

    set_excluded(ann, True)
    set_excluded(ben, True)
    set_excluded(ben, False)

    assert store.read_now(lambda c: excluded_raters(c, here)) == {ann}
    assert store.read_now(lambda c: excluded_raters(c, there)) == set()
    assert (counted("here"), counted("there")) == (1, 1)
    set_excluded(ann, False)
    assert counted("here") == 2
