"""Raters judge what others said: sheets, screens, practice, checks, and what they may not do."""

import re
from collections.abc import Iterator

import pytest

from support.houses import House
from support.judging_studies import BAD, GOOD, build_judging_house
from support.participants import Participant

from .conftest import Ground

pytestmark = pytest.mark.asyncio

CARES, COLD = "empathetic", "not_empathetic"


@pytest.fixture(scope="module")
def judging_house(ground: Ground) -> Iterator[House]:
    """Every study of these stories, served by one process."""
    built = build_judging_house(ground.folder, ground.database_url)
    built.serve()
    yield built
    built.close()


def fields(ann: Participant) -> list[str]:
    """The empathy fields on the page, in order."""
    return list(dict.fromkeys(re.findall(r'name="(answer-empathy-\d+:empathy)"', ann.page)))


def around(ann: Participant) -> tuple[str, list[str], list[str], list[str]]:
    """What a rating page says besides the conversation: where one is, and what the buttons say."""
    where = re.findall(r'<p class="rate-where[^>]*>(.*?)</p>', ann.page, re.S)
    buttons = re.findall(r'<button class="(?:primary|button)"[^>]*>(.*?)</button>', ann.page, re.S)
    names = [name for name in ann.hidden() if not name.startswith("answer-")]
    return ann.heading, where, buttons, names


async def judge(ann: Participant, *answers: str, **others: str) -> None:
    """Answer the empathy questions of the screen, in order, and others on it; send it."""
    assert len(fields(ann)) == len(answers)
    await ann.send("rate", **dict(zip(fields(ann), answers, strict=True)), **others)


async def test_every_sheet_goes_to_two_people_and_never_twice_to_one(judging_house: House) -> None:
    seen: dict[str, list[str]] = {"ann": [], "bob": [], "eve": []}
    for person in ("ann", "bob"):
        async with judging_house.visitor("judged-twice", person) as ann:
            await ann.begin()
            while fields(ann):
                seen[person].append(GOOD if GOOD in ann.page else BAD)
                await judge(ann, CARES)
            assert ann.code
    async with judging_house.visitor("judged-twice", "eve") as eve:
        assert eve.heading == "This study has all the answers it needs"
        assert "Do you agree?" not in eve.page
    assert seen == {"ann": [GOOD, BAD], "bob": [GOOD, BAD], "eve": []}
    labels = judging_house.labels("judged-twice")
    assert [label.purpose for label in labels] == ["real"] * 4
    assert {label.label for label in labels} == {"empathetic"}
    assert len({(label.unit, label.rater) for label in labels}) == 4
    assert {label.turn for label in labels} == {2}


async def test_an_answer_can_be_changed_until_it_is_sent(judging_house: House) -> None:
    async with judging_house.visitor("two-questions", "ann") as ann:
        await ann.begin()
        await judge(ann, CARES)
        assert 'name="answer-quality_likert"' in ann.page
        await ann.open(f"{ann.path}?screen=1")
        await judge(ann, COLD)
        await ann.send("rate", **{"answer-quality_likert": "4"})
        assert ann.status == 422
        assert len(judging_house.labels("two-questions")) == 2
        stale = ann.hidden()
        await ann.send("rate", **{"answer-quality_likert": "4", "answer-grammatical_likert": "5"})
        assert ann.code
        before = len(judging_house.labels("two-questions"))
        await ann.send(
            "rate",
            **{**stale, "answer-quality_likert": "1", "answer-grammatical_likert": "1"},
        )
        assert ann.status == 409
        assert len(judging_house.labels("two-questions")) == before
    kept = [x for x in judging_house.labels("two-questions") if not x.superseded]
    assert {(x.question, str(x.value)) for x in kept} == {
        ("empathy", str({"empathy": COLD})),
        ("quality_likert", "4"),
        ("grammatical_likert", "5"),
    }
    old = [x for x in judging_house.labels("two-questions") if x.superseded]
    assert [x.value for x in old] == [{"empathy": CARES}]


async def test_a_comparison_names_the_dialogue_whichever_side_it_stood_on(
    judging_house: House,
) -> None:
    first_shown = []
    for n in range(8):
        async with judging_house.visitor("pairs", f"rater-{n}") as ann:
            await ann.begin()
            first_shown.append(GOOD if ann.page.index(GOOD) < ann.page.index(BAD) else BAD)
            choice = "a" if first_shown[-1] == GOOD else "b"
            await ann.send("rate", **{"answer-quality_comparative": choice})
            assert ann.code
    labels = judging_house.labels("pairs")
    (good,) = {label.value for label in labels}
    for shown, label in zip(first_shown, labels, strict=True):
        assert label.shown_order is not None
        assert (label.shown_order[0] == good) == (shown == GOOD)


async def test_sheets_of_a_study_that_stopped_are_finished_and_none_is_handed_out(
    judging_house: House,
) -> None:
    async with judging_house.visitor("pairs-stopping", "early") as ann:
        await ann.begin()
        judging_house.stop("pairs-stopping")
        async with judging_house.visitor("pairs-stopping", "late") as eve:
            assert eve.heading == "This study has all the votes it needs"
        await ann.send("rate", **{"answer-quality_comparative": "a"})
        assert ann.code


async def test_sheets_of_another_study_that_has_none_yet_are_worth_waiting_for(
    judging_house: House,
) -> None:
    async with judging_house.visitor("judge-silent", "early-bird") as ann:
        await ann.begin()
        assert ann.heading == "There is nothing to judge right now"


async def test_a_hidden_check_bars_whoever_fails_it(judging_house: House) -> None:
    async with judging_house.visitor("golden", "careful") as ann:
        await ann.begin()
        for _ in range(7):
            await judge(ann, CARES)
        assert ann.code
    async with judging_house.visitor("golden", "careless") as ann:
        await ann.begin()
        assert not fields(ann)
    async with judging_house.visitor("attentive", "asleep") as ann:
        await ann.begin()
        plain = around(ann)
        await judge(ann, CARES)
        # Nothing but the question itself tells of it: it stands with the others.
        assert 'name="answer-reads"' in ann.page
        assert around(ann) == plain
        await judge(ann, CARES, **{"answer-reads": "2"})
        assert not fields(ann)
        assert ann.code
    purposes = [label.purpose for label in judging_house.labels("golden")]
    assert sorted(purposes) == ["gold", *["real"] * 6]
    states = judging_house.rows(
        "SELECT standings.state FROM standings JOIN studies ON studies.id = standings.study_id "
        "WHERE studies.name = 'attentive'"
    )
    assert [state for (state,) in states] == ["barred"]


async def practise(ann: Participant, *answers: str) -> None:
    await judge(ann, *answers)


async def test_practice_explains_what_was_wrong_and_lets_those_pass_who_learn(
    judging_house: House,
) -> None:
    async with judging_house.visitor("screened", "ann") as ann:
        await ann.begin()
        assert "Look for care." in ann.page
        await ann.send("practice")
        assert "It cares, 1." not in ann.page
        await practise(ann, COLD, COLD)
        assert "It cares, 1." in ann.page
        assert "Trains, 1." not in ann.page
        await practise(ann, COLD)
        assert "It cares, 1." in ann.page
        await ann.reload()
        await practise(ann, CARES)
        for _ in range(2):
            await practise(ann, CARES, COLD)
        assert "passed" in ann.page
        await judge(ann, CARES)
        assert ann.code
    labels = [x for x in judging_house.labels("screened") if x.purpose == "training"]
    assert len(labels) == 7
    assert sum(x.superseded for x in labels) == 1


async def test_whoever_fails_the_last_round_is_told_and_not_let_in_again(
    judging_house: House,
) -> None:
    async with judging_house.visitor("screened", "bob") as bob:
        await bob.begin()
        await bob.send("practice")
        for answers in ((CARES, COLD), (CARES, COLD), (COLD, CARES)):
            await practise(bob, *answers)
        assert not fields(bob)
        assert "It cares, 3." not in "\n".join(bob.received)
        code = bob.code
        assert code
        assert "Pay is for the work after the practice." in bob.page
    # Another link for the same person leads to how the visit ended: there is one code.
    async with judging_house.visitor("screened", "bob", assignment="2") as bob:
        assert bob.heading == "Thank you for practising"
        assert "Do you agree?" not in bob.page
        assert bob.code == code


async def test_a_second_attempt_and_a_cap_on_how_many_are_screened(judging_house: House) -> None:
    async with judging_house.visitor("two-tries", "ann") as ann:
        await ann.begin()
        for third in ((COLD, CARES), (CARES, COLD)):
            await ann.send("practice")
            for answers in ((CARES, COLD), (CARES, COLD), third):
                await practise(ann, *answers)
        await judge(ann, CARES)
        assert ann.code
    for person, let_in in (("bob", True), ("eve", False)):
        async with judging_house.visitor("two-tries", person) as visitor:
            await visitor.begin()
            await visitor.send("practice")
            assert bool(fields(visitor)) == let_in


async def test_nobody_answers_for_somebody_else(judging_house: House) -> None:
    async with (
        judging_house.visitor("short-limit", "ann") as ann,
        judging_house.visitor("short-limit", "bob") as bob,
    ):
        await ann.begin()
        await bob.begin()
        await ann.send("rate", **{"work": bob.hidden()["work"], fields(ann)[0]: CARES})
        assert ann.status == 409
        await ann.send("rate", **{fields(ann)[0]: "maybe"})
        assert ann.status == 422
    assert judging_house.labels("short-limit") == []


async def test_others_judge_what_was_chatted_and_nobody_their_own(judging_house: House) -> None:
    async with judging_house.visitor("chatters", "ann") as ann:
        await ann.begin()
        room = await ann.chat("Hello")
        assert await room.ends() == "complete"
        await ann.reload()
        assert ann.code
    judging_house.servers.pop().stop()
    judging_house.serve()
    async with judging_house.visitor("judge-chatters", "ann") as ann:
        await ann.begin()
        assert not fields(ann)
    async with judging_house.visitor("judge-chatters", "bob") as bob:
        await bob.begin()
        await judge(bob, CARES)
        assert bob.code


async def test_own_conversations_are_judged_online_and_after_each(judging_house: House) -> None:
    async with judging_house.visitor("own-questions", "ann") as ann:
        await ann.begin()
        for _ in range(2):
            room = await ann.chat("Hello")
            assert await room.ends() == "complete"
            await ann.reload()
            judged = re.findall(r'name="(answer-thumbs-\d+)"', ann.page)
            await ann.send("rate", **{judged[0]: "up"})
            await ann.send("rate", **{"answer-quality_likert": "3"})
        await ann.send("rate", **{"answer-preference": "a"})
        assert ann.code
    kept = sorted(x.question for x in judging_house.labels("own-questions"))
    assert kept == [
        *["overall_comment"] * 2,
        "preference",
        *["quality_likert"] * 2,
        *["thumbs"] * 2,
    ]
