"""A dialogue as a seat reads it: tags that are read back, nothing that the seat did not see."""

from dataclasses import replace
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event
from palaver.games.game import GAMES
from palaver.models.language.bases import BaseSettings, open_base
from palaver.models.language.game_files import read_games, seen_events, usual_rules
from palaver.models.language.game_text import GameText
from palaver.models.language.prompts import GamePrompts
from palaver.models.language.rows import IGNORED
from palaver.models.language.tokens import base_tokens
from support.deal_lines import write_made_lines
from support.friends import ADA, BO, small_scenario
from support.shared import COCOA
from support.tiny_language import GAME_NAMES


def prompts(base: Path, *, longest: int = 900, is_seq2seq: bool = False) -> GamePrompts:
    opened = open_base(BaseSettings(model=str(base)))
    tokens = base_tokens(opened.folder, opened.config)
    return GamePrompts(tokens=tokens, longest=longest, reply=40, is_seq2seq=is_seq2seq)


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize("has_angles", [True, False])
def test_what_a_seat_did_is_read_back_from_its_text(
    talks: dict[str, Path], name: str, has_angles: bool
) -> None:
    game, games = read_games([talks[name]], least=2)
    text, rules = GameText(game, has_angles=has_angles), usual_rules(game)
    moved = 0
    for each in games:
        for seat in (0, 1):
            scenario = each.dialogue.scenario.seen_by(seat)
            seen = seen_events(each.dialogue, seat, rules)
            made = [
                (move.action, move.data)
                for turn in text.seat(scenario, seat, seen).turns
                if turn.is_own
                for move in text.read(turn.text, scenario, seat)
            ]
            own = [event for event in seen if event.seat == seat]
            moves = [(e.action, e.data) for e in own if e.action != MESSAGE]
            assert [each for each in made if each[0] != MESSAGE] == [
                (action, data or None) for action, data in moves
            ]
            words = " ".join(e.text for e in own if e.action == MESSAGE).split()
            assert " ".join(d["text"] for a, d in made if a == MESSAGE).split() == words
            moved += len(moves)
    assert moved


def test_what_the_partner_marked_is_not_read() -> None:
    game = GAMES.get("deal_or_no_deal")
    if not (COCOA / "deal_val.txt").is_file():
        pytest.skip("the published dialogues are not here")
    _, games = read_games([COCOA / "deal_val.txt"], least=2)
    text, rules = GameText(game), usual_rules(game)
    for each in games[:20]:
        for seat in (0, 1):
            scenario = each.dialogue.scenario.seen_by(seat)
            turns = text.seat(scenario, seat, seen_events(each.dialogue, seat, rules)).turns
            tagged = [turn.is_own for turn in turns if "<select>" in turn.text]
            assert tagged == [True]


def test_a_friend_has_a_number_on_the_own_list_and_a_name_on_the_other() -> None:
    text, scenario = GameText(GAMES.get("mutual_friends")), small_scenario()
    event = Event(seq=1, seat=1, action="select", data={"item": ADA}, time=0.0)
    own = text.seat(scenario.seen_by(1), 1, [event]).turns
    assert [turn.text for turn in own] == ["<select> 2"]
    partners = text.seat(scenario.seen_by(0), 0, [event]).turns
    assert [turn.text for turn in partners] == ["<select> Adele, Law and Chess"]
    other = Event(seq=1, seat=1, action="select", data={"item": BO}, time=0.0)
    assert text.seat(scenario.seen_by(1), 1, [other]).turns == ()


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_own_replies_alone_are_to_be_written(
    bases: dict[str, Path], talks: dict[str, Path], kind: str
) -> None:
    is_seq2seq = kind == "t5"
    made = prompts(bases[kind], is_seq2seq=is_seq2seq)
    game, games = read_games([talks["deal_or_no_deal"]], least=2)
    text = GameText(game, has_angles=not is_seq2seq)
    dialogue = games[0].dialogue
    seen = seen_events(dialogue, 0, usual_rules(game))
    seat = text.seat(dialogue.scenario.seen_by(0), 0, seen)
    own = [turn.text for turn in seat.turns if turn.is_own]
    tokens, examples = made.tokens, made.examples(seat, 7)
    if is_seq2seq:
        assert [tokens.text(each.labels) for each in examples] == own
        assert all(each.inputs[-1] == tokens.end for each in examples)
        return
    [line] = examples
    assert len(line.inputs) == len(line.labels)
    said: list[list[int]] = [[]]
    for number in line.labels:
        if number == tokens.end:
            said.append([])
        elif number != IGNORED:
            said[-1].append(number)
    assert [tokens.text(each) for each in said[:-1]] == own
    # What is read before a reply is how the row of the whole dialogue begins.
    first = next(n for n, turn in enumerate(seat.turns) if turn.is_own)
    prompt = made.prompt(replace(seat, turns=seat.turns[:first]))
    assert line.inputs[: len(prompt)] == prompt


def test_the_oldest_turns_are_cut_and_what_the_game_tells_stays(
    bases: dict[str, Path], talks: dict[str, Path]
) -> None:
    whole = prompts(bases["llama"])
    game, games = read_games([talks["deal_or_no_deal"]], least=2)
    dialogue = max((each.dialogue for each in games), key=lambda d: d.message_count)
    seat = GameText(game).seat(dialogue.scenario.seen_by(0), 0, dialogue.events)
    opening = len(whole.tokens.begun(f"{seat.opening}\n\n"))
    short = replace(whole, longest=opening + 110)
    prompt = short.prompt(seat)
    assert len(prompt) <= short.longest - short.reply
    assert prompt[:opening] == whole.prompt(seat)[:opening]
    last = whole.tokens.text(prompt)
    assert last.endswith("You:")
    assert seat.turns[-1].text in last
    assert seat.turns[0].text not in last
    assert short.is_cut(seat)
    assert not whole.is_cut(seat)
    with pytest.raises(InputError, match=r"takes \d+ tokens .* Set data\.longest higher"):
        replace(whole, longest=opening + 20).prompt(seat)


def test_files_of_two_games_and_of_none(talks: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A model learns one game"):
        read_games([talks["deal_or_no_deal"], talks["mutual_friends"]], least=2)
    lines = write_made_lines(tmp_path / "deals.txt", dialogues=4)
    with pytest.raises(
        InputError, match=r"None of the \d dialogues .* 9 messages \('data.least'\)"
    ):
        read_games([lines], least=9)
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    with pytest.raises(InputError, match="'open_chat', which has no tags"):
        read_games([chat], least=1)
    (tmp_path / "odd.txt").write_text("nothing of the kind\n")
    with pytest.raises(InputError, match="its format is not recognised"):
        read_games([tmp_path / "odd.txt"], least=1)
