"""Many bargains at once: what stands in each, what may be said next, and what it is worth.

Beside the rules of the game, what makes no sense is not said: to insist before one has named a price, to
open with a price where one was named, to answer what was not asked. Nor is a price that nobody would
take for meant, one that is worse for the own side than what the partner asks for, or one that takes back
what the side has named.
"""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from palaver.formats.cocoa.actions import OFFER
from palaver.games.craigslist_bargain.prices import MOST
from palaver.models.acts.bargain_words import (
    BUYS,
    CATEGORY,
    INQUIRY,
    KNOWS,
    LIST_PRICE,
    MESSAGES,
    MOVES,
    STEP,
    TARGET,
    WIDTH,
    WORST_PRICE,
    price_values,
)
from palaver.models.acts.grammar import END_NUMBER, PAD_NUMBER, ActGrammar
from palaver.models.bargain.pricing import price_word
from palaver.models.bargain.rewards import BargainEnds, Reward, margins, rewards


class BargainTable:
    """Bargains at once; what stands in each follows from what was said."""

    def __init__(
        self, grammar: ActGrammar, scaled: Sequence[float], scenarios: Tensor, *, patience: int
    ) -> None:
        rows, device = len(scenarios), scenarios.device
        number, size = grammar.number, len(grammar)
        self._words, self._number, self._patience = grammar.words, number, patience
        self.scenarios = scenarios
        nowhere = torch.zeros(rows, dtype=torch.bool, device=device)
        self.is_over, self.is_agreed = nowhere.clone(), nowhere.clone()
        # Whether each side has named a price, and has offered one; in dollars, as it was offered.
        self.has_named = torch.zeros(rows, 2, dtype=torch.bool, device=device)
        self.has_offered = self.has_named.clone()
        # Whether each side was asked something with the last turn.
        self.is_asked = self.has_named.clone()
        self.offered = scenarios.new_zeros(rows)
        # The last price (rows, 2) in dollars that each side named; NaN before there is one.
        self.named = scenarios.new_full((rows, 2), float("nan"))
        self.turns, self.events = 0, scenarios.new_zeros(rows)
        self._values = price_values(grammar).to(device, scenarios.dtype)
        self._first_price = number[price_word(scaled[0])]
        self._known = torch.tensor(scaled, device=device, dtype=scenarios.dtype)
        self._is_act = _marked([number[act] for act in (*MESSAGES, *MOVES)], size, device)
        # The price (rows, 2, words) in dollars that each word is to each side, and whether it is one.
        self.prices = _prices(scenarios, self._values)
        known = scenarios[..., [TARGET, LIST_PRICE]].amax(-1).clamp(min=1)
        # No buyer would pay more than is asked for.
        highest = known * torch.where(scenarios[..., BUYS] > 0, 1.0, MOST)
        self._makes_sense = (self.prices > 0) & (self.prices <= highest[..., None])

    def knowledge(self, side: int) -> Tensor:
        own = self.scenarios[:, side]
        role = torch.where(own[:, BUYS] > 0, KNOWS.index("buyer"), KNOWS.index("seller"))
        return torch.stack([role, own[:, CATEGORY].long()], dim=1)

    def allowed(self, side: int) -> Tensor:
        """Answers to an offer where one stands, else all that makes sense; at the end of patience a
        move."""
        partner = 1 - side
        allowed = torch.ones_like(self._is_act).expand(len(self.scenarios), -1).clone()
        is_price, is_sensible = self._values.isfinite(), self._sensible(side)
        allowed = torch.where(is_price, is_sensible, allowed)
        has_prices = (is_sensible & is_price).any(1)
        is_answering = self.has_offered[:, partner]
        is_named = self.has_named.any(1)
        rules = {
            "accept": is_answering,
            "reject": is_answering,
            "quit": torch.ones_like(is_answering),
            "offer": ~is_answering & ~self.has_offered[:, side] & has_prices,
            "init-price": ~is_named & has_prices,
            "counter-price": is_named & has_prices,
            "inform": ~is_answering & self.is_asked[:, side],
            "insist": self.has_named[:, side],
            "agree": self.has_named[:, partner],
        }
        is_late = self.turns >= self._patience - 2
        for act in (*MESSAGES, *MOVES):
            may = rules.get(act, ~is_answering)
            if act in MESSAGES:
                may = may & ~is_answering & (not is_late)
            allowed[:, self._number[act]] = may
        return allowed

    def tell(self, side: int, turns: Tensor) -> Tensor:
        partner, number = 1 - side, self._number
        goes_on = ~self.is_over
        is_price = self._values.isfinite()[turns]
        before = functional.pad(turns[:, :-1], (1, 0), value=PAD_NUMBER)
        dollars = self.prices[:, side].gather(1, turns)
        is_offered = is_price & (before == number[OFFER])
        self.offered = torch.where(
            is_offered.any(1), (dollars * is_offered).nan_to_num().sum(1), self.offered
        )
        self.has_offered[:, side] |= is_offered.any(1)
        self.has_named[:, side] |= is_price.any(1)
        last = torch.where(is_price, torch.arange(turns.shape[1], device=turns.device), -1).amax(1)
        latest = dollars.gather(1, last.clamp(min=0)[:, None]).squeeze(1)
        self.named[:, side] = torch.where(last >= 0, latest, self.named[:, side])
        self.is_asked[:, partner] = (turns == number[INQUIRY]).any(1)
        is_accepted = (turns == number["accept"]).any(1)
        is_done = is_accepted | ((turns == number["reject"]) | (turns == number["quit"])).any(1)
        self.is_agreed = self.is_agreed | (goes_on & is_accepted)
        # A network whose numbers are not finite has nothing to say.
        is_mute = turns[:, 0] == PAD_NUMBER
        self.turns += 1
        self.events = self.events + self._is_act[turns].sum(1)
        self.is_over = self.is_over | is_done | is_mute | (self.turns >= self._patience)
        heard = torch.where(is_price, self._as_heard(partner, dollars), turns)
        return heard.masked_fill(turns == END_NUMBER, PAD_NUMBER)

    def rewards(self, kind: str) -> Tensor:
        return rewards(cast(Reward, kind), self._ends())

    def told(self, side: int, row: int, words: Sequence[int]) -> str:
        parts = []
        for word in words:
            price = float(self.prices[row, side, word])
            parts.append(self._words[word] if price != price else f"${price:,.10g}")
        return " ".join(parts)

    def end(self, row: int) -> str:
        if not bool(self.is_agreed[row]):
            return "No deal."
        own = float(margins(self._ends())[row, 0])
        return f"A deal at ${float(self.offered[row]):,.10g}: margin {own:.2f} for A."

    def outcomes(self) -> dict[str, Tensor]:
        """Margins of both roles and of the first side, and how fair the price is, of agreed ones."""
        ends = self._ends()
        own = margins(ends)
        buyers = torch.where(ends.first_buys, own[:, 0], own[:, 1])
        return {
            "agreed": self.is_agreed,
            "events": self.events,
            "margin_buyer": buyers,
            "margin_seller": -buyers,
            "margin_first": own[:, 0],
            "fairness": 1 - own[:, 0].abs(),
        }

    def _sensible(self, side: int) -> Tensor:
        """The prices (rows, words) that a side can name: none that is worse for it than what the partner
        asks for, and none that takes back what it named itself, unless the partner asks for that."""
        # On the scale of a side, higher is better for it.
        words = self._as_heard(side, self.named)
        known = torch.where(self.named.isnan(), self.named, self._values[words])
        asked, named = known[:, 1 - side, None], known[:, side, None]
        most = torch.where(asked.isnan(), named, torch.maximum(asked, named))
        is_no_worse = (self._values >= asked) | asked.isnan()
        is_no_retreat = (self._values <= most) | named.isnan()
        return self._makes_sense[:, side] & is_no_worse & is_no_retreat

    def _ends(self) -> BargainEnds:
        return BargainEnds(
            targets=self.scenarios[..., TARGET],
            first_buys=self.scenarios[:, 0, BUYS] > 0,
            prices=self.offered,
            is_agreed=self.is_agreed,
            events=self.events,
        )

    def _as_heard(self, side: int, dollars: Tensor) -> Tensor:
        """The words of prices (rows, words) on the scale of a side: the nearest that it knows."""
        own = self.scenarios[:, side]
        scaled = (dollars - own[:, WORST_PRICE, None]) / own[:, WIDTH, None]
        scaled = scaled.nan_to_num().contiguous()
        above = torch.searchsorted(self._known, scaled).clamp(1, len(self._known) - 1)
        is_lower = scaled - self._known[above - 1] <= self._known[above] - scaled
        return torch.where(is_lower, above - 1, above) + self._first_price


def _prices(scenarios: Tensor, values: Tensor) -> Tensor:
    """The price (rows, 2, words) in dollars that each word is to each side; NaN for other words."""
    worst, width, step = (scenarios[..., n, None] for n in (WORST_PRICE, WIDTH, STEP))
    return (((worst + values * width) / step + 0.5).floor() * step).clamp(min=0)


def _marked(numbers: Sequence[int], words: int, device: torch.device) -> Tensor:
    found = torch.zeros(words, dtype=torch.bool, device=device)
    found[numbers] = True
    return found
