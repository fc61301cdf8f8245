"""Bonuses: set up, look at the cost, pay once."""

from collections.abc import Mapping

from palaver.core.money import Money
from palaver.core.words import counted
from palaver.crowds.prolific import answers
from palaver.crowds.prolific.api.requests import Requests
from palaver.crowds.prolific.bodies import bonus_lines, path_id
from palaver.crowds.prolific.records import BonusSetup


class BonusCalls:
    """Bonuses; setting them up pays nothing."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def set_up(self, study: str, bonuses: Mapping[str, Money]) -> BonusSetup:
        """Bonuses by participant or submission, with what they cost; nothing is paid yet."""
        body = {"study_id": path_id(study), "csv_bonuses": bonus_lines(bonuses)}
        currency = next(iter(bonuses.values())).currency
        return await self._requests.made(
            "submissions/bonus-payments/",
            f"set up {counted(len(bonuses), 'bonus', 'bonuses')} of {study}",
            body,
            lambda fields: answers.read_bonus_setup(fields, currency),
        )

    async def pay(self, setup: str) -> None:
        """Pay bonuses that were set up. Whoever calls this twice pays twice.

        Note that it is being sent before calling, and never call it again after `PanelUnknownError`.
        """
        path = f"bulk-bonus-payments/{path_id(setup)}/pay/"
        await self._requests.change("POST", path, f"pay bonuses {setup}", {})
