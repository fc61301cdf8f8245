"""The list of dialogues, the page of one, and its events while it runs."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.core.records import encode_line
from palaver.core.studies.dialogues import ENDED, RUNNING, DialogueFilter, Use
from palaver.formats.messages import chat_row
from palaver.games.game import game_of
from palaver.studies.review.progress import read_progress
from palaver.studies.review.views import find_dialogues, get_dialogue, view_dialogue
from palaver.studies.run.deployment import Deployment
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.dialogues.label_places import place_labels
from palaver.web.desk.dialogues.view import DialoguePage, DialoguesPage, heading, lines
from palaver.web.desk.frame import DeskShell, shell, study_shell
from palaver.web.desk.parts import ListAsked, asked_for, options, plain
from palaver.web.desk.questions.judgements import chosen_raters, rater_choices
from palaver.web.formatting import REASONS
from palaver.web.rendering import show

PAGE = 50
LISTING = "/desk/dialogues"
FILTERS = ("study", "condition", "status", "system", "q", "for")
# What the filter can be set to; without it the list shows data.
USES: dict[str, Use] = {"practice": "practice", "checks": "checks"}


@for_role("member")
async def list_all(request: Request, person: Person) -> Response:
    """The dialogues that fit the filters in the address."""
    address = root_of(request) + LISTING
    asked = ListAsked.read(request.query_params, address, size=PAGE, kept=FILTERS)
    study, condition, status, system, text, given = (asked.kept[name] for name in FILTERS)
    use = USES.get(given or "", "data")
    wanted = DialogueFilter(
        study=study,
        condition=condition,
        status=status,
        system=system,
        text=text,
        use=use,
        only=person.only,
    )

    deployment = deployment_of(request)
    dialogues = await deployment.store.read(lambda c: find_dialogues(c, wanted, asked.window()))
    choices = dialogues.choices
    page = DialoguesPage(
        shell=await _frame(request, person, study),
        list=asked.listed(dialogues.dialogues, lambda dialogue: dialogue.id),
        action=address,
        filters={
            "study": options(dict(choices.studies), study),
            "condition": options({name: name for name in choices.conditions}, condition),
            "status": options({RUNNING: "running", ENDED: "ended", **REASONS}, status),
            "system": options({name: name for name in choices.systems}, system),
            "for": options(
                {each: f"For: {each}" for each in USES if each in choices.uses or each == use},
                use if use in USES else None,
            ),
        },
        study=study,
        text=text or "",
        asked=any(asked.kept.values()),
        export_url=f"{root_of(request)}/desk/exports/{study}?format=csv"
        if study and dialogues.dialogues.rows and person.may("reviewer", study)
        else "",
    )
    return show(request, page)


async def _frame(request: Request, person: Person, study: str | None) -> DeskShell:
    """The frame of the list: that of a study, where one is chosen that is here."""
    deployment = deployment_of(request)
    found = await deployment.store.read(
        lambda c: read_progress(c, deployment.served, study) if study and person.sees(study) else []
    )
    if not found:
        return shell(request, person, "Dialogues", "dialogues")
    return await study_shell(
        request, person, found[0], f"Dialogues of {found[0].title}", "Dialogues"
    )


@for_role("viewer")
async def show_one(request: Request, person: Person) -> Response:
    """One dialogue, readable."""
    deployment, address = deployment_of(request), root_of(request) + LISTING
    key = plain(request.path_params["dialogue"])
    raters = chosen_raters(asked_for(request.query_params, "raters"))
    dialogue = await deployment.store.read(
        lambda c: view_dialogue(c, key, deployment.studies, raters, person.only)
    )
    stored = dialogue.stored
    title = heading(stored.dialogue)
    page = DialoguePage(
        shell=shell(request, person, title, "dialogues"),
        address=address,
        view=dialogue,
        heading=title,
        lines=lines(stored.dialogue, rich=_is_rich(deployment, stored.study)),
        checks=game_of(stored.dialogue.scenario).findings(stored.dialogue),
        judgements=place_labels(
            dialogue.labels,
            stored.dialogue,
            dialogue.questions,
            key=key,
            choices=rater_choices(f"{address}/{key}", raters),
        ),
        events_url="" if stored.dialogue.is_over else f"{address}/{key}/events.json",
        may_download=person.may("reviewer", stored.study),
        part=_part(deployment, stored.study, stored.stage),
    )
    return show(request, page)


def _part(deployment: Deployment, study: str, stage: int) -> str:
    """Which part of a study a stage is; of a study that is not served, its number."""
    running = deployment.studies.get(study)
    stages = running.definition.stages if running is not None else []
    return f"{stage + 1}: {stages[stage].called}" if stage < len(stages) else f"{stage + 1}"


def _is_rich(deployment: Deployment, study: str) -> bool:
    """Whether people saw what systems said as Markdown; a study that is not served may have."""
    running = deployment.studies.get(study)
    return running is None or running.definition.render == "markdown"


@for_role("viewer")
async def events_json(request: Request, person: Person) -> Response:
    """The events of a dialogue behind a position, as the page shows them."""
    key, given = plain(request.path_params["dialogue"]), request.query_params.get("after", "0")
    after = whole_number(given) or 0
    deployment = deployment_of(request)
    stored = await deployment.store.read(lambda c: get_dialogue(c, key))
    rich = _is_rich(deployment, stored.study)
    body = {
        "heading": heading(stored.dialogue),
        "over": stored.dialogue.is_over,
        "lines": lines(stored.dialogue, rich=rich, after=after),
    }
    return Response(msgspec.json.encode(body), media_type="application/json")


@for_role("reviewer")
async def download(request: Request, person: Person) -> Response:
    """One dialogue as a file."""
    key, format = (
        plain(request.path_params["dialogue"]),
        request.query_params.get("format", "palaver"),
    )
    stored = await deployment_of(request).store.read(lambda c: get_dialogue(c, key))
    record = stored.record()
    if format == "palaver":
        body = encode_line(record)
    elif format == "messages":
        body = msgspec.json.encode(chat_row(record)) + b"\n"
    else:
        raise InputError(f"A dialogue is downloaded as palaver or messages; got '{format[:40]}'.")
    return Response(
        body,
        media_type="application/json",
        headers={"content-disposition": f'attachment; filename="{stored.key}.{format}.json"'},
    )


routes: list[BaseRoute] = [
    Route(LISTING, list_all, methods=["GET"]),
    Route(LISTING + "/{dialogue}", show_one, methods=["GET"]),
    Route(LISTING + "/{dialogue}/events.json", events_json, methods=["GET"]),
    Route(LISTING + "/{dialogue}/download", download, methods=["GET"]),
]
