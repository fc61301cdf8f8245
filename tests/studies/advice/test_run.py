"""A round taken step by step: repeated, stopped anywhere, refused where it must be."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.core.situations import Situation
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.formats.advice.answers import write_answers
from palaver.studies.advice import run
from palaver.studies.advice.asking import AskedModel
from palaver.studies.advice.closing import FinalRound
from palaver.studies.advice.judgements import read_judgements
from palaver.studies.advice.kept_rounds import find_closed, round_results
from palaver.studies.advice.models_file import ModelEntry
from palaver.studies.advice.round import RoundState, advice_round
from palaver.studies.advice.run import RoundRun, StepTold
from palaver.studies.file.reader import load_study
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.simulated_raters import SimulatedRaters
from support.advice import write_round

MODELS = """
models:
  heron: {kind: askbatch, url: "http://127.0.0.1:9/api/askbatch"}
  snipe: {kind: askbatch, url: "http://127.0.0.1:9/api/askbatch"}
"""


class Stopped(Exception):
    """Where the process would have been killed."""


def answering(
    home: EvaluationHome,
    situations: Sequence[Situation],
    models: Mapping[str, ModelEntry],
    *,
    into: Path,
    **given: Any,
) -> list[AskedModel]:
    """Models that answer at once."""
    for model in models:
        write_answers(into, model, {each.id: f"{model}: {each.title}" for each in situations})
    return [
        AskedModel(model=name, asked=len(situations), answered=len(situations)) for name in models
    ]


def write_page(final: FinalRound, folder: Path) -> None:
    """A report of one line."""
    (folder / "index.html").write_text(final.board.answer, encoding="utf-8")


class Round:
    """A folder with a round and a home for it."""

    def __init__(self, folder: Path, count: int = 3) -> None:
        self.folder = write_round(folder / "round", count, models=())
        (self.folder / "models.yaml").write_text(MODELS, encoding="utf-8")
        self.home = folder / "home"
        self.told: list[StepTold] = []

    @contextmanager
    def opened(self) -> Iterator[EvaluationHome]:
        with open_evaluation(self.home, f"sqlite:///{self.home / 'palaver.db'}") as home:
            yield home

    def go(self, **given: Any) -> RoundState:
        self.told.clear()
        with self.opened() as home:
            return RoundRun(
                found=advice_round(load_study(self.folder)),
                home=home,
                tell=self.told.append,
                **{"ask": answering, "writer": write_page, **given},
            ).go()

    def said(self) -> list[tuple[str, str]]:
        return [(told.when, told.step) for told in self.told]

    def end(self) -> tuple[Any, ...]:
        """What is left of a round: who was preferred where, and what was kept."""
        found = advice_round(load_study(self.folder))
        with self.opened() as home:
            judgements = home.store.read_now(lambda c: read_judgements(c, found, 1))
            kept = round_results(home, "round")
        said = Counter(
            (j.situation, j.model, j.prefers_model, j.degree, j.worse) for j in judgements
        )
        return said, kept.answer, [(file.path, file.sha256) for file in kept.files]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    """What is left of a round that nothing disturbed."""
    undisturbed = Round(tmp_path_factory.mktemp("whole"), 2)
    undisturbed.go(simulate=True)
    return undisturbed.end()


def test_a_round_goes_as_far_as_it_can_and_says_so(tmp_path: Path) -> None:
    each = Round(tmp_path)
    each.go(until="asked")
    assert each.said() == [("done", "Situations"), ("now", "Asking"), ("done", "Models")]
    state = each.go()
    assert each.said()[-2:] == [("now", "Rating"), ("next", "Report")]
    assert (state.rated.sheets, state.rated.needed, state.rated.done) == (9, 27, 0)
    assert f"palaver serve {each.folder}" in each.told[-2].hints
    state = each.go(simulate=True)
    assert (state.rated.done, state.simulated, state.by_people) == (27, 27, 0)
    assert each.said()[-1] == ("done", "Report")
    before = each.end()
    again = each.go(simulate=True)
    assert [when for when, _ in each.said()] == ["done", "done", "done", "done"]
    assert (again, each.end()) == (state, before)


@pytest.mark.parametrize("step", ["ask", "take_in", "judge", "write", "close"])
def test_a_round_that_is_stopped_anywhere_ends_like_any_other(
    whole: tuple[Any, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    each = Round(tmp_path, 2)
    with monkeypatch.context() as patched, pytest.raises(Stopped):
        each.go(simulate=True, **_stopped(step, patched))
    each.go(simulate=True)
    assert each.end() == whole


def _stopped(step: str, patched: pytest.MonkeyPatch) -> dict[str, Any]:
    """What stops a run in one of its steps, after a part of it was done."""

    def stop(*given: Any, **named: Any) -> Any:
        raise Stopped

    def ask(
        home: EvaluationHome,
        situations: Sequence[Situation],
        models: Mapping[str, ModelEntry],
        **given: Any,
    ) -> list[AskedModel]:
        answering(home, situations, dict(list(models.items())[:1]), **given)
        raise Stopped

    def write(final: FinalRound, folder: Path) -> None:
        write_page(final, folder)
        raise Stopped

    judge = SimulatedRaters.run

    def judge_some(self: SimulatedRaters, watch: Callable[[int], None] = stop) -> int:
        return judge(self, stop)

    if step in ("ask", "write"):
        return {"ask": {"ask": ask}, "write": {"writer": write}}[step]
    if step == "judge":
        patched.setattr(SimulatedRaters, "run", judge_some)
    else:
        patched.setattr(run, {"close": "close_round"}.get(step, step), stop)
    return {}


def test_rating_is_not_opened_on_half_of_the_answers(tmp_path: Path) -> None:
    def half(
        home: EvaluationHome,
        situations: Sequence[Situation],
        models: Mapping[str, ModelEntry],
        **given: Any,
    ) -> list[AskedModel]:
        heron = answering(home, situations, {"heron": models["heron"]}, **given)
        answering(home, situations[:1], {"snipe": models["snipe"]}, **given)
        failed = {each.id: "too slow" for each in situations[1:]}
        return [
            *heron,
            AskedModel(model="snipe", asked=3, answered=1, failed=failed, reason="Slow."),
        ]

    each = Round(tmp_path)
    with pytest.raises(InputError, match=r"snipe 1 of 3\. Run this again .* --partial"):
        each.go(ask=half)
    assert (each.told[-1].when, each.told[-1].hints) == ("now", ("snipe: 1 of 3 answers. Slow.",))
    assert each.go(ask=half, partial=True).rated.sheets == 7


def test_what_is_judged_stays_as_it_is_once_somebody_has_begun(tmp_path: Path) -> None:
    each = Round(tmp_path)
    each.go(until="open")
    answers = each.folder / "answers"
    # Nobody has begun: what is judged follows the answers.
    write_answers(answers, "plover", {"s00": "Move."})
    assert each.go(until="open", partial=True).rated.sheets == 10
    (answers / "plover.jsonl").unlink()
    assert each.go(until="open").rated.sheets == 9

    def some(judged: int) -> None:
        raise Stopped

    study = load_study(each.folder)
    with each.opened() as home, pytest.raises(Stopped):
        SimulatedRaters(home.store, study, 1, 0).run(some)
    with (each.folder / "models.yaml").open("a", encoding="utf-8") as models:
        models.write('  plover: {kind: askbatch, url: "http://127.0.0.1:9/api/askbatch"}\n')
    with pytest.raises(InputError, match=r"Rating has begun .* plover would be judged by other"):
        each.go()
    (each.folder / "models.yaml").write_text(MODELS, encoding="utf-8")
    kept = (answers / "heron.jsonl").read_bytes()
    write_answers(answers, "heron", {"s00": "Changed my mind.", "s01": "No.", "s02": "Yes."})
    with pytest.raises(StudyError, match=r"Rating has begun .* must stay as it is"):
        each.go()
    with (
        each.opened() as home,
        pytest.raises(StudyError, match=r"3 changed \(s00/heron, s01/heron and s02/heron\)"),
    ):
        Deployment(home.store, [load_study(each.folder)]).prepare()
    (answers / "heron.jsonl").write_bytes(kept)
    text = (each.folder / "study.yaml").read_text(encoding="utf-8")
    more = text.replace("format: advice", "format: advice\n    raters: 4")
    (each.folder / "study.yaml").write_text(more, encoding="utf-8")
    assert each.go(until="open").rated.needed == 36


def test_a_round_can_be_closed_before_all_raters_came(tmp_path: Path) -> None:
    each = Round(tmp_path)
    with pytest.raises(InputError, match="Nobody has judged anything"):
        each.go(close=True)
    with each.opened() as home:
        assert find_closed(home, "round") is None


def test_without_models_and_without_answers_there_is_nothing_to_do(tmp_path: Path) -> None:
    each = Round(tmp_path)
    (each.folder / "models.yaml").unlink()
    with pytest.raises(InputError, match=r"no models\.yaml that names models to ask"):
        each.go()
    write_answers(each.folder / "answers", "brought", {f"s{n:02}": "Hm." for n in range(3)})
    assert each.go().rated.sheets == 6


def test_a_study_that_judges_no_advice_is_no_round(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 1)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    lines = text.replace("format: advice", "format: lines").replace("situations: situations", "#")
    (folder / "study.yaml").write_text(
        lines.replace("answers/*.jsonl", "x.jsonl"), encoding="utf-8"
    )
    with pytest.raises(InputError, match="palaver init --template advice"):
        advice_round(load_study(folder))
