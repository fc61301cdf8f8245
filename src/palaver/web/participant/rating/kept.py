"""Answers that a page keeps while they are given: what it sends, and what a reload shows again."""

from collections.abc import Mapping
from functools import partial

import msgspec
from starlette.datastructures import FormData

from palaver.annotation import kept_answers
from palaver.annotation.kept_answers import Save, ScreenPlace
from palaver.annotation.screens import Screen
from palaver.core.errors import InputError
from palaver.core.numbers import whole_number
from palaver.storage.judging.drafts import EMPTY, Draft, KeptFields, draft_of
from palaver.studies.run.work import Work
from palaver.web.participant.rating.form import MAX_NONCE, grouped, pastes_in
from palaver.web.participant.rating.screens import EnteredAnswer
from palaver.web.participant.visit import Visit

# Names of folds on a page.
MOST_OPENED, LONGEST_NAME = 32, 200


def place_of(visit: Visit, work: Work, number: int) -> ScreenPlace:
    """Where the answers of a screen are kept."""
    assignment = visit.assignment
    return ScreenPlace(
        assignment.id,
        assignment.participant_id,
        assignment.step,
        work.screen_name(number),
        work.slot_id,
    )


async def draft_for(visit: Visit, work: Work, number: int) -> Draft:
    """What is kept of a screen."""
    if not work.has_drafts:
        return EMPTY
    assignment_id, screen = visit.assignment.id, work.screen_name(number)
    return await visit.deployment.store.look_up(lambda c: draft_of(c, assignment_id, screen))


def entries_of(draft: Draft, screen: Screen) -> dict[str, EnteredAnswer]:
    """What a draft has for the questions of a screen, as a form that comes back has it."""
    return {
        asking.field: EnteredAnswer(asking.question.parse(given), pastes=pastes_in(given))
        for asking in screen.askings
        if (given := draft.fields.get(asking.field)) is not None
    }


def told(draft: Draft) -> str:
    """What a page must know of a draft besides the answers, as JSON; empty where there is none."""
    if not draft.saves:
        return ""
    return msgspec.json.encode({"saves": draft.saves, "opened": draft.opened}).decode()


async def keep(visit: Visit, work: Work, number: int, screen: Screen, form: FormData) -> bool:
    """Keep what a page saves of its screen; False if it was sent; InputError if it cannot be kept."""
    save = read_save(screen, form)
    place = place_of(visit, work, number)
    return await visit.write(partial(kept_answers.keep, place=place, save=save, now=visit.now))


def read_save(screen: Screen, form: FormData) -> Save:
    """What a page saves; InputError unless it is about questions of this screen."""
    fields = grouped(form)
    changed = [str(name) for name in form.getlist("changed")]
    known = {asking.field for asking in screen.askings}
    strange = [name for name in changed if name not in known]
    if strange:
        raise InputError(f"This screen has no question '{strange[0][:LONGEST_NAME]}'. Reload it.")
    opened = [str(name)[:LONGEST_NAME] for name in form.getlist("opened")][:MOST_OPENED]
    return Save(
        page=str(form.get("nonce", ""))[:MAX_NONCE],
        number=_count(form, "number"),
        sent=_count(form, "kept"),
        fields=_of(changed, fields),
        opened=tuple(name for name in opened if name) if opened else None,
    )


def _of(changed: list[str], fields: Mapping[str, Mapping[str, list[str]]]) -> KeptFields:
    return {name: dict(fields.get(name, {})) for name in changed}


def _count(form: FormData, name: str) -> int:
    given = str(form.get(name, ""))
    number = whole_number(given)
    if number is None:
        raise InputError(f"'{name}' takes a number from 0; got '{given[:20]}'. Reload the page.")
    return number
