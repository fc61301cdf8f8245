"""Where answers arrive: a screen of judgement, the start of practice, a message judged in a chat."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palaver.core.errors import AccessError, AnswerError, InputError
from palaver.studies.run import flow
from palaver.studies.run.work import Work
from palaver.web.participant.rating import form, judging, kept
from palaver.web.participant.rating.form import read_form
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
    work = await judging.look(visit, step)
    number = judging.sent_for(work, form) if isinstance(work, Work) else None
    if not isinstance(work, Work) or number is None:
        return await show_current(request, notice=SENT_ALREADY, status=409)
    filled = read_form(
        work,
        judging.screen_at(work, number),
        form,
        study_id=visit.study.id,
        rater=judging.rater_here(visit, step),
        now=visit.now,
    )
    if form.get("go") == "back":
        return visit.back(await judging.keep(visit, step, work, number, filled))
    if filled.wrong:
        page = await judging.refused_page(visit, work, number, filled, form)
        return visit.show(page, status=422)
    return visit.back(await judging.send(visit, step, work, number, filled))


async def keep(request: Request) -> Response:
    """What somebody has answered on a screen so far is kept; the page is answered in JSON."""
    visit = await visit_of(request, changing=True)
    form = await request.form()
    step = await visit.where()
    work = None
    if isinstance(step, flow.Rating | flow.Judging | flow.Training):
        work = await kept.work_at_hand(visit, step)
    number = None if work is None else judging.sent_for(work, form)
    if work is None or number is None:
        return JSONResponse({"error": NOT_KEPT}, status_code=409)
    try:
        done = await kept.keep(visit, work, number, judging.screen_at(work, number), form)
    except InputError as error:
        return JSONResponse({"error": str(error)}, status_code=422)
    return JSONResponse({"kept": True} if done else {"error": NOT_KEPT}, 200 if done else 409)


async def practise(request: Request) -> Response:
    """Practice is begun."""
    visit = await visit_of(request, changing=True)
    step = await visit.where()
    if isinstance(step, flow.Training):
        page = await judging.begin_practice(visit, step)
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
    Route("/take/{assignment}/keep", keep, methods=["POST"]),
    Route("/take/{assignment}/practice", practise, methods=["POST"]),
    Route("/take/{assignment}/online", judge_message, methods=["POST"]),
]
