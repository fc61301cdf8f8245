"""Rounds of writing: looked at, stopped, closed; their examples, exported and imported."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palaver.client.bodies import File, content_of, file_body, json_body
from palaver.client.connection import Calls, given, quoted
from palaver.core.evaluation.bonuses import RoundBonuses
from palaver.core.evaluation.datasets import Access
from palaver.core.evaluation.round_sheets import RoundSheet
from palaver.core.evaluation.rounds import ClosedRound, ImportedRound, Round, WrittenExample

PAGE = 1000


class RoundCalls(Calls):
    """The methods of a client about rounds in which people write against models."""

    def rounds(self, task: str) -> list[Round]:
        """The rounds of a task, oldest first."""
        return self._get(quoted("tasks", task, "rounds"), list[Round], part="rounds")

    def round(self, task: str, number: int) -> RoundSheet:
        """A round: error rates with intervals, contexts and goals, who judged how."""
        return self._get(quoted("tasks", task, "rounds", str(number)), RoundSheet)

    def open_round(self, task: str, study: str) -> Round:
        """Open the next round of a study that the server serves, as its file says now."""
        wanted = json_body({"study": study})
        return self._send("POST", quoted("tasks", task, "rounds"), Round, wanted)

    def stop_round(self, task: str, number: int) -> Round:
        """Seat nobody more; who writes now finishes."""
        return self._send("POST", quoted("tasks", task, "rounds", str(number), "stop"), Round)

    def resume_round(self, task: str, number: int) -> Round:
        """Open a stopped round again."""
        return self._send("POST", quoted("tasks", task, "rounds", str(number), "resume"), Round)

    def close_round(
        self,
        task: str,
        number: int,
        *,
        shares: Mapping[str, float] | None = None,
        access: Mapping[str, Access] | None = None,
        contexts_apart: bool = False,
        right: bool = False,
        noted: Sequence[str] = (),
        anyway: bool = False,
        prefix: str = "",
        seed: str = "",
    ) -> ClosedRound:
        """Make data sets of what was verified; every model is evaluated on them."""
        wanted = given(
            {
                "shares": None if shares is None else dict(shares),
                "access": None if access is None else dict(access),
                "contexts_apart": contexts_apart,
                "right": right,
                "noted": list(noted),
                "anyway": anyway,
                "prefix": prefix,
                "seed": seed,
            }
        )
        path = quoted("tasks", task, "rounds", str(number), "close")
        return self._send("POST", path, ClosedRound, json_body(wanted))

    def examples(self, task: str, number: int, **wanted: str) -> list[WrittenExample]:
        """What people wrote: by `state`, `model`, `writer`, `label`, `tag` or `note`."""
        path = quoted("tasks", task, "rounds", str(number), "examples")
        found: list[WrittenExample] = []
        while True:
            query: dict[str, Any] = {**wanted, "after": len(found), "limit": PAGE}
            page = self._get(path, list[WrittenExample], query, part="examples")
            found += page
            if len(page) < PAGE:
                return found

    def settle_example(
        self, task: str, number: int, uid: str, verdict: str | None, *, why: str = ""
    ) -> WrittenExample:
        """Settle an example as the owner of its task; None takes an earlier verdict back."""
        path = quoted("tasks", task, "rounds", str(number), "examples", uid, "verdict")
        wanted = json_body({"verdict": verdict, "why": why})
        return self._send("POST", path, WrittenExample, wanted)

    def export_round(
        self, task: str, number: int, folder: str | Path, *, format: str = "palaver"
    ) -> Path:
        """Keep a round's examples in a folder, as `palaver` or `dynabench` writes them; the file."""
        path = quoted("tasks", task, "rounds", str(number), "export")
        name = f"{task}-r{number}.{'jsonl' if format == 'palaver' else 'json'}"
        return self._connection.download(f"{path}?format={format}", Path(folder), name=name)

    def import_round(
        self,
        task: str,
        file: File,
        *,
        study: str = "",
        state: str = "closed",
        matching: int | None = None,
    ) -> ImportedRound:
        """Store an export of Palaver or Dynabench as a round that is over."""
        content = content_of(file)
        name = content.name if isinstance(content, Path) else "examples.jsonl"
        query = {"study": study, "state": state, "matching": matching, "filename": name}
        path = quoted("tasks", task, "rounds", "import")
        return self._send("POST", path, ImportedRound, file_body(content), query)

    def bonuses(self, task: str, number: int, *, ids: bool = False) -> RoundBonuses:
        """What people are owed beside their pay; with `ids`, what panels call them."""
        path = quoted("tasks", task, "rounds", str(number), "bonuses")
        return self._get(path, RoundBonuses, {"ids": ids})
