"""Studies: drafts, publishing, places, costs."""

from typing import Any

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.words import counted
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests, after_change
from palaver.crowds.prolific.bodies import StudyDraft, path_id, study_body
from palaver.crowds.prolific.checks import problems_of
from palaver.crowds.prolific.fields import AnswerFields
from palaver.crowds.prolific.records import PanelCost, PanelStudy, StudyAction, TestRun


class PanelStudyCalls:
    """Studies as they stand over there, and what changes them."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def all(self, *, state: str = "", project: str = "") -> list[PanelStudy]:
        """Studies, of a state such as ACTIVE, or of a project."""
        path = f"projects/{path_id(project)}/studies/" if project else "studies/"
        query = {"state": state} if state else None
        return await self._requests.all(path, "list studies", answers.read_study, query)

    async def get(self, study: str) -> PanelStudy:
        """A study as it stands over there."""
        return await self._requests.one(
            f"studies/{path_id(study)}", f"read study {study}", answers.read_study
        )

    async def make(self, draft: StudyDraft) -> PanelStudy:
        """A new draft that nobody sees yet; InputError says all that is wrong with it."""
        if found := problems_of(draft):
            raise InputError(" ".join(found))
        body = study_body(draft)
        return await self._requests.made(
            "studies/", f"make study '{draft.internal_name[:60]}'", body, answers.read_study
        )

    async def change_draft(self, study: str, draft: StudyDraft) -> PanelStudy:
        """A draft that is to be as this one is."""
        if found := problems_of(draft):
            raise InputError(" ".join(found))
        return await self._patch(study, study_body(draft), f"change draft {study}")

    async def rename(self, study: str, internal_name: str) -> PanelStudy:
        """A study that is called otherwise by its researchers; participants do not see it."""
        return await self._patch(study, {"internal_name": internal_name}, f"rename study {study}")

    async def set_places(self, study: str, places: int) -> PanelStudy:
        """A study with more places; a published one takes no fewer than it has."""
        if places < 1:
            raise InputError(f"A study has at least 1 place; got {places}.")
        wanted = f"set study {study} to {counted(places, 'place')}"
        return await self._patch(study, {"total_available_places": places}, wanted)

    async def delete_draft(self, study: str) -> None:
        """Delete a draft; a published study cannot be deleted."""
        await self._requests.change("DELETE", f"studies/{path_id(study)}/", f"delete draft {study}")

    async def copy(self, study: str) -> PanelStudy:
        """A new draft that is like a study."""
        return await self._requests.made(
            f"studies/{path_id(study)}/clone/", f"copy study {study}", {}, answers.read_study
        )

    async def move(self, study: str, action: StudyAction) -> PanelStudy:
        """A study that was published, paused, started again or stopped."""
        wanted = f"{action.lower()} study {study}"
        path = f"studies/{path_id(study)}/transition/"
        return await self._requests.made(path, wanted, {"action": action}, answers.read_study)

    async def cost(self, reward: Money, places: int) -> PanelCost:
        """What so many places at a reward cost in all, with fees and tax."""
        body = {"reward": reward.minor, "total_available_places": places}
        raw = await self._requests.ask("study-cost-calculator/", "compute the cost", body=body)
        return answers.read_cost(AnswerFields(raw, "the cost"), reward.currency)

    async def make_test_participant(self, email: str) -> str:
        """The id of a new participant who can try drafts."""
        return await self._requests.made(
            "researchers/participants/",
            "make a test participant",
            {"email": email},
            lambda fields: fields.text("participant_id", "id", needed=True),
        )

    async def try_out(self, study: str) -> TestRun:
        """A draft that is opened to test participants."""
        path = f"studies/{path_id(study)}/test-study/"
        return await self._requests.made(path, f"try study {study}", {}, answers.read_test_run)

    async def ask_demographics(self, study: str) -> None:
        """Have the demographics of a study's participants put together and sent by mail."""
        path = f"studies/{path_id(study)}/demographic-export/"
        await self._requests.change("POST", path, f"export demographics of {study}", {})

    async def _patch(self, study: str, body: Any, wanted: str) -> PanelStudy:
        raw, _ = await self._requests.change("PATCH", f"studies/{path_id(study)}/", wanted, body)
        return after_change(lambda: answers.read_study(AnswerFields(raw, wanted)), wanted)
