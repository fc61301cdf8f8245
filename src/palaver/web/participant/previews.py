"""Previews: the pages of a study as they would look, with nothing stored and nothing sent."""

from dataclasses import replace

from palaver.games.model_in_the_loop.game import SPECIMEN
from palaver.studies.file.definition import Study
from palaver.studies.run import flow
from palaver.studies.run.writing_visit import WritingVisit
from palaver.studies.stages import ChatStage, WriteStage
from palaver.web.participant.pages import ConsentPage, DonePage, InstructionsPage
from palaver.web.participant.rooms.pages import RoomView
from palaver.web.participant.rooms.writing import WritePage, WritingPart
from palaver.web.rendering import game_file
from palaver.web.shell import Shell

WRITING = "writing"


def page(study: Study, step: str) -> ConsentPage | InstructionsPage | WritePage | DonePage:
    """The page of one step; a step that is not known shows the first."""
    order = _shown_steps(study)
    current = step if step in order else order[0]
    shell = _shell(study, current)
    following = order[order.index(current) + 1] if current != order[-1] else order[0]
    action = f"/s/{study.name}?step={following}"
    if current == flow.CONSENT:
        return ConsentPage(shell=shell, action=action, study=study)
    if current == flow.INSTRUCTIONS:
        text = _instructions(study)
        return InstructionsPage(shell=shell, action=action, text=text, study=study)
    if current == WRITING:
        return _write_page(study, shell, action)
    return DonePage(shell=shell, study=study)


def _write_page(study: Study, shell: Shell, action: str) -> WritePage:
    """The page of a text with a specimen: what a round asks for is not known before it is open."""
    stage = study.writes[0]
    game = stage.game.declaration
    part = WritingPart(
        asked=replace(SPECIMEN, tries=stage.tries),
        visit=WritingVisit(texts=stage.per_visit, skips_left=stage.skips),
        terms=stage.terms,
        currency=study.pay.currency if study.pay else "",
        moves_template=game_file(game, game.moves),
        style="loop.css",
    )
    room = RoomView(socket="", seat=0, game=part)
    return WritePage(
        shell=shell, room=room, part=part, instructions=study.instructions or "", action=action
    )


def _shown_steps(study: Study) -> list[str]:
    first = [flow.CONSENT] if study.consent is not None else []
    writes = any(not stage.talk for stage in study.writes)
    return [*first, flow.INSTRUCTIONS, *([WRITING] if writes else []), flow.DONE]


def _shell(study: Study, current: str) -> Shell:
    numbered = flow.numbered_steps(study)
    return Shell(
        title=study.title,
        lang=study.language,
        dir=study.direction,
        step=numbered.index(current) + 1 if current in numbered else None,
        steps=len(numbered),
        preview=True,
    )


def _instructions(study: Study) -> str:
    chat, own = study.chat, study.instructions or ""
    if chat is None or isinstance(chat, WriteStage):
        return own
    return f"{own}\n\n{_what_happens(chat)}"


def _what_happens(chat: ChatStage) -> str:
    whom = {
        "system": "chats with one partner",
        "paired": "chats with two partners and then compares them",
        "people": "is brought together with another participant",
    }[chat.arrangement]
    return f"*In the study itself a participant now {whom}. The preview leaves that out.*"
