"""One screen of judgement as a page: what is shown, what was answered, and what is asked."""

from collections.abc import Mapping

from palaver.annotation import assignment as handing
from palaver.annotation.screens import Screen
from palaver.annotation.workload import Workload, workload
from palaver.core.numbers import whole_number
from palaver.studies.run.work import Work
from palaver.studies.stages import RateStage
from palaver.web.participant.rating import kept
from palaver.web.participant.rating import screens as fill
from palaver.web.participant.rating.form import Filled
from palaver.web.participant.rating.hand_outs import HandOut, hidden_fields
from palaver.web.participant.rating.pages import Feedback, Hidden, NoticePage, Practice, RatePage
from palaver.web.participant.rating.screens import EnteredAnswer, Names
from palaver.web.participant.rating.work_at_hand import rater
from palaver.web.participant.steps import shell
from palaver.web.participant.visit import Visit

TEXTS = "Compare the two pieces of advice"
EXAMPLE = "Read closely, then answer"


async def shown_page(visit: Visit, work: Work, number: int) -> RatePage:
    """One screen of the work, with what was answered and what is kept of it."""
    draft = await kept.draft_for(visit, work, number)
    entries = kept.entries_of(draft, work.screen(number)) if draft.fields else {}
    handed = HandOut(number, visit.now, draft.sent)
    return await _screen_page(visit, work, handed, entries, kept=kept.told(draft))


async def _workload(visit: Visit, work: Work) -> Workload | None:
    """The place of a sheet among those of the visit; None where they are not counted."""
    plan = visit.study.rates.get(work.stage)
    if work.slot_id is None or plan is None or not plan.is_limited:
        return None
    who = rater(visit, plan)
    return await visit.deployment.store.look_up(lambda c: workload(c, plan, who))


async def _screen_page(
    visit: Visit,
    work: Work,
    handed: HandOut,
    entered: Mapping[str, EnteredAnswer],
    *,
    kept: str = "",
    refused: bool = False,
) -> RatePage:
    """One screen of the work, with what was answered or entered."""
    counted = await _workload(visit, work)
    number = handed.number
    screen = work.screen(number)
    names = _names(visit, work)
    feedback = _feedback(work)
    talks = fill.conversations(screen, names, work.answers, entered, feedback)
    context = fill.common_context(talks)
    as_texts = _is_texts(visit, work) and context is None
    situation = fill.situation_of(talks, rich=names.rich) if as_texts else None
    shared = context is not None or situation is not None
    left = await skips_left(visit, work)
    of_example = len(talks) == 1 and talks[0].example is not None
    return RatePage(
        shell=shell(visit),
        action=f"{visit.path}/rate",
        conversations=tuple(map(fill.last_alone, talks)) if shared else talks,
        context=context,
        situation=situation,
        of_example=of_example,
        skip=f"{visit.path}/skip" if left else "",
        left=left,
        asked=fill.whole_questions(screen, names, work.answers, entered),
        title=EXAMPLE if of_example else TEXTS if situation else _title(screen, names),
        hidden=hidden_fields(visit, work, handed),
        keep=f"{visit.path}/keep",
        kept=kept,
        refused=refused,
        screen=number + 1,
        screens=len(work.screens),
        position=None if counted is None else counted.position,
        total=None if counted is None else counted.total,
        back=number > 0,
        last=number == len(work.screens) - 1,
        guides=fill.guides(screen),
        guides_open=visit.study.definition.guides == "open",
        instructions=visit.study.definition.instructions or "",
        practice=_practice_state(visit, work),
    )


def _is_texts(visit: Visit, work: Work) -> bool:
    stage = visit.study.definition.stages[work.stage]
    return work.slot_id is not None and isinstance(stage, RateStage) and stage.shown_as == "texts"


async def skips_left(visit: Visit, work: Work) -> int:
    """How many more sheets this visit may skip, the one in hand among them."""
    plan = visit.study.rates.get(work.stage)
    if work.slot_id is None or plan is None or plan.skips is None:
        return 0
    who = rater(visit, plan)
    return await visit.deployment.store.look_up(lambda c: handing.skips_left(c, plan, who))


async def notice_page(visit: Visit, work: Work, number: int) -> NoticePage | None:
    """What stands before a sheet that may distress, until its rater goes on to read it."""
    seals, holder = visit.deployment.seals, visit.assignment.key
    if not work.notice or number > 0 or work.answers:
        return None
    given = visit.request.query_params.get("read", "")
    if seals.is_seal(given, "read", holder, work.name):
        return None
    left = await skips_left(visit, work)
    return NoticePage(
        shell=shell(visit),
        notice=work.notice,
        read=f"{visit.path}?read={seals.seal('read', holder, work.name)}",
        skip=f"{visit.path}/skip" if left else "",
        left=left,
        hidden=(Hidden(name="work", value=seals.seal("work", holder, work.name)),),
    )


async def refused_page(visit: Visit, work: Work, handed: HandOut, filled: Filled) -> RatePage:
    """The screen again, with what was entered and what is wrong with it; its time runs on."""
    return await _screen_page(visit, work, handed, filled.entries, refused=True)


def chosen_screen(visit: Visit, work: Work) -> int:
    """The screen that the address asks for, else the first with something to answer."""
    given = visit.request.query_params.get("screen")
    number = whole_number(given, least=1, most=len(work.screens))
    return work.first_open() if number is None else number - 1


def _names(visit: Visit, work: Work) -> Names:
    study = visit.study.definition
    stage = study.stages[work.stage]
    names = ("Sam", "Alex")
    if isinstance(stage, RateStage):
        names = (stage.speakers.user, stage.speakers.system)
    return Names(*names, work.seats, study.is_rich, work.letters)


def _title(screen: Screen, names: Names) -> str:
    if fill.judges_response(screen):
        several = len(screen.dialogues) == 2
        return "Compare the two messages" if several else "Judge the marked message"
    if len(screen.dialogues) == 2:
        return "Compare the two conversations"
    letter = names.letters.get(screen.dialogues[0].id)
    if any(asking.turn is not None for asking in screen.askings):
        return "Judge the marked turns" + (f" of conversation {letter}" if letter else "")
    return f"Judge conversation {letter}" if letter else "Judge this conversation"


def _practice_state(visit: Visit, work: Work) -> Practice | None:
    if work.screening is None:
        return None
    plan, state = visit.study.screens[work.stage], work.screening
    return Practice(
        round=state.round + 1,
        rounds=plan.rounds,
        mending=state.mending,
        left=len(state.wrong),
        counts=state.round + 1 in plan.passing_rounds,
        allowed=plan.mistakes,
    )


def _feedback(work: Work) -> dict[str, Feedback]:
    state = work.screening
    if state is None or not state.mending or state.sheet.truth is None:
        return {}
    wrong = {right.unit for right in state.wrong}
    questions = {a.unit.key: a.question for s in work.screens for a in s.askings}
    return {
        right.unit: Feedback(
            why=right.why,
            right=tuple(map(questions[right.unit].in_words, right.any_of)),
            mended=right.unit not in wrong,
        )
        for right in state.sheet.truth.answers
        if right.unit in questions
    }
