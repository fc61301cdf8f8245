"""The tables of a board of advice: the board, by topic, why models lose, and how raters agree."""

from collections.abc import Iterator
from typing import Any

from palaver.reports.standing_tables import BoardTable
from palaver.studies.advice.board_records import AdviceBoard, AdviceRow, ModelStanding, Share

Rows = list[dict[str, Any]]


def advice_tables(board: AdviceBoard) -> list[BoardTable]:
    """Every table that has rows."""
    tables = [
        BoardTable(
            file="board",
            title=f"{board.title}: share of situations in which the model is preferred to people, "
            "with 95 % intervals",
            rows=board_rows(board),
            paper=_paper_rows(board),
            digits=3,
        ),
        BoardTable(
            file="topics",
            title=f"{board.title}: preference rates by topic",
            rows=topic_rows(board),
            digits=3,
            keys=2,
        ),
        BoardTable(
            file="why",
            title=f"{board.title}: what raters said of models' advice that they found worse",
            rows=why_rows(board),
            digits=3,
            keys=3,
        ),
        BoardTable(
            file="agreement",
            title=f"{board.title}: agreement of raters (Krippendorff's α)",
            rows=agreement_rows(board),
            digits=3,
        ),
    ]
    return [table for table in tables if table.rows]


def board_rows(board: AdviceBoard) -> Rows:
    """A row per model with every number, people's line first."""
    people = {"model": "people", "title": "People, best advice", "rate": board.human_rate}
    rows = [people, *(_board_row(row) for row in board.lines)]
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


def _board_row(row: AdviceRow) -> dict[str, Any]:
    model = row.model
    return {
        "model": model.name,
        "title": row.name,
        **_ends("rate", row.rate),
        **_ends("weighted by sureness", row.continuous),
        **_ends("share of judgements", row.votes),
        "situations": row.rate.n,
        "preferred": row.preferred,
        "even": row.even,
        "judgements": row.judgements,
        "raters": row.raters,
        **_test("people", row.people),
        **_test("best", row.best),
        "team": model.team or None,
        "parameters": model.parameters,
        "date": model.date or None,
        "link": model.link or None,
    }


def _test(other: str, found: ModelStanding | None) -> dict[str, Any]:
    return {
        f"beside {other}": found and found.words,
        f"difference to {other}": found and found.difference.value,
        f"p {other}": found and found.p,
        f"adjusted p {other}": found and found.adjusted,
    }


def _paper_rows(board: AdviceBoard) -> Rows:
    head: dict[str, Any] = {"Model": "People, best advice", "Preferred": board.human_rate}
    names = ("Model", "Preferred", "95 % interval", "n", "Parameters", "Beside people")
    rows: Rows = [
        {
            "Model": row.name,
            "Preferred": row.rate.value,
            "95 % interval": _interval(row.rate),
            "n": row.rate.n,
            "Parameters": row.size or None,
            "Beside people": row.people and row.people.words,
        }
        for row in board.lines
    ]
    return [{name: row.get(name) for name in names} for row in (head, *rows)]


def topic_rows(board: AdviceBoard) -> Rows:
    """A row per model and topic."""
    return [
        {
            "model": row.name,
            "topic": each.topic,
            "situations": each.rate.n,
            **_ends("rate", each.rate),
        }
        for row in board.judged
        for each in row.topics
        if each.topic
    ]


def why_rows(board: AdviceBoard) -> Rows:
    """A row per model and answer about the worse advice, where that was the model's."""
    return [each for row in board.judged for each in _why(row)]


def _why(row: AdviceRow) -> Iterator[dict[str, Any]]:
    if row.lost is None:
        return
    for question, shares in (("still", row.lost.still), ("reason", row.lost.reasons)):
        for answer, share in shares.items():
            told = {"model": row.name, "question": question, "answer": answer, "n": share.n}
            yield {**told, **_ends("share", share)}


def agreement_rows(board: AdviceBoard) -> Rows:
    """A row per model."""
    return [
        {
            "model": row.name,
            **_ends("alpha", row.agreement),
            "pairs that agree": row.agreeing,
            "situations": row.agreement.n,
        }
        for row in board.judged
    ]


def _ends(name: str, share: Share) -> dict[str, Any]:
    return {name: share.value, f"{name} low": share.low, f"{name} high": share.high}


def _interval(share: Share) -> list[float] | None:
    return None if share.low is None or share.high is None else [share.low, share.high]
