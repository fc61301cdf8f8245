"""Many deals at once: what lies on each table, what may be said next, and what it is worth.

The rules are those of the game, in which a side marks a deal once it has written, and says that there is
none once it has written four times. Who hears a proposal sees what is left. Once a side has agreed to
what lies there, that is what both mark, unless one of them says no.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from palaver.models.acts.deal_reading import (
    AGREE,
    DISAGREE,
    INSIST,
    MESSAGES,
    MOVES,
    PROPOSE,
    QUIT_ACT,
    SELECT_ACT,
)
from palaver.models.acts.grammar import END_NUMBER, PAD_NUMBER, ActGrammar
from palaver.models.deal.network import ITEMS, MOST_ITEMS
from palaver.models.deal.splits import is_pareto_optimal, points

# Messages of its own after which a side may mark a deal, or say that there is none.
SELECT_AFTER, QUIT_AFTER = 1, 4
# What no valid deal earns.
NO_DEAL_REWARD = -1.0


class DealActTable:
    """Deals at once; what stands in each follows from what was said."""

    def __init__(
        self, grammar: ActGrammar, values: Tensor, scenarios: Tensor, *, patience: int
    ) -> None:
        rows, device = len(scenarios), scenarios.device
        self._words, self._number, self._patience = (
            grammar.words,
            grammar.number,
            patience,
        )
        size = len(grammar)
        self.scenarios, self.counts = scenarios, scenarios[:, 0, ::2]
        nowhere = torch.zeros(rows, dtype=torch.bool, device=device)
        self.is_over, self.has_quit = nowhere.clone(), nowhere.clone()
        self.has_proposed = torch.zeros(rows, 2, dtype=torch.bool, device=device)
        self.has_selected = self.has_proposed.clone()
        self.takes = torch.zeros(rows, 2, len(ITEMS), dtype=torch.long, device=device)
        # What each side gets by the last proposal, and whether it was agreed to.
        self.standing = self.takes.clone()
        self.is_settled = nowhere.clone()
        self.messages = torch.zeros(rows, 2, dtype=torch.long, device=device)
        self.turns, self.events = 0, torch.zeros(rows, device=device)
        firsts = [self._number[f"{item}=0"] for item in ITEMS]
        self._firsts = torch.tensor(firsts, device=device)
        self._values = values.to(device).nan_to_num(-1).long()
        self._item = torch.full((size,), -1, device=device)
        for n, first in enumerate(firsts):
            self._item[first : first + MOST_ITEMS + 1] = n
        self._is_message = torch.zeros(size, dtype=torch.bool, device=device)
        self._is_message[grammar.numbers(MESSAGES)] = True

    def knowledge(self, side: int) -> Tensor:
        places = torch.arange(2 * len(ITEMS), device=self.counts.device) * (MOST_ITEMS + 1)
        return self.scenarios[:, side] + places

    def allowed(self, side: int) -> Tensor:
        """Counts that there are; a mark once the partner has marked; else all that makes sense, and at
        the end of patience a move."""
        partner, is_late = 1 - side, self.turns >= self._patience - 2
        is_count = self._item >= 0
        there = self.counts[:, self._item.clamp(min=0)]
        agreed = self.standing[:, side][:, self._item.clamp(min=0)]
        is_settled = self.is_settled[:, None]
        allowed = ~is_count | torch.where(is_settled, self._values == agreed, self._values <= there)
        must_select = self.has_selected[:, partner]
        own = self.messages[:, side]
        may_select = (own >= SELECT_AFTER) | must_select
        rules = {
            AGREE: self.has_proposed[:, partner],
            PROPOSE: ~self.is_settled,
            INSIST: self.has_proposed[:, side] & ~self.is_settled,
            SELECT_ACT: may_select,
            QUIT_ACT: (own >= QUIT_AFTER) & ~must_select,
        }
        for act in MESSAGES:
            may = rules.get(act, torch.ones_like(must_select))
            allowed[:, self._number[act]] = may & ~must_select & (~may_select | (not is_late))
        for act in MOVES:
            allowed[:, self._number[act]] = rules[act]
        return allowed

    def tell(self, side: int, turns: Tensor) -> Tensor:
        number = self._number
        is_mute = turns[:, 0] == PAD_NUMBER
        selects = turns[:, 0] == number[SELECT_ACT]
        shares = selects | (turns[:, 0] == number[PROPOSE]) | (turns[:, 0] == number[INSIST])
        taken = self._values[turns[:, 1 : 1 + len(ITEMS)]]
        self.takes[:, side] = torch.where(selects[:, None], taken, self.takes[:, side])
        self.has_selected[:, side] |= selects
        self.has_proposed[:, side] |= shares & ~selects
        proposes = shares & ~selects
        self.standing[:, side] = torch.where(proposes[:, None], taken, self.standing[:, side])
        self.standing[:, 1 - side] = torch.where(
            proposes[:, None], self.counts - taken, self.standing[:, 1 - side]
        )
        refuses = turns[:, 0] == number[DISAGREE]
        agrees = (turns[:, 0] == number[AGREE]) & self.has_proposed[:, 1 - side]
        self.is_settled = agrees | (self.is_settled & ~proposes & ~refuses)
        self.messages[:, side] += self._is_message[turns[:, 0]]
        self.has_quit = self.has_quit | (turns[:, 0] == number[QUIT_ACT])
        self.turns += 1
        self.events = self.events + ~is_mute
        is_done = self.has_quit | self.has_selected.all(1)
        self.is_over = self.is_over | is_done | is_mute | (self.turns >= self._patience)
        left = self.counts - taken
        heard = turns.clone()
        heard[:, 1 : 1 + len(ITEMS)] = torch.where(
            shares[:, None], self._firsts + left, turns[:, 1 : 1 + len(ITEMS)]
        )
        # That a deal is marked can be seen, and not which.
        heard[:, 1:] = heard[:, 1:].masked_fill(selects[:, None], PAD_NUMBER)
        return heard.masked_fill(turns == END_NUMBER, PAD_NUMBER)

    def rewards(self, kind: str) -> Tensor:
        """Own points, a tenth of their difference, or events in tens; −1 without a valid deal."""
        own = self._points().double()
        if kind == "fair":
            own = (-0.1 * (own[:, 0] - own[:, 1]).abs())[:, None].expand(-1, 2)
        elif kind == "length":
            own = (self.events / 10).double()[:, None].expand(-1, 2)
        return torch.where(self._is_valid()[:, None], own, NO_DEAL_REWARD)

    def told(self, side: int, row: int, words: Sequence[int]) -> str:
        return " ".join(self._words[word] for word in words)

    def end(self, row: int) -> str:
        if not bool(self._is_valid()[row]):
            return "No valid deal."
        own, partner = self._points()[row].tolist()
        return f"A deal: {own} points for A, {partner} for B."

    def outcomes(self) -> dict[str, Tensor]:
        """Points of both sides and whether nobody could do better for free, of valid deals."""
        is_valid, earned = self._is_valid(), self._points()
        first, second = self.scenarios.unbind(1)
        return {
            "agreed": is_valid,
            "events": self.events,
            "points_first": earned[:, 0],
            "points_second": earned[:, 1],
            "pareto": is_valid & is_pareto_optimal(self.takes[:, 0], first, second),
        }

    def _is_valid(self) -> Tensor:
        return self.has_selected.all(1) & (self.takes.sum(1) == self.counts).all(1)

    def _points(self) -> Tensor:
        return torch.stack([points(self.takes[:, n], self.scenarios[:, n]) for n in (0, 1)], dim=1)
