"""Where answers arrive: a screen of judgement, the start of practice, a message judged in a chat."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palaver.annotation import assignment as handing
from palaver.core.errors import AccessError, AnswerError, InputError
from palaver.studies.run import flow
from palaver.studies.run.work import Work
from palaver.web.participant.rating import form, kept, sent_screens
from palaver.web.participant.rating.form import read_form
from palaver.web.participant.rating.hand_outs import is_work, screen_of, sent_back
from palaver.web.participant.rating.screen_page import refused_page
from palaver.web.participant.rating.work_at_hand import (
    as_it_is,
    begin_practice,
    look,
    rater,
    rater_here,
)
from palaver.web.participant.routes import show_current
from palaver.web.participant.visit import visit_of

NOT_KEPT = "These answers were sent already, or belong to other work. Reload the page to go on."
SENT_ALREADY = "Those answers were sent already, or belong to other work. Nothing was changed."


async def rate(request: Request) -> Response:
    """The answers of one screen arrive."""
    visit = await visit_of(request, changing=True)
    form = await request.form()
    step = await visit.where()
    if not isinstance(step, flow.Rating | flow.Judging | flow.Training):
        return await show_current(request, notice=SENT_ALREADY, status=409)
    work = await look(visit, step)
    handed = sent_back(visit, work, form) if isinstance(work, Work) else None
    if not isinstance(work, Work) or handed is None:
        return await show_current(request, notice=SENT_ALREADY, status=409)
    filled = read_form(
        work,
        handed,
        form,
        study_id=visit.study.id,
        version=visit.study.version,
        rater=rater_here(visit, step),
        now=visit.now,
    )
    if form.get("go") == "back":
        return visit.back(await sent_screens.keep(visit, step, work, handed.number, filled))
    if filled.wrong:
        return visit.show(await refused_page(visit, work, handed, filled), status=422)
    return visit.back(await sent_screens.send(visit, step, work, handed.number, filled))


async def skip(request: Request) -> Response:
    """Somebody does not want to judge the sheet they hold; another one takes its place."""
    visit = await visit_of(request, changing=True)
    given = await request.form()
    step = await visit.where()
    work = await as_it_is(visit, step) if isinstance(step, flow.Judging) else None
    if work is None or work.slot_id is None or not is_work(visit, work, given):
        # Pressed twice, or on a page that is left over: what is in hand now was not meant.
        return await show_current(request, notice=SENT_ALREADY, status=409)
    assert isinstance(step, flow.Judging)
    plan, slot_id, now = visit.study.rates[step.stage], work.slot_id, visit.now
    who = rater(visit, plan)
    try:
        await visit.write(lambda c: handing.skip(c, plan, who, slot_id, now=now))
    except InputError as error:
        return await show_current(request, notice=str(error), status=409)
    return visit.back()


async def keep(request: Request) -> Response:
    """What somebody has answered on a screen so far is kept; the page is answered in JSON."""
    visit = await visit_of(request, changing=True)
    form = await request.form()
    step = await visit.where()
    work = None
    if isinstance(step, flow.Rating | flow.Judging | flow.Training):
        work = await as_it_is(visit, step)
    number = None if work is None else screen_of(visit, work, form)
    if work is None or number is None:
        return JSONResponse({"kept": False, "error": NOT_KEPT})
    try:
        done = await kept.keep(visit, work, number, work.screen(number), form)
    except InputError as error:
        return JSONResponse({"error": str(error)}, status_code=422)
    # No failure: a page whose form was sent meanwhile hears of it, and its reader need not.
    return JSONResponse({"kept": True} if done else {"kept": False, "error": NOT_KEPT})


async def practise(request: Request) -> Response:
    """Practice is begun."""
    visit = await visit_of(request, changing=True)
    step = await visit.where()
    if isinstance(step, flow.Training):
        page = await begin_practice(visit, step)
        if page is not None:
            return visit.show(page)
    return visit.back()


async def judge_message(request: Request) -> Response:
    """A message of the partner is judged while the chat runs; the page is answered in JSON."""
    visit = await visit_of(request, changing=True)
    try:
        await form.judge_message(visit, await request.form())
    except (AnswerError, AccessError) as error:
        status = 422 if isinstance(error, AnswerError) else 403
        return JSONResponse({"error": str(error)}, status_code=status)
    return JSONResponse({"saved": True})


routes = [
    Route("/take/{assignment}/rate", rate, methods=["POST"]),
    Route("/take/{assignment}/skip", skip, methods=["POST"]),
    Route("/take/{assignment}/keep", keep, methods=["POST"]),
    Route("/take/{assignment}/practice", practise, methods=["POST"]),
    Route("/take/{assignment}/online", judge_message, methods=["POST"]),
]
