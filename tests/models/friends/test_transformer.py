"""The Transformer of MutualFriends: what it looks back at, and that it may be asked in any way."""

import pytest
import torch

from palaver.core.errors import InputError
from palaver.models.chats import read_chats
from palaver.models.checkpoints.folder import open_checkpoint, write_checkpoint
from palaver.models.friends.graphs import HEARD, ROW, VALUE
from palaver.models.friends.kinds import FRIENDS_KINDS, friends_network
from palaver.models.friends.network import FriendsReader
from palaver.models.friends.pairs import pairs_of
from palaver.models.friends.self_play import FriendSeeker, seek_all
from palaver.models.friends.tensors import TurnTensors
from palaver.models.friends.transformer import TableTransformer
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings

from .toys import CPU, made_tensors, write_made_chats

MODEL = "friends-transformer"
SMALL = {"layers": 2, "width": 16, "heads": 2, "dropout": 0.0}
GO = torch.tensor([2]), torch.tensor([-1])


def network(words, **options) -> TableTransformer:
    kind = FRIENDS_KINDS[MODEL]
    sections = read_settings(kind.settings_type, {"network": {**SMALL, **options}})
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return kind.network(sections, words).eval()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return made_tensors(tmp_path_factory.mktemp("made"), 8)


def logits_of(turns) -> list[torch.Tensor]:
    return [turn.logits for turn in turns]


def turn(words: list[int], nodes: list[int]) -> TurnTensors:
    sizes = torch.tensor([len(words)])
    return TurnTensors(torch.tensor([words]), torch.tensor([nodes]), sizes, sizes)


@torch.no_grad()
@pytest.mark.parametrize("positions", ["none", "rotary"])
def test_one_pass_turn_by_turn_and_word_by_word_are_the_same(made, positions):
    tensors, words = made
    reader = network(words, positions=positions)
    batch = tensors.taken(torch.arange(8))

    at_once, by_turns = reader.read(batch), FriendsReader.read(reader, batch)

    state = reader.begin(batch.graphs)
    for whole, turned, (heard, said) in zip(at_once, by_turns, batch.exchanges, strict=True):
        state = reader.hear(heard, state)
        draft, stepped = reader.draft(state), []
        for place in range(said.words.shape[1] - 1):
            logits, draft = reader.step(said.words[:, place], said.nodes[:, place], draft)
            stepped.append(logits)
        _, state = reader.say(said, state)
        is_word = whole.targets > 0
        torch.testing.assert_close(whole.logits[is_word], turned.logits[is_word])
        torch.testing.assert_close(whole.logits[is_word], torch.stack(stepped, 1)[is_word])


@torch.no_grad()
def test_a_view_is_read_alike_alone_and_among_larger_ones(made):
    tensors, words = made
    reader = network(words)
    together = logits_of(reader.read(tensors.taken(torch.arange(16))))

    for row in (0, 5, 15):
        alone = tensors.taken(torch.tensor([row]))
        turns = zip(alone.exchanges, logits_of(reader.read(alone)), together, strict=False)
        for (_, said), one, other in turns:
            places, nodes = int(said.lengths[0]) - 1, one.shape[2]
            torch.testing.assert_close(one[0, :places], other[row, :places, :nodes])
            assert other[row, :places, nodes:].isneginf().all()


@torch.no_grad()
def test_what_the_table_says_matters(made):
    tensors, words = made
    reader, batch = network(words), tensors.taken(torch.arange(4))
    first = reader.step(GO[0].expand(4), GO[1].expand(4), reader.draft(reader.begin(batch.graphs)))

    graphs, is_cell = batch.graphs, batch.graphs.kinds.gather(1, batch.graphs.starts) == ROW
    cell = int((is_cell & (graphs.labels > 0))[0].nonzero()[0])
    # The first row has the value of another.
    last = int((graphs.kinds[0] == VALUE).nonzero()[-1])
    assert graphs.ends[0, cell] != last
    graphs.ends[0, cell] = last
    then = reader.step(GO[0].expand(4), GO[1].expand(4), reader.draft(reader.begin(graphs)))

    changed = [not torch.allclose(*pair) for pair in zip(first[0], then[0], strict=True)]
    assert changed == [True, False, False, False]


@torch.no_grad()
def test_values_of_a_kind_are_told_apart(made):
    tensors, words = made
    reader, batch = network(words), tensors.taken(torch.tensor([0]))
    types, is_value = batch.graphs.types[0], batch.graphs.kinds[0] == VALUE
    one, other = (is_value & (types == types[is_value][0])).nonzero()[:2, 0].tolist()

    said = [
        reader.step(*GO, reader.draft(reader.hear(turn([9, 3], [node, -1]), start)))[0]
        for start in [reader.begin(batch.graphs)]
        for node in (one, other)
    ]

    assert not torch.allclose(*said)


@torch.no_grad()
def test_values_can_be_copied_once_they_were_heard(made):
    tensors, words = made
    reader = network(words)
    rows = (tensors.graphs.kinds == HEARD).any(1).nonzero().squeeze(1)
    batch = tensors.taken(rows[:1])
    node = int((batch.graphs.kinds[0] == HEARD).nonzero()[0])

    state = reader.begin(batch.graphs)
    before, _ = reader.step(*GO, reader.draft(state))
    after, _ = reader.step(*GO, reader.draft(reader.hear(turn([9, 3], [node, -1]), state)))

    assert before[0, len(words) + node].isneginf()
    assert after[0, len(words) + node].isfinite()
    # A value that nobody has named yet is not seen in the table either.
    graphs = batch.graphs
    graphs.types[0, node] += 1
    unseen, _ = reader.step(*GO, reader.draft(reader.begin(graphs)))
    assert torch.equal(before, unseen)


def test_a_gradient_reaches_every_part(made):
    tensors, words = made
    reader = network(words, word_dropout=0.1).train()
    said = reader.read(tensors.taken(torch.arange(8)))

    sum(
        torch.nn.functional.cross_entropy(
            each.logits.flatten(0, 1), each.targets.flatten(), ignore_index=0
        )
        for each in said
    ).backward()

    assert [n for n, w in reader.named_parameters() if not w.grad.any()] == []
    assert all(w.grad.isfinite().all() for w in reader.parameters())


def test_it_learns_which_row_has_what_was_asked_for(tmp_path):
    kind = FRIENDS_KINDS[MODEL]
    settings = read_settings(kind.settings_type, {"network": {**SMALL, "width": 32}})
    material = LearnerMaterial(
        train=(write_made_chats(tmp_path / "chats.json", 50),), seed=1, device=CPU, batch=30
    )
    torch.manual_seed(0)
    learner = kind.learner(settings, material)
    optimizer = torch.optim.Adam(learner.network.parameters(), lr=0.01)
    before = measured(learner)["loss"]

    for epoch in range(4):
        for batch in learner.updates(epoch, torch.Generator().manual_seed(epoch)):
            optimizer.zero_grad()
            learner.loss(batch).backward()
            optimizer.step()

    assert measured(learner)["loss"] < before / 3


@torch.no_grad()
def test_a_checkpoint_says_the_same_again(tmp_path, made):
    tensors, words = made
    reader = network(words)
    write_checkpoint(
        tmp_path / "kept",
        settings={"model": MODEL, "recipe": {"model": MODEL, "network": SMALL}},
        words=words.written(),
        weights=reader.state_dict(),
    )

    again = friends_network(open_checkpoint(tmp_path / "kept"))

    batch = tensors.taken(torch.arange(4))
    for one, other in zip(logits_of(reader.read(batch)), logits_of(again.read(batch)), strict=True):
        assert torch.equal(one, other)


def test_it_plays_as_any_other(tmp_path, made):
    _, words = made
    pairs = pairs_of(read_chats([write_made_chats(tmp_path / "chats.json", 4)]))
    side = FriendSeeker(network=network(words), temperature=1.0)

    played = seek_all(
        (side, side), pairs, words, torch.Generator().manual_seed(1), device=CPU, most_moves=8
    )

    said = [each for batch in played for each in batch.turns]
    assert sum(len(batch) for batch in played) == 4
    assert len(said) > 2
    assert all(((turn.nodes < 0) | (turn.words > 0)).all() for turn in said)


@pytest.mark.parametrize(
    "options", [{"width": 30, "heads": 4}, {"width": 12, "heads": 4, "positions": "rotary"}]
)
def test_heads_that_do_not_fit_the_width_are_refused(made, options):
    with pytest.raises(InputError, match=r"multiple of 'network\.heads'"):
        network(made[1], **options)


@torch.no_grad()
def measured(learner) -> dict[str, float]:
    learner.network.eval()
    return learner.measure()
