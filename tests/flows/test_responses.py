"""Outputs of systems become a study, raters judge the responses blindly, and the report adds it up."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.analysis.ranking import Votes
from palaver.reports.report.ratings_summary import summary_of
from palaver.reports.report.study_subject import of_study
from palaver.reports.report.subject import ReportSettings, Subject
from palaver.reports.target import opened_store
from support.houses import House
from support.participants import Participant
from support.responses import judging, write_outputs

from .conftest import Ground

pytestmark = pytest.mark.asyncio

SETTINGS = ReportSettings(resamples=100)
CONTEXTS, CHECKS = 5, 1
# How each kind of response begins; `PRICE. it's new` is what a person said.
BEGINS = {
    "rule": "i could go down a little",
    "neural": "i i the lamp",
    "reference": "i could do PRICE.",
}
STUDIES = {
    "problems": judging(
        ask=["response_problems", "response_appropriateness"],
        gold={"references": CHECKS, "after": 2, "on_fail": "warn"},
        overlap={"items": 2},
        per_visit=7,
    ),
    "pairs": judging(
        ask=["better_response"],
        gold={"references": 2, "after": 1, "on_fail": "warn"},
        reference=False,
        per_visit=3,
    ),
}


@pytest.fixture(scope="module")
def responses(light_ground: Ground) -> Iterator[House]:
    built = House.build(light_ground.folder, STUDIES, light_ground.database_url)
    for name in STUDIES:
        write_outputs(light_ground.folder / "studies" / name / "outputs", CONTEXTS)
    built.serve()
    yield built
    built.close()


def subject(house: House, study: str) -> Subject:
    with opened_store(house.database_url, house.studies / study, study) as opened:
        return of_study(opened)


def told_source(page: str) -> list[str]:
    """The words on a page that would tell whose a response is, or that it is a check."""
    bare = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    words = r"neural|\breference|retriev|\brule\b|gold|C_\d\d|outputs|\.json|cocoa|check-item"
    # Nothing but the fields of a question and the seals of a sheet names anything.
    return re.findall(words, bare)


def shape(page: str) -> list[str]:
    """The tags of a page with the names of their attributes, and nothing of their values."""
    form = page[page.index("<rating-form") : page.index("</rating-form>")]
    tags = re.findall(r"<([a-z-]+)((?:\s+[a-z-]+(?:=\"[^\"]*\")?)*)", form)
    return [f"{tag} {' '.join(re.findall(r'([a-z-]+)=', given))}" for tag, given in tags]


async def judge(ann: Participant, tastes: int) -> str:
    """Judge the response on the page by what it says; which kind of response it was."""
    kind = next(kind for kind, words in BEGINS.items() if words in ann.page.replace("&#39;", "'"))
    point = {"rule": 1, "neural": -2, "reference": 2}[kind] + (tastes if kind == "neural" else 0)
    problems = {"answer-response_problems": "grammar" if kind == "neural" else ""}
    await ann.send("rate", **problems, **{"answer-response_appropriateness": str(point)})
    return kind


async def test_raters_judge_blindly_and_the_report_has_their_numbers(responses: House) -> None:
    judged: Counter[str] = Counter()
    shapes, leaks, firsts = set(), [], set()
    for number in range(7):
        async with responses.visitor("problems", f"rater-{number}") as ann:
            await ann.begin()
            seen, begun = [], []
            while 'name="answer-response_appropriateness"' in ann.page:
                leaks += told_source(ann.page)
                shapes.add(tuple(shape(ann.page)))
                seen.append(
                    re.findall(r"<mark>|judge this message", ann.page).count("judge this message")
                )
                begun.append(re.search(r"lamp (\d)", ann.page).group(1))  # type: ignore[union-attr]
                judged[await judge(ann, number % 2)] += 1
            assert set(seen) <= {1}
            assert ann.code or not seen
            firsts |= {tuple(sorted(begun[:2]))} if begun else set()
    # Everybody begins with the two items that all share.
    assert len(firsts) == 1
    # The same form for checks, systems and people, and no word that tells them apart.
    assert leaks == []
    assert len(shapes) == 1
    labels = [each for each in responses.labels("problems") if not each.superseded]
    points = [each for each in labels if each.question == "response_appropriateness"]
    # 4 contexts × 3 responses; 10 of them have 3 raters in 6 visits, 2 are judged by everybody.
    by_unit = Counter(each.unit for each in points if each.purpose == "real")
    assert sorted(by_unit.values()) == [3] * 10 + [6] * 2
    assert sum(each.purpose == "gold" for each in points) == 6
    found = subject(responses, "problems")
    (summary,) = summary_of(found, SETTINGS).questions
    assert [(each.system, each.n, each.mean) for each in summary.systems][:2] == [
        ("reference", 4, 2.0),
        ("rule", 4, 1.0),
    ]
    neural = summary.systems[2]
    values = defaultdict(list)
    for each in points:
        if each.purpose == "real" and each.value < 0:
            values[each.unit].append(each.value)
    means = [sum(some) / len(some) for some in values.values()]
    assert neural.mean == pytest.approx(sum(means) / len(means))
    shares = next(each for each in found.ratings if each.name.endswith(": grammar"))
    by_system = defaultdict(set)
    for system, value in zip(
        shares.frame.texts("system"), shares.frame.numbers("value"), strict=True
    ):
        by_system[system].add(value)
    assert by_system == {"neural": {1.0}, "rule": {0.0}, "reference": {0.0}}


async def test_pairs_are_shown_in_an_order_of_their_own_and_neither_is_an_answer(
    responses: House,
) -> None:
    first = Counter[str]()
    answers = ["better", "tie", "neither"]
    given = Counter[str]()
    for number in range(3):
        async with responses.visitor("pairs", f"judge-{number}") as ann:
            await ann.begin()
            while 'name="answer-better_response"' in ann.page:
                assert told_source(ann.page) == []
                assert "Conversation A" not in ann.page
                assert ann.page.count("would you take PRICE?") == 1
                places = {kind: ann.page.find(words) for kind, words in BEGINS.items()}
                shown = sorted((at, kind) for kind, at in places.items() if at >= 0)
                if [kind for _, kind in shown] in (["rule", "neural"], ["neural", "rule"]):
                    first[shown[0][1]] += 1
                    answer = answers[sum(given.values()) % 3]
                    given[answer] += 1
                    better = "a" if shown[0][1] == "rule" else "b"
                    sent = better if answer == "better" else answer
                else:
                    sent = "a"
                await ann.send("rate", **{"answer-better_response": sent})
    assert len(first) == 2
    found = subject(responses, "pairs")
    (votes,) = found.votes
    read = Votes.of(
        *(votes.frame.texts(name) for name in ("model_a", "model_b", "winner")), bothbad="drop"
    )
    assert given == {"better": 3, "tie": 3, "neither": 3}
    assert (len(read), read.ties, read.dropped) == (6, 3, 3)
    winners = Counter(votes.frame.texts("winner"))
    assert winners["tie (bothbad)"] == 3
    sides = zip(
        *(votes.frame.texts(name) for name in ("model_a", "model_b", "winner")), strict=True
    )
    won = [a if winner == "model_a" else b for a, b, winner in sides if "tie" not in str(winner)]
    assert won == ["rule"] * 3


async def test_a_reader_of_exports_finds_who_said_what(responses: House, tmp_path: Path) -> None:
    # What is judged is drawn when the first rater comes.
    async with responses.visitor("problems", "reader") as ann:
        await ann.begin()
    dialogues = {each.id: each for each in responses.dialogues("problems")}
    systems = Counter(
        seat.occupant for each in dialogues.values() for seat in each.seats if seat.kind == "system"
    )
    # The check is a reference that is no data.
    assert systems == {"rule": 4, "neural": 4, "reference": 4 + CHECKS}
