"""Who held a dialogue, as a rater; on both databases."""

from sqlalchemy import update

from palaver.storage import Store
from palaver.storage.judging.own import dialogue_people, judged_dialogues
from palaver.storage.schema import dialogues, seats
from palaver.storage.studies.studies import register_study
from support.reviewing import STUDY, Judging
from support.seeding import NOW


def study(store: Store, name: str) -> Judging:
    return Judging(
        store,
        store.write_now(
            lambda c: register_study(
                c, name=name, title=name, digest=name, definition=STUDY, now=NOW
            )
        ),
    )


def test_people_of_a_dialogue_are_known_as_raters_in_any_study(store: Store) -> None:
    chats, judging = study(store, "chats"), study(store, "judged")
    held, silent, imported = (chats.dialogue() for _ in range(3))
    person = chats.seeder.people[0]
    # They judge their own dialogue in the other study; a stranger judges all.
    judging.say(
        "quality", held, person.alias, 4, kind="person", participant_id=person.participant_id
    )
    for key in (held, silent, imported):
        judging.say("quality", key, "stranger", 3, kind="person")

    def forget(connection: object) -> None:
        known = dialogues.select().where(dialogues.c.key == imported)
        row = connection.execute(known).one()  # type: ignore[attr-defined]
        connection.execute(  # type: ignore[attr-defined]
            update(seats).where(seats.c.dialogue_id == row.id).values(assignment_id=None)
        )

    store.write_now(forget)

    assert store.read_now(dialogue_people) == {held: {person.alias}, silent: set()}


def test_dialogues_that_a_study_judged_come_with_the_name_of_their_file(store: Store) -> None:
    chats, judging = study(store, "chats"), study(store, "judged")
    one, other, third = (chats.dialogue() for _ in range(3))
    store.write_now(
        lambda c: c.execute(
            update(dialogues).where(dialogues.c.key == one).values(source_id="yours-1")
        )
    )
    for key in (one, other):
        judging.say("quality", key, "ann", 3)
        judging.say("polite", key, "ann", "yes", seq=3)
    chats.say("quality", third, "ann", 2)

    found = store.read_now(lambda c: judged_dialogues(c, judging.study_id))

    assert found == {one: "yours-1", other: None}
