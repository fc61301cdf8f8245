"""Diagnoses of networks that look for friends, and the graph of a dialogue on the page."""

import re

import pytest

from palaver.core.errors import InputError
from palaver.games.mutual_friends.lexicon import Entity
from palaver.models.chats import read_chats
from palaver.models.diagnosis.graph_drawing import drawn_graph
from palaver.models.diagnosis.page import diagnosis_page
from palaver.models.diagnosis.record import (
    DiagnosisRequest,
    GraphNode,
    GraphPicture,
    GraphTurn,
    diagnose,
)
from palaver.models.friends.graph_pictures import graph_picture, said_words
from palaver.models.friends.tokens import END_TOKEN, SELECT_TOKEN, FriendsToken
from palaver.models.friends.views import views_of

from .toys import CPU, made_views, tiny_checkpoint, tiny_network, write_made_chats


@pytest.fixture
def chats(tmp_path):
    return write_made_chats(tmp_path / "dev.json", 4, seed=3)


def request(checkpoint, *files, **options) -> DiagnosisRequest:
    return DiagnosisRequest(
        checkpoint=checkpoint, device=CPU, files=files, **{"dialogues": 3, "samples": 2, **options}
    )


def test_a_diagnosis_has_figures_graphs_and_dialogues(tmp_path, chats) -> None:
    _, words = made_views(tmp_path)
    checkpoint = tiny_checkpoint(tmp_path / "m", words, spread=0.1, ends=12.0)
    found = diagnose(request(checkpoint, chats))

    reading, playing = found.tables
    dev = views_of(read_chats([chats]), words.known)
    assert reading.rows[0].figures["perplexity"].n == 4
    assert {"entity F1", "BLEU-4"} <= reading.rows[0].figures.keys()
    assert {"found", "moves", "selections"} <= playing.rows[0].figures.keys()
    assert found.headline.startswith("Perplexity")
    (graph,) = found.graphs
    assert len(graph.turns) == 2
    assert {view.dialogue for view in dev} == {f"C_3_{n}" for n in range(4)}
    page = diagnosis_page(found)
    assert page.count('<svg class="graph"') == 2
    assert "Looks at" in page
    assert not re.search(r"\bnan\b", page)


def test_without_files_it_plays_about_the_scenarios_of_the_game(tmp_path) -> None:
    _, words = made_views(tmp_path)
    network = tiny_checkpoint(tmp_path / "m", words, spread=0.1, ends=12.0)
    other = tiny_checkpoint(tmp_path / "n", words, seed=2, spread=0.1, ends=12.0)
    found = diagnose(request(network, against=other, dialogues=2, samples=1))
    assert found.tables[0].rows[0].title == "with n"
    assert not found.graphs
    assert "on the tables of the game's own scenarios" in found.tables[0].caption
    assert found.samples[0].pairs[0].ours[-1].startswith("They ")


def test_files_of_something_else_are_told(tmp_path) -> None:
    _, words = made_views(tmp_path)
    checkpoint = tiny_checkpoint(tmp_path / "m", words)
    (tmp_path / "bad.json").write_text("[{}]")
    with pytest.raises(InputError, match="has no 'scenario' and 'events'"):
        diagnose(request(checkpoint, tmp_path / "bad.json"))
    with pytest.raises(InputError, match="has no 'kbs' of two tables"):
        diagnose(request(checkpoint, scenarios=tmp_path / "bad.json"))


def test_weights_of_a_graph_are_shares_of_what_could_be_copied(tmp_path) -> None:
    views, words = made_views(tmp_path, 4)
    picture = graph_picture(tiny_network(words), views, words, CPU)
    rows = sum(node.column == 0 for node in picture.nodes)
    assert all(start < rows <= end < len(picture.nodes) for start, end in picture.edges)
    for turn in picture.turns:
        known = [weight for weight in turn.weights if weight is not None]
        assert len(turn.weights) == len(picture.nodes)
        assert sum(known) == pytest.approx(1.0)
        assert all(turn.weights[node] is not None for node in turn.named)


def test_a_picture_shows_what_is_known_and_what_weighs() -> None:
    graph = GraphPicture(
        title="", caption="", columns=("Friend", "Hobby"),
        nodes=(
            GraphNode(label="Friend 1", column=0, place=0),
            GraphNode(label="Chess", column=1, place=0),
            GraphNode(label="Collecting very old railway timetables", column=1, place=1),
        ),
        edges=((0, 1), (0, 2)), turns=(),
    )  # fmt: skip
    turn = GraphTurn(
        title="Turn 1", heard="", said="", weights=(0.1, 0.9, None), named=frozenset({1})
    )
    drawn = drawn_graph(turn, graph)
    assert [(node.label, node.weight, node.is_named) for node in drawn.nodes] == [
        ("Friend 1", "", False),
        ("Chess", "90 %", True),
    ]
    assert [line.is_strong for line in drawn.lines] == [True]
    assert drawn.nodes[1].radius > drawn.nodes[0].radius
    assert turn.told(graph) == "Chess 90 %"


def test_what_was_said_is_written_to_be_read() -> None:
    chess = FriendsToken("chess", Entity("Hobby", "Chess"))
    said = [FriendsToken("i"), FriendsToken("like"), chess, FriendsToken("!"), END_TOKEN]
    assert said_words([*said, SELECT_TOKEN, FriendsToken("", row=1), END_TOKEN]) == (
        "i like Chess! (selects friend 2)"
    )
    assert said_words([SELECT_TOKEN, chess, END_TOKEN]) == "(selects Chess)"
