"""The examples of a round: a list with filters, the page of one, and its owner's verdict."""

from collections.abc import Callable, Sequence
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.rounds import WrittenExample
from palaver.core.numbers import whole_number
from palaver.core.tasks import Task
from palaver.evaluation.rounds.example_decisions import give_verdict
from palaver.evaluation.rounds.example_list import STATES, Wanted, became, chosen_examples
from palaver.evaluation.rounds.examples import find_example, read_examples
from palaver.evaluation.rounds.sheets import label_field
from palaver.games.model_in_the_loop.form import WritingForm, form_of
from palaver.storage.people.participants import short_names
from palaver.web.desk.accounts import Person, actor_of, deployment_of, for_role, root_of
from palaver.web.desk.frame import shell
from palaver.web.desk.parts import Fact, FilterOption, Pager, asked_for, options, plain
from palaver.web.desk.rounds import view
from palaver.web.desk.rounds.routes import ROUND, AskedRound, asked_round
from palaver.web.formatting import field_text, latency, with_query
from palaver.web.rendering import show

PAGE = 100
FILTERS = ("state", "model", "label", "tag", "note", "writer")
DONE = {"verdict": "Your verdict settles this example.", "taken": "Your verdict is taken back."}
VERDICTS = {"correct": "Right", "incorrect": "Wrong", "flagged": "Something is wrong with it"}


@for_role("reviewer")
async def list_examples(request: Request, person: Person) -> Response:
    """The examples that fit the filters in the address, a hundred on a page."""
    asked, query = await asked_round(request), request.query_params
    kept = {name: asked_for(query, name) for name in FILTERS}
    if kept["state"] and kept["state"] not in STATES:
        raise InputError(f"Examples are never '{kept['state']}'. Known: {', '.join(STATES)}.")
    text, start = asked_for(query, "q") or "", whole_number(query.get("from", "")) or 0

    def read(connection: Connection) -> tuple[Sequence[WrittenExample], dict[str, str]]:
        found = read_examples(connection, asked.round)
        return found, short_names(connection, list({each.writer for each in found}))

    every, names = await deployment_of(request).store.read(read)
    form = form_of(asked.task.task, talks=bool(asked.round.terms.talk))
    fitting = chosen_examples(every, Wanted(**{name: kept[name] or "" for name in FILTERS}))
    found = [each for each in fitting if _says(each, text, names)]
    action = f"{asked.address}/examples"
    shown = found[start : start + PAGE]
    page = view.RoundExamplesPage(
        shell=shell(request, person, f"Examples of {asked.title}", "tasks"),
        asked=asked.task,
        round=asked.round,
        round_url=asked.address,
        action=action,
        rows=tuple(_listed(each, asked, form, names) for each in shown),
        found=len(found),
        total=len(every),
        filters=_filters(every, kept, asked.task.task, names),
        text=text,
        is_filtered=bool(text or any(kept.values())),
        pager=_pager(action, {**kept, "q": text or None}, start, len(found)),
    )
    return show(request, page)


def _says(example: WrittenExample, text: str, names: dict[str, str]) -> bool:
    """Whether the words looked for stand in what was written, or name its writer or itself."""
    wanted = text.casefold()
    if not wanted or wanted == names.get(example.writer, "").casefold() or text == example.uid:
        return True
    said = (*map(str, example.values.values()), example.why, example.why_model)
    return any(wanted in each.casefold() for each in said)


def _listed(
    example: WrittenExample, asked: AskedRound, form: WritingForm, names: dict[str, str]
) -> view.ListedExample:
    own = [form.turns] if form.talks else [each.name for each in form.writes if not each.is_gold]
    return view.ListedExample(
        example=example,
        url=f"{asked.address}/examples/{quote(example.uid, safe='')}",
        name=example_name(example),
        writer=names.get(example.writer, example.writer),
        label=view.label_of(example, label_field(asked.task.task)),
        text=view.own_text(example, own),
        became=became(example),
    )


def example_name(example: WrittenExample) -> str:
    """What people call an example: the text it is about, and which try it was."""
    about = "" if example.context == "free" else f"{example.context}, "
    return f"{about}try {example.number}"


def _filters(
    every: Sequence[WrittenExample], kept: dict[str, str | None], task: Task, names: dict[str, str]
) -> dict[str, tuple[FilterOption, ...]]:
    field = label_field(task)

    def values(of: Callable[[WrittenExample], str]) -> dict[str, str]:
        return {value: value for value in sorted({of(each) for each in every} - {""})}

    noted = sorted({note for each in every for note in each.notes})
    known = {
        "state": {name: words for name, words in view.STATE_WORDS.items() if name in STATES},
        "model": values(lambda each: each.model),
        "label": values(lambda each: view.label_of(each, field)),
        "tag": values(lambda each: each.tag),
        "note": {note: view.NOTE_WORDS.get(note, note) for note in noted},
        "writer": {key: names.get(key, key) for key in sorted({each.writer for each in every})},
    }
    return {name: options(choices, kept[name]) for name, choices in known.items()}


def _pager(action: str, kept: dict[str, str | None], start: int, found: int) -> Pager:
    def at(begin: int) -> str:
        return with_query(action, **kept, **{"from": begin or None})

    return Pager(
        previous_url=at(max(0, start - PAGE)) if start else "",
        next_url=at(start + PAGE) if start + PAGE < found else "",
    )


@for_role("reviewer")
async def show_example(request: Request, person: Person) -> Response:
    return await _show(request, person, await asked_round(request))


async def _show(
    request: Request,
    person: Person,
    asked: AskedRound,
    *,
    error: str = "",
    typed: tuple[str, str] | None = None,
) -> Response:
    uid, deployment = plain(request.path_params["uid"]), deployment_of(request)

    def read(connection: Connection) -> tuple[WrittenExample, dict[str, str]]:
        found = find_example(connection, asked.round, uid)
        if found is None:
            raise UnknownNameError(f"{asked.title} has no example '{uid[:80]}'.")
        people = [found.writer, *(vote.rater for vote in found.votes)]
        return found, short_names(connection, people)

    example, names = await deployment.store.read(read)
    owner = next((vote for vote in example.votes if vote.mode == "owner"), None)
    verdict, why = typed or ((owner.verdict, owner.reason) if owner else ("", ""))
    form = form_of(asked.task.task, talks=bool(asked.round.terms.talk))
    writer = names.get(example.writer, example.writer)
    reads = {each.name for each in form.reads}
    page = view.ExamplePage(
        shell=shell(request, person, f"Example of {asked.title}", "tasks"),
        asked=asked.task,
        round=asked.round,
        round_url=asked.address,
        address=f"{asked.address}/examples/{quote(uid, safe='')}",
        example=example,
        name=f"{example_name(example)} by {writer}",
        became=became(example),
        facts=_facts(example),
        context=_values(example, [each.name for each in form.reads]),
        written=(
            *_values(example, [name for name in example.values if name not in reads]),
            *_reasons(example),
        ),
        answered=_answered(example, form),
        shares=_shares(example, form),
        notes=tuple(view.NOTE_WORDS.get(note, note) for note in example.notes),
        votes=tuple(
            view.ShownVote(
                who=names.get(vote.rater, vote.rater),
                verdict=VERDICTS.get(vote.verdict, vote.verdict),
                label=vote.label,
                reason=vote.reason,
                is_owner=vote.mode == "owner",
            )
            for vote in example.votes
        ),
        session_url=f"{root_of(request)}/desk/dialogues/{example.dialogue}",
        may_own=person.may("owner")
        and not deployment.store.read_only
        and asked.round.state != "closed",
        verdict=verdict,
        why=why,
        done=DONE.get(request.query_params.get("done", ""), ""),
        error=error,
    )
    return show(request, page, status=422 if error else 200)


def _facts(example: WrittenExample) -> tuple[Fact, ...]:
    found = {
        "Model": example.model,
        "It took": "" if example.seconds is None else latency(example.seconds),
        "Tag of the text": example.tag,
    }
    return tuple(Fact(name=name, value=value) for name, value in found.items() if value)


def _reasons(example: WrittenExample) -> tuple[Fact, ...]:
    found = {"Why it is right": example.why, "Why the model failed": example.why_model}
    return tuple(Fact(name=name, value=value) for name, value in found.items() if value)


def _values(example: WrittenExample, names: Sequence[str]) -> tuple[Fact, ...]:
    return tuple(
        Fact(name=name, value=field_text(example.values[name]))
        for name in names
        if name in example.values
    )


def _answered(example: WrittenExample, form: WritingForm) -> tuple[Fact, ...]:
    return tuple(
        Fact(name=name, value=field_text(value))
        for name, value in example.answer.items()
        if name != form.shares
    )


def _shares(example: WrittenExample, form: WritingForm) -> dict[str, float]:
    """How probable the model thought each label; empty where it did not say."""
    given = example.answer.get(form.shares) if form.shares else None
    return dict(given) if isinstance(given, dict) else {}


@for_role("owner", changes=True)
async def judge(request: Request, person: Person) -> Response:
    """Settle an example as whoever owns the task; nothing chosen takes an earlier verdict back."""
    asked, form = await asked_round(request), await request.form()
    uid, deployment = plain(request.path_params["uid"]), deployment_of(request)
    verdict, why = (str(form.get(name, "")).strip() for name in ("verdict", "why"))
    actor, now = actor_of(request, person), deployment.clock.now()
    try:
        await deployment.store.write(
            lambda c: give_verdict(c, asked.round, uid, verdict or None, why=why, by=actor, now=now)
        )
    except UnknownNameError:
        raise
    except InputError as error:
        return await _show(request, person, asked, error=str(error), typed=(verdict, why))
    address = f"{asked.address}/examples/{quote(uid, safe='')}"
    done = "verdict" if verdict else "taken"
    return RedirectResponse(with_query(address, done=done), status_code=303)


EXAMPLES = ROUND + "/examples"

routes: list[BaseRoute] = [
    Route(EXAMPLES, list_examples, methods=["GET"]),
    Route(EXAMPLES + "/{uid}", show_example, methods=["GET"]),
    Route(EXAMPLES + "/{uid}/verdict", judge, methods=["POST"]),
]
