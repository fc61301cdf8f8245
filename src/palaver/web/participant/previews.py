"""Previews: the pages of a study as they would look, with nothing stored and nothing sent."""

from palaver.studies.file.definition import Study
from palaver.studies.run import flow
from palaver.studies.stages import ChatStage
from palaver.web.participant.pages import ConsentPage, DonePage, InstructionsPage
from palaver.web.shell import Shell


def page(study: Study, step: str) -> ConsentPage | InstructionsPage | DonePage:
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
    return DonePage(shell=shell, study=study)


def _shown_steps(study: Study) -> list[str]:
    first = [flow.CONSENT] if study.consent is not None else []
    return [*first, flow.INSTRUCTIONS, flow.DONE]


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
    chat = study.chat
    then = "" if not isinstance(chat, ChatStage) else f"\n\n{_what_happens(chat)}"
    return (study.instructions or "") + then


def _what_happens(chat: ChatStage) -> str:
    whom = {
        "system": "chats with one partner",
        "paired": "chats with two partners and then compares them",
        "people": "is brought together with another participant",
    }[chat.arrangement]
    return f"*In the study itself a participant now {whom}. The preview leaves that out.*"
