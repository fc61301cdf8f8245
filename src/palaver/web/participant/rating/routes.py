"""Where answers arrive: a screen of judgement, the start of practice, a message judged in a chat."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from palaver.core.errors import AccessError, AnswerError
from palaver.studies.run import flow
from palaver.studies.run.work import Work
from palaver.web.participant.rating import form, judging
from palaver.web.participant.rating.form import read_form
from palaver.web.participant.routes import show_current
from palaver.web.participant.visit import visit_of

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
        return visit.show(judging.screen_page(visit, work, number, filled.entries), status=422)
    return visit.back(await judging.send(visit, step, work, number, filled))


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
    Route("/take/{assignment}/practice", practise, methods=["POST"]),
    Route("/take/{assignment}/online", judge_message, methods=["POST"]),
]
