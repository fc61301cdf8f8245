"""What came of dialogues: success, completion, agreement of both sides, turns and reward.

How an outcome is written down stands in `outcome_fields.py`.
"""

import math
from collections.abc import Sequence
from typing import Any

from palaver.metrics import outcome_fields as fields
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.options import one_of, yes_or_no
from palaver.metrics.shapes import OUTCOME

SIDES = ("mean", "sum", "0", "1")
WALKER = "M. Walker, D. Litman, C. Kamm, A. Abella (1997), PARADISE, ACL."
HE = "H. He, A. Balakrishnan, M. Eric, P. Liang (2017), Learning symmetric collaborative dialogue "
HE += "agents with dynamic knowledge graph embeddings, ACL."
LEWIS = "M. Lewis et al. (2017), Deal or no deal? End-to-end learning of negotiation dialogues, "
LEWIS += "EMNLP."


def success_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues in which the task was completed."""
    return Score.mean_of(float(each) for each in fields.read_each(outcomes, fields.success))


def completion_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues that were finished."""
    return Score.mean_of(float(each) for each in fields.read_each(outcomes, fields.completed))


def agreement_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues in which both sides agreed on the same outcome."""
    return Score.mean_of(float(each) for each in fields.read_each(outcomes, fields.agreed))


def mean_turns(outcomes: Sequence[Any]) -> Score:
    """The mean number of turns."""
    return Score.mean_of(fields.read_each(outcomes, fields.turns))


def mean_reward(outcomes: Sequence[Any], *, side: str = "mean", agreed_only: bool = False) -> Score:
    """The mean reward; of dialogues with one reward per side their mean, sum, or that of one side.

    With `agreed_only` dialogues without an agreement are left out, and counted beside the score.
    """
    one_of("side", side, SIDES)
    yes_or_no("agreed_only", agreed_only)

    def counted(outcome: Any) -> float | None:
        return None if agreed_only and not fields.agreed(outcome) else fields.reward(outcome, side)

    kept = [each for each in fields.read_each(outcomes, counted) if each is not None]
    left_out = {"left_out": len(outcomes) - len(kept)} if agreed_only else {}
    if not kept:
        return Score.undefined("no dialogue ended in an agreement", parts=left_out)
    return Score.mean_of(kept, n=len(kept), parts=left_out)


def success_per_turn(outcomes: Sequence[Any]) -> Score:
    """Dialogues whose task was done, per turn of all dialogues: Σ success / Σ turns."""
    done = sum(fields.read_each(outcomes, fields.success))
    turns = sum(fields.read_each(outcomes, fields.turns))
    if turns == 0:
        return Score.undefined("the dialogues have no turns")
    return Score(value=done / turns, parts={"successes": done, "turns": turns})


SUCCESS_RATE = Metric(
    name="success_rate",
    title="Task success rate",
    family="outcome",
    about="The share of dialogues in which the task was completed.",
    direction="higher",
    unit="share",
    low=0,
    high=1,
    paper=WALKER,
    predictions=OUTCOME,
    function=success_rate,
    example=Example([{"reward": 1}, {"success": False}, True, 1], None, 0.75),
    decomposes=True,
)
COMPLETION_RATE = Metric(
    name="completion_rate",
    title="Completion rate",
    family="outcome",
    about="The share of dialogues that were finished.",
    direction="higher",
    unit="share",
    low=0,
    high=1,
    paper=HE,
    predictions=OUTCOME,
    function=completion_rate,
    example=Example([{"completed": True}, {"completed": False}], None, 0.5),
    decomposes=True,
)
AGREEMENT_RATE = Metric(
    name="agreement_rate",
    title="Agreement of both sides",
    family="outcome",
    about="The share of dialogues in which both sides agreed on the same outcome.",
    direction="higher",
    unit="share",
    low=0,
    high=1,
    paper=LEWIS,
    predictions=OUTCOME,
    function=agreement_rate,
    example=Example([{"agreed": True}, {"selections": ["Ann", "Bob"]}], None, 0.5),
    decomposes=True,
)
TURNS = Metric(
    name="turns",
    title="Number of turns",
    family="outcome",
    about="How many turns a dialogue took. More may be engaging or laborious: it has no direction.",
    direction="none",
    unit="turns per dialogue",
    low=0,
    high=math.inf,
    paper=WALKER,
    predictions=OUTCOME,
    function=mean_turns,
    example=Example([{"turns": 8}, {"turns": 11}], None, 9.5),
    decomposes=True,
)
REWARD = Metric(
    name="reward",
    title="Reward",
    family="outcome",
    about="The points that were reached, on the scale of the game.",
    direction="higher",
    unit="points per dialogue",
    low=-math.inf,
    high=math.inf,
    paper=LEWIS,
    predictions=OUTCOME,
    options={
        "side": f"of rewards per side: {', '.join(SIDES)} (default mean)",
        "agreed_only": "true: leave out dialogues without an agreement",
    },
    function=mean_reward,
    example=Example([{"reward": {"0": 8, "1": 4}}, {"reward": 3}], None, 4.5),
    decomposes=True,
)
SUCCESS_PER_TURN = Metric(
    name="success_per_turn",
    title="Success per turn",
    family="outcome",
    about="How many tasks were completed per turn, over all dialogues: success against effort.",
    direction="higher",
    unit="successes per turn",
    low=0,
    high=math.inf,
    paper=HE,
    predictions=OUTCOME,
    function=success_per_turn,
    example=Example([{"success": True, "turns": 6}, {"success": False, "turns": 4}], None, 0.1),
)
