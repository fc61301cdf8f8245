"""Where the parts of a study file contradict each other, and what in it is worth a warning."""

import re
import time
from collections.abc import Iterator
from typing import TypeGuard

from palaver.core.errors import AnswerError
from palaver.core.questions import Question, Shown
from palaver.core.registry import near
from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem
from palaver.studies.file.definition import Study, questions_of
from palaver.studies.file.outcomes import outcome_problems
from palaver.studies.file.terms import StopTerms
from palaver.studies.stages import AnyStage, ChatStage, RateStage, ScreenStage
from palaver.studies.stages.rate import ADVICE

# With three or more systems nothing is decided before so many raters have voted.
ENOUGH_RATERS = 50
# Words in the name of a question that give away that it only checks attention.
TELLING = frozenset({"attention", "attentive", "check", "control", "gold", "test", "trap"})


def study_problems(study: Study) -> Iterator[KeyProblem]:
    """Where the parts contradict each other, and what is worth a warning."""
    for problem in study.crowd.key_problems():
        yield problem.under("crowd")
    for problem in study.dates.key_problems(time.time()):
        yield problem.under("dates")
    yield from _recruit_problems(study)
    if study.notify is not None:
        for problem in study.notify.key_problems():
            yield problem.under("notify")
    yield from _pay_problems(study)
    yield from outcome_problems(study)
    yield from _rate_problems(study)
    yield from _question_problems(study)
    yield from _beside_problems(study)
    yield from _simulation_problems(study)
    yield from _omissions(study)
    yield from _time_problems(study)
    yield from _vote_problems(study)
    yield from _stop_problems(study)
    yield from _unused(study)


def _recruit_problems(study: Study) -> Iterator[KeyProblem]:
    """What is missing of a study that is to be offered at a panel."""
    if study.recruit is None:
        return
    for problem in study.recruit.key_problems():
        yield problem.under("recruit")
    if study.crowd.kind != "prolific":
        message = (
            f"'recruit' is for 'crowd: {{kind: prolific}}' only; it is '{study.crowd.kind}'. "
            "Leave it out."
        )
        yield KeyProblem(("recruit",), message, at_key=True)
        return
    if study.pay is None or not study.pay.amount:
        message = "Prolific takes no study without pay. Add 'pay: {amount: 1.50, currency: GBP}'."
        yield KeyProblem(("recruit",), message, warning=True, at_key=True)
    if study.recruit.description is None:
        message = "'recruit' needs a 'description' before it can be created: people read it first."
        yield KeyProblem(("recruit",), message, warning=True, at_key=True)
    if study.minutes_in_all is None:
        message = "Prolific asks how long it takes. Add 'minutes' to the study."
        yield KeyProblem(("recruit",), message, warning=True, at_key=True)


def _rate_problems(study: Study) -> Iterator[KeyProblem]:
    if not any(_begins(stage) for stage in study.stages):
        yield KeyProblem(
            ("stages",),
            "There is nothing to judge or to talk about. Add '- chat: {...}', or a rate stage "
            "with 'data'.",
        )
        return
    for i, stage in enumerate(study.stages):
        before = [chat for chat in study.stages[:i] if _is_data(chat)]
        if not isinstance(stage, RateStage) or stage.has_source:
            continue
        if not before:
            yield KeyProblem(
                ("stages", i), "A rate stage needs a chat before it, or 'data' to judge."
            )
        elif not any(chat.arrangement == "paired" for chat in before):
            yield from _lonely_comparisons(study, i, stage)
        if stage.when == "after_each" and not _is_data(study.stages[i - 1]):
            message = "'after_each' belongs to the chat right before this stage; there is none."
            yield KeyProblem(("stages", i, "rate", "when"), message)


def _begins(stage: AnyStage) -> bool:
    return _is_data(stage) or (isinstance(stage, RateStage) and stage.has_source)


def _is_data(stage: AnyStage) -> TypeGuard[ChatStage]:
    return isinstance(stage, ChatStage) and not stage.practice


def _question_problems(study: Study) -> Iterator[KeyProblem]:
    """Questions that do not fit where they are asked."""
    for i, stage in enumerate(study.stages):
        if isinstance(stage, RateStage) and stage.attention is not None:
            for j, name in enumerate(stage.attention.ask):
                question = study.questions.get(name)
                if question is not None and question.beside:
                    yield KeyProblem(
                        ("stages", i, "rate", "attention", "ask", j),
                        f"Question '{name}' stands beside a comparison; it cannot check attention.",
                    )
                elif question is not None and question.expected is None:
                    yield KeyProblem(
                        ("stages", i, "rate", "attention", "ask", j),
                        f"Question '{name}' checks attention, so it needs an 'expected' answer.",
                    )
                elif question is not None:
                    yield from _expectation_problems(question)
                    if TELLING & set(re.split(r"[^a-z]+", name.casefold())):
                        yield KeyProblem(
                            ("stages", i, "rate", "attention", "ask", j),
                            f"The name '{name}' is in the source of the page and says what the "
                            "question is for. Call it like the others.",
                            warning=True,
                        )
        if isinstance(stage, ChatStage) and stage.online is not None:
            question = study.questions.get(stage.online.ask)
            if question is not None and question.about == "pair":
                yield KeyProblem(
                    ("stages", i, "chat", "online", "ask"),
                    f"Question '{question.name}' compares two conversations; it cannot be asked "
                    "of a message.",
                )


def _beside_problems(study: Study) -> Iterator[KeyProblem]:
    """Questions beside a comparison that is not there, is none, or is not asked with them."""
    for i, stage in enumerate(study.stages):
        for j, name in enumerate(stage.ask if isinstance(stage, RateStage) else ()):
            question = study.questions.get(name)
            if question is None or not question.beside or not isinstance(stage, RateStage):
                continue
            here = ("stages", i, "rate", "ask", j)
            compared = study.questions.get(question.beside)
            told = f"Question '{name}' stands beside '{question.beside}', which"
            if question.beside not in stage.ask:
                hint = near(question.beside, stage.ask)
                yield KeyProblem(here, f"{told} is not asked in this stage.{hint or ' Ask both.'}")
            elif compared is not None and compared.level != "pairwise":
                yield KeyProblem(here, f"{told} compares nothing: it is {compared.kind}.")
            elif stage.ask.index(question.beside) > j:
                yield KeyProblem(here, f"{told} is asked after it. Name '{question.beside}' first.")


def _simulation_problems(study: Study) -> Iterator[KeyProblem]:
    strengths = study.simulated.strengths if study.simulated is not None else {}
    if any(isinstance(stage, RateStage) and stage.format == ADVICE for stage in study.stages):
        return  # these are models that are asked, and people
    for name in strengths.keys() - study.systems.keys():
        message = f"There is no system '{name}'.{near(name, study.systems)}"
        yield KeyProblem(("simulated", "strengths", name), message, at_key=True)


def _lonely_comparisons(study: Study, i: int, stage: RateStage) -> Iterator[KeyProblem]:
    for j, name in enumerate(stage.ask):
        question = study.questions.get(name)
        if question is not None and question.level == "pairwise":
            yield KeyProblem(
                ("stages", i, "rate", "ask", j),
                f"Question '{name}' compares two conversations, but no chat before it has "
                "'arrangement: paired'.",
            )


def _omissions(study: Study) -> Iterator[KeyProblem]:
    if study.consent is None:
        yield KeyProblem((), "No 'consent': people take part without being asked.", warning=True)
    if study.pay is None:
        yield KeyProblem((), "No 'pay': people are not told what they get.", warning=True)


def _pay_problems(study: Study) -> Iterator[KeyProblem]:
    """Pay that people could not judge, would not get, or would get for nothing."""
    pay, crowd = study.pay, study.crowd
    if pay is None:
        return
    for problem in pay.key_problems():
        yield problem.under("pay")
    if pay.amount and study.minutes_in_all is None:
        message = "People are told what they get, but not for how long. Set 'minutes'."
        yield KeyProblem(("pay",), message, warning=True, at_key=True)
    screens = [stage for stage in study.stages if isinstance(stage, ScreenStage)]
    if pay.practice and not screens:
        message = "'practice' is paid to those who practise; there is no screen stage."
        yield KeyProblem(("pay", "practice"), message, warning=True, at_key=True)
    lonely = [
        stage
        for stage in study.stages
        if isinstance(stage, ChatStage) and stage.waits_in_vain and not pay.waiting_per_minute
    ]
    if pay.amount and lonely:
        message = (
            "Whoever waits and meets nobody gets nothing. Set 'waiting_per_minute', or let a "
            "system stand in with 'nobody_comes'."
        )
        yield KeyProblem(("pay",), message, warning=True, at_key=True)
    parts = pay.early or (pay.practice and screens) or (pay.waiting_per_minute and study.meets)
    if parts and not crowd.codes and crowd.completion_code and crowd.part_code is None:
        message = (
            "Some ends are paid in part, and 'completion_code' claims all. Set 'part_code', or "
            "pay those parts by hand."
        )
        yield KeyProblem(("crowd", "completion_code"), message, warning=True, at_key=True)


def _time_problems(study: Study) -> Iterator[KeyProblem]:
    each = sum(stage.minutes or 0 for stage in study.stages)
    if study.minutes is not None and each > study.minutes:
        message = f"The stages take {each} minutes together, but 'minutes' says {study.minutes}."
        yield KeyProblem(("minutes",), message, warning=True)


def _vote_problems(study: Study) -> Iterator[KeyProblem]:
    quotas = [
        c.needed for c in (study.chat.conditions if study.chat else ()) if len(c.systems) == 2
    ]
    needed = sum(quota or 0 for quota in quotas)
    votes = study.board.votes
    if votes is not None and quotas and None not in quotas and votes != needed:
        message = (
            f"The board is final after {counted(votes, 'vote')}, but the conditions need "
            f"{counted(needed, 'pair')}. "
            "Leave 'votes' out to have it wait for these."
        )
        yield KeyProblem(("board", "votes"), message, warning=True)


def _stop_problems(study: Study) -> Iterator[KeyProblem]:
    """A stopping rule that has nothing to go by, can never stop, or says what something else denies."""
    rule, votes = study.board.stop, study.board.votes
    if rule is None:
        return
    whole, at_most = ("board", "stop"), ("board", "stop", "at_most")
    if any(isinstance(stage, RateStage) and stage.format == ADVICE for stage in study.stages):
        message = (
            "A round of advice has no stopping rule yet: it ends with its sheets. Leave 'stop' out."
        )
        yield KeyProblem(whole, message, at_key=True)
        return
    if study.board_question is None:
        message = (
            "'stop' waits until votes are enough, but no stage asks which of two is better. Ask a "
            "comparative question, or leave 'stop' out."
        )
        yield KeyProblem(whole, message, at_key=True)
        return
    if rule.at_most is None:
        message = (
            "The rule has no 'at_most': if systems are hard to tell apart, the study goes on until "
            "its quota is full, or for good where it has none."
        )
        yield KeyProblem(whole, message, warning=True, at_key=True)
    if votes is not None and rule.at_most is not None and rule.at_most < votes:
        message = (
            f"The rule stops after {counted(rule.at_most, 'vote')} at most, but the board would be "
            f"final after {votes:,} only. Leave 'votes' out: with a rule, it is final when that stops."
        )
        yield KeyProblem(at_most, message)
    elif votes is not None:
        message = (
            "With a rule the board is final when that stops, not after so many votes. Leave 'votes' "
            "out, and say 'at_most' under 'stop'."
        )
        yield KeyProblem(("board", "votes"), message, warning=True, at_key=True)
    yield from _reach_problems(study, rule)


def _reach_problems(study: Study, rule: StopTerms) -> Iterator[KeyProblem]:
    """A rule that the quotas never let come to anything."""
    pairs = [c for c in (study.chat.conditions if study.chat else ()) if len(c.systems) == 2]
    systems = {name for condition in pairs for name in condition.systems}
    quotas = [condition.needed for condition in pairs]
    needed = None if not quotas or None in quotas else sum(quota or 0 for quota in quotas)
    if needed is not None and rule.at_most is not None and rule.at_most > needed:
        message = (
            f"'at_most' is {rule.at_most:,}, but the conditions need {counted(needed, 'pair')} only: "
            "they are full before."
        )
        yield KeyProblem(("board", "stop", "at_most"), message, warning=True)
    most = min((each for each in (needed, rule.at_most) if each is not None), default=None)
    if len(systems) > 2 and most is not None and most < ENOUGH_RATERS:
        message = (
            f"Of {len(systems)} systems nothing is decided before {ENOUGH_RATERS} people have voted, "
            f"and no more than {most:,} can. Plan for more, or leave 'stop' out."
        )
        yield KeyProblem(("board", "stop"), message, at_key=True)


def _unused(study: Study) -> Iterator[KeyProblem]:
    chats = [stage for stage in study.stages if isinstance(stage, ChatStage)]
    used = {name for chat in chats for name in chat.system_names()}
    asked = {name for stage in study.stages for name in questions_of(stage)}
    for name in study.systems.keys() - used:
        message = f"System '{name}' is in no condition."
        yield KeyProblem(("systems", name), message, warning=True, at_key=True)
    for name in study.questions.keys() - asked:
        message = f"Question '{name}' is asked in no stage."
        yield KeyProblem(("questions", name), message, warning=True, at_key=True)


def _expectation_problems(question: Question) -> Iterator[KeyProblem]:
    """Whether what an attention check expects is an answer at all."""
    try:
        question.read(question.expected, Shown())
    except AnswerError as error:
        yield KeyProblem(("questions", question.name, "expected"), str(error))
