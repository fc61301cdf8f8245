"""Submissions: who took part, and what becomes of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.words import counted
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests
from palaver.crowds.prolific.bodies import path_id
from palaver.crowds.prolific.checks import part_problems, rejection_problems
from palaver.crowds.prolific.records import PanelSubmission, SubmissionAction, SubmissionCounts


class PanelSubmissionCalls:
    """Submissions of studies, and what is decided about them."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def of_study(self, study: str) -> list[PanelSubmission]:
        """All submissions of a study, each once, also where some came while the pages were read."""
        path = f"studies/{path_id(study)}/submissions/"
        wanted = f"list submissions of {study}"
        found = await self._requests.all(path, wanted, answers.read_submission)
        return list({each.id: each for each in found}.values())

    async def get(self, submission: str) -> PanelSubmission:
        """A submission as it stands."""
        path = f"submissions/{path_id(submission)}/"
        return await self._requests.one(
            path, f"read submission {submission}", answers.read_submission
        )

    async def counts(self, study: str) -> SubmissionCounts:
        """How many submissions of a study stand how."""
        path = f"studies/{path_id(study)}/submissions/counts/"
        return await self._requests.one(path, f"count submissions of {study}", answers.read_counts)

    async def approve(self, submission: str) -> PanelSubmission:
        """A submission that is paid its reward."""
        return await self._move(submission, "APPROVE", {})

    async def reject(self, submission: str, *, message: str, category: str) -> PanelSubmission:
        """A submission that is not paid; InputError where Prolific would not take the reason."""
        if found := rejection_problems(message, category):
            raise InputError(" ".join(found))
        more = {"message": message.strip(), "rejection_category": category}
        return await self._move(submission, "REJECT", more)

    async def undo_rejection(self, submission: str) -> PanelSubmission:
        """A rejected submission that is to be reviewed again."""
        return await self._move(submission, "UNREJECT", {})

    async def move(self, submission: str, action: SubmissionAction) -> PanelSubmission:
        """A submission that is returned, screened out, started, or taken back from one of these."""
        return await self._move(submission, action, {})

    async def complete(
        self, submission: str, code: str, *, percent: float | None = None, message: str = ""
    ) -> PanelSubmission:
        """A submission that is completed from here, with a code whose actor is the researcher.

        `percent` of the reward is paid, 8 to 99, where the code pays a part.
        """
        more: dict[str, Any] = {"completion_code": code}
        if percent is not None:
            if found := part_problems(percent):
                raise InputError(" ".join(found))
            part: dict[str, Any] = {"percentage_of_reward": percent}
            more["completion_code_data"] = part | (
                {"message_to_participant": message} if message else {}
            )
        return await self._move(submission, "COMPLETE", more)

    async def approve_all(self, submissions: Sequence[str]) -> None:
        """Approve many submissions; it is done by and by, so look at them later."""
        if not submissions:
            return
        wanted = f"approve {counted(len(submissions), 'submission')}"
        body = {"submission_ids": list(submissions)}
        await self._requests.change("POST", "submissions/bulk-approve/", wanted, body)

    async def approve_people(self, study: str, participants: Sequence[str]) -> None:
        """Approve what many participants of a study have handed in; it is done by and by."""
        if not participants:
            return
        wanted = f"approve {counted(len(participants), 'participant')} of {study}"
        body = {"study_id": study, "participant_ids": list(participants)}
        await self._requests.change("POST", "submissions/bulk-approve/", wanted, body)

    async def ask_to_return(self, submission: str, reasons: Sequence[str]) -> None:
        """Ask somebody to give their place back; they need not."""
        path = f"submissions/{path_id(submission)}/request-return/"
        body = {"request_return_reasons": list(reasons)}
        await self._requests.change("POST", path, f"ask to return {submission}", body)

    async def screen_out(
        self, study: str, submissions: Sequence[str], *, pay: Money, more_places: bool
    ) -> None:
        """Pay people who turned out not to be for this study; `more_places` lets others come for them.

        Like a bonus, and unlike a reward, the amount goes out in the largest unit.
        """
        body = {
            "submission_ids": list(submissions),
            "bonus_per_submission": float(pay.major),
            "increase_places": more_places,
        }
        path = f"studies/{path_id(study)}/screen-out-submissions/"
        wanted = f"screen out {counted(len(submissions), 'submission')} of {study}"
        await self._requests.change("POST", path, wanted, body)

    async def _move(self, submission: str, action: str, more: Mapping[str, Any]) -> PanelSubmission:
        path = f"submissions/{path_id(submission)}/transition/"
        wanted = f"{action.lower()} submission {submission}"
        return await self._requests.made(
            path, wanted, {"action": action, **more}, answers.read_submission
        )
