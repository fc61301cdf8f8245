"""A turn is said word by word, and only what is allowed has a probability.

By chance, sharpened by a temperature, for many dialogues at once; or the likeliest whole turn, which a
beam finds: a price that is likely after an unlikely act is not what one would do.
"""

import math

import torch
from torch import Tensor

from palaver.models.acts.grammar import (
    BEGIN,
    END_NUMBER,
    GO_NUMBER,
    OVER,
    PAD_NUMBER,
    GrammarTables,
)
from palaver.models.acts.network import ActMemory, ActNetwork
from palaver.models.sampling import ChanceStream, drawn_words, nucleus, sharpened


def allowed_logits(
    logits: Tensor, states: Tensor, allowed: Tensor, tables: GrammarTables
) -> Tensor:
    """Logits (…, words) with -inf for what may not be said: the grammar decides by the state (…), the
    game by what it allows (…, words) in this turn, its end included. What is over is left as it is."""
    is_said = (tables.speaks[states] & allowed) | (states == OVER)[..., None]
    return logits.float().masked_fill(~is_said, -math.inf)


def drawn_turns(
    network: ActNetwork,
    memory: ActMemory,
    allowed: Tensor,
    tables: GrammarTables,
    *,
    temperature: float,
    chances: ChanceStream,
    longest: int,
    waits: Tensor,
    share: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """A turn for each row (rows, longest), its end included, and the state after it; rows that wait say
    nothing. Words are drawn from this share of what is likely. Every row draws as many chances, whatever
    it says."""
    rows = len(allowed)
    states = torch.full((rows,), BEGIN, device=allowed.device)
    word = torch.where(waits, PAD_NUMBER, GO_NUMBER)
    said, state = [], memory.state
    for _ in range(longest):
        logits, state = network.expect(_with_state(memory, state), word)
        log_probs = sharpened(allowed_logits(logits, states, allowed, tables), temperature)
        drawn = drawn_words(nucleus(log_probs, share), chances.next())
        # What has ended says no more.
        drawn = torch.where(word == PAD_NUMBER, PAD_NUMBER, drawn)
        said.append(drawn)
        states = tables.goes[states, drawn]
        # An end is not read, as in training.
        word = torch.where(drawn == END_NUMBER, PAD_NUMBER, drawn)
    return torch.stack(said, dim=1), state


def likeliest_turn(
    network: ActNetwork,
    memory: ActMemory,
    allowed: Tensor,
    tables: GrammarTables,
    *,
    width: int,
    longest: int,
) -> list[int]:
    """The likeliest turn of a single row that a beam of so many turns finds, its end included."""
    words = [[GO_NUMBER]]
    scores = torch.zeros(1, device=allowed.device)
    states = torch.full((1,), BEGIN, device=allowed.device)
    beam = memory
    done: list[tuple[float, list[int]]] = []
    for _ in range(longest):
        last = torch.tensor([each[-1] for each in words], device=allowed.device)
        logits, state = network.expect(beam, last)
        log_probs = sharpened(allowed_logits(logits, states, allowed.expand_as(logits), tables))
        ranked = (scores[:, None] + log_probs).flatten().topk(min(width, log_probs.numel()))
        kept = [
            (value, *divmod(place, logits.shape[1]))
            for value, place in zip(ranked.values.tolist(), ranked.indices.tolist(), strict=True)
            if value > -math.inf
        ]
        done += [(value, [*words[row], word]) for value, row, word in kept if word == END_NUMBER]
        kept = [each for each in kept if each[2] != END_NUMBER]
        if not kept or (done and max(done)[0] >= kept[0][0]):
            break
        rows = torch.tensor([row for _, row, _ in kept], device=allowed.device)
        chosen = torch.tensor([word for _, _, word in kept], device=allowed.device)
        words = [[*words[row], word] for _, row, word in kept]
        scores = torch.tensor([value for value, _, _ in kept], device=allowed.device)
        states = tables.goes[states[rows], chosen]
        beam = picked(_with_state(beam, state), rows)
    return max(done)[1][1:] if done else []


def picked(memory: ActMemory, rows: Tensor) -> ActMemory:
    """The memory of some rows, each as often as it is named."""
    return ActMemory(
        memory.state[rows],
        memory.knowledge[rows],
        memory.heard[rows],
        memory.encoded[rows],
        memory.heard_before[rows],
        memory.own_before[rows],
    )


def _with_state(memory: ActMemory, state: Tensor) -> ActMemory:
    return ActMemory(
        state,
        memory.knowledge,
        memory.heard,
        memory.encoded,
        memory.heard_before,
        memory.own_before,
    )
