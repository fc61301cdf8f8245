"""What one seat thinks of its own friends: who can still be the one, and what is worth talking about.

Friends and values have weights, after the simple bot of CoCoA: a value that the partner names adds to
the friends who have it and to what stands beside it; one that the partner lacks counts heavily against
them. Values start with the share of friends who have them, and lose most of their weight once they
were talked about. Beyond that, values that were said of one and the same friend count more, and a
partner who has described all friends of a group rules out the others.
"""

from dataclasses import dataclass, field

from palaver.games.mutual_friends.lexicon import Entity
from palaver.games.mutual_friends.reading import Claim, Group
from palaver.games.mutual_friends.tables import Friend, values_of

NAMED, TOGETHER, LACKED = 1.0, 2.0, -10.0
SAME_ROW, SAME_ROW_LACKED = 2.0, -1.0
SAME_COLUMN, SAME_COLUMN_LACKED = 0.5, 1.0
TALKED_ABOUT, CHOSEN_IN_VAIN = -10.0, -100.0
# Below this weight a friend is thought to be ruled out.
RULED_OUT = -5.0


@dataclass
class Beliefs:
    """The weights of one's friends, by their place in the table, and of the values they have."""

    columns: tuple[str, ...]
    rows: tuple[Friend, ...]
    weights: list[float] = field(init=False)
    entities: list[Group] = field(init=False)
    entity_weights: dict[Entity, float] = field(init=False)
    # What the partner is known to have, said of the same friend.
    seen: list[Group] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.weights = [0.0] * len(self.rows)
        self.entities = [
            frozenset(
                Entity(name, value) for name in self.columns for value in values_of(row, name)
            )
            for row in self.rows
        ]
        counts: dict[Entity, float] = {}
        for row in self.entities:
            for entity in sorted(row):
                counts[entity] = counts.get(entity, 0.0) + 1 / len(self.rows)
        self.entity_weights = counts

    @property
    def alive(self) -> list[int]:
        """The friends who can still be the one; where none can, those who were not yet chosen."""
        left = [n for n, weight in enumerate(self.weights) if weight > RULED_OUT]
        if left:
            return left
        best = max(self.weights)
        return [n for n, weight in enumerate(self.weights) if weight > best + LACKED]

    def matching(self, group: Group) -> list[int]:
        """The friends who have all values of a group."""
        return [n for n, row in enumerate(self.entities) if group <= row]

    def hear(self, claim: Claim) -> None:
        """Take note of what the partner says of their friends."""
        if not claim.group:
            return
        if claim.count == 0:
            self._lack(claim.group)
            return
        self.seen.append(claim.group)
        for n, row in enumerate(self.entities):
            self.weights[n] += NAMED * len(claim.group & row)
            if claim.group <= row:
                self.weights[n] += TOGETHER * (len(claim.group) - 1)
            if claim.every and not claim.group <= row:
                self.weights[n] += LACKED
            if claim.parts and claim.group <= row and not any(p <= row for p in claim.parts):
                self.weights[n] += LACKED
        self._spread(claim.group, NAMED, SAME_ROW, SAME_COLUMN)

    def hear_question(self, group: Group) -> None:
        """People ask for what they have themselves."""
        for n, row in enumerate(self.entities):
            self.weights[n] += NAMED / 2 * len(group & row)
        self._spread(group, NAMED, SAME_ROW / 2, SAME_COLUMN)

    def talk_about(self, group: Group) -> None:
        """What was said need not be said again."""
        for entity in group & self.entity_weights.keys():
            self.entity_weights[entity] += TALKED_ABOUT

    def give_up(self, friend: Friend) -> None:
        """Nobody answered to the choice of this friend."""
        for n, row in enumerate(self.rows):
            if row == friend:
                self.weights[n] += CHOSEN_IN_VAIN

    def _lack(self, group: Group) -> None:
        for n in self.matching(group):
            self.weights[n] += LACKED
        if len(group) == 1:
            self._spread(group, LACKED, SAME_ROW_LACKED, SAME_COLUMN_LACKED)

    def _spread(self, group: Group, named: float, same_row: float, same_column: float) -> None:
        """Change the weights of what was named, and of what stands beside it."""
        beside = {
            entity for row in self.entities if group & row for entity in row if entity not in group
        }
        columns = {entity.attribute for entity in group}
        for entity in self.entity_weights:
            if entity in group:
                self.entity_weights[entity] += named
            elif entity in beside:
                self.entity_weights[entity] += same_row
            elif entity.attribute in columns:
                self.entity_weights[entity] += same_column
