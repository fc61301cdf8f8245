"""Two pieces of advice are compared: blind, in an order of each rater's own, and some are skipped."""

import re
from collections.abc import Iterator

import pytest

from palaver.core.questions.comparative import side_of
from palaver.reports.target import opened_store
from palaver.storage.judging.evidence import count_preferences
from support.advised import judging, write_pairs
from support.houses import House

from .conftest import Ground

pytestmark = pytest.mark.asyncio

STUDIES = {
    "advised": (judging(per_visit=4, raters=8, order="file"), 4, {}),
    "noticed": (judging(per_visit=3, raters=2, skips=2, order="file"), 3, {0: "a death & grief"}),
}
STILL = {"answer-advice_worse:still": "helpful", "answer-advice_worse:rewriting": "writing"}


@pytest.fixture(scope="module")
def advised(light_ground: Ground) -> Iterator[House]:
    studies = {name: study for name, (study, _, _) in STUDIES.items()}
    built = House.build(light_ground.folder, studies, light_ground.database_url)
    for name, (_, count, notices) in STUDIES.items():
        write_pairs(light_ground.folder / "studies" / name / "pairs.jsonl", count, notices=notices)
    built.serve()
    yield built
    built.close()


def first_shown(page: str) -> str:
    """Whose advice stands on the left: P of people, T of the model."""
    found = re.search(r"\(([PT])\d\)", page)
    assert found is not None
    return found.group(1)


def told(page: str) -> list[str]:
    """What on a page would tell whose advice is whose."""
    bare = re.sub(r"<(script|guide-panel).*?</\1>", "", page, flags=re.S)
    return re.findall(
        r"\btern\b|\bpeople\b|human|machine|\bmodel\b|(?<![\w-])s\d/|pairs\.jsonl", bare
    )


async def test_raters_compare_texts_blindly_each_in_an_order_of_their_own(advised: House) -> None:
    orders: dict[str, set[str]] = {}
    for number in range(6):
        async with advised.visitor("advised", f"rater-{number}") as ann:
            await ann.begin()
            while 'name="answer-advice_better"' in ann.page:
                assert told(ann.page) == []
                assert "My &lt;b&gt;housemate&lt;/b&gt; bent my wheel 🚲 *and*" in ann.page
                assert "<strong>first</strong>" in ann.page
                assert "<strong>bent</strong>" in ann.page
                item = re.search(r"number (\d)\?", ann.page)
                assert item is not None
                left = first_shown(ann.page)
                orders.setdefault(item.group(1), set()).add(left)
                best = "2a" if left == "P" else "1b"
                await ann.send("rate", **{"answer-advice_better": best}, **STILL, active="31")
            assert ann.code
    # Of one situation different raters see different orders.
    assert {"P", "T"} in orders.values()
    labels = [each for each in advised.labels("advised") if not each.superseded]
    better = [each for each in labels if each.question == "advice_better"]
    assert len(better) == 24
    assert {each.value for each in better} <= {"first:2", "second:1", "first:1", "second:2"}
    for each in better:
        assert each.shown_order in (["first", "second"], ["second", "first"])
        # People's advice is the first of the unit (`s0/people` before `s0/tern`) or the second.
        assert each.label == side_of(each.value)
        assert each.active is not None
        assert each.seconds is not None
        assert each.active <= each.seconds
    worse = [each for each in labels if each.question == "advice_worse"]
    assert {each.unit for each in worse} == {each.unit for each in better}
    assert {each.label for each in worse} == {"helpful|writing"}
    with opened_store(advised.database_url, advised.studies / "advised", "advised") as opened:
        counted = opened.store.read_now(lambda c: count_preferences(c, "advised", "advice_better"))
    # Everybody prefers people, however much.
    winners = {each.first if each.value == "first" else each.second for each in counted}
    assert winners == {"people"}
    assert sum(each.count for each in counted) == 24


async def test_a_question_beside_a_comparison_needs_its_answer(advised: House) -> None:
    async with advised.visitor("advised", "hasty") as ann:
        await ann.begin()
        await ann.send("rate", **STILL)
        assert ann.status == 422
        assert ann.page.count("Please answer this question.") == 1
        assert "This is asked only once the comparison" in ann.page
        await ann.send("rate", **{"answer-advice_better": "2a"})
        assert ann.status == 422
        # The page without scripts knows by now which one is meant.
        assert '<span data-side="worse">Advice B</span>' in ann.page
        assert "less helpful advice, you said" in ann.page
        wrong = {"answer-advice_worse:still": "helpful", "answer-advice_worse:elsewhere": "neutral"}
        await ann.send("rate", **{"answer-advice_better": "2a"}, **wrong)
        assert ann.status == 422
        assert "it is only asked after" in ann.page


async def test_a_notice_comes_first_and_what_is_skipped_goes_to_others(advised: House) -> None:
    async with advised.visitor("noticed", "wary") as ann:
        await ann.begin()
        assert "This one is about a death &amp; grief." in ann.page
        assert "housemate" not in ann.page
        await ann.reload()
        assert "This one is about" in ann.page
        left_over = ann.hidden()
        await ann.send("skip")
        # Another one, without a notice; the first is not handed out again.
        assert "number 1?" in ann.page
        # Pressed twice: what is in hand now was not meant.
        await ann.send("skip", work=left_over["work"])
        assert ann.status == 409
        assert "number 1?" in ann.page
        await ann.send("skip")
        assert "number 2?" in ann.page
        # Two may be skipped here, and nobody is done who judged nothing.
        assert "Skip this one" not in ann.page
        await ann.send("rate", **{"answer-advice_better": "1a"}, **STILL)
        assert ann.code
    labels = advised.labels("noticed")
    assert {each.question for each in labels} == {"advice_better", "advice_worse", "advice_comment"}
    # Both that were skipped still find their two raters.
    seen = []
    for number in range(2):
        async with advised.visitor("noticed", f"brave-{number}") as bo:
            await bo.begin()
            link = re.search(r'href="([^"]*\?read=[^"]*)"', bo.page)
            assert link is not None
            await bo.open(bo.base + link.group(1))
            while 'name="answer-advice_better"' in bo.page:
                seen.append(re.search(r"number (\d)\?", bo.page).group(1))  # type: ignore[union-attr]
                await bo.send("rate", **{"answer-advice_better": "1a"}, **STILL)
    assert sorted(seen) == ["0", "0", "1", "1", "2"]
