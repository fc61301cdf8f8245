"""A small project of the ChatEvaluationPlatform, and the files that finished work leaves."""

import json
from pathlib import Path
from typing import Any

BUCKETS: dict[str, Any] = {
    "mood": {
        "task_title": "mood",
        "config": "nondetails_nonhelp_button_flow",
        "indices": "odd",
        "require": {"level": "turn"},
        "options": {"Is this reply kind?": {"Yes, it is.": {}, "No, it is not.": {}}},
    },
    "rude": {
        "task_title": "rude",
        "config": "nondetails_nonhelp_button_flow",
        "indices": "odd",
        "options": {"rude_q": {"_type_": {"checkbox": {}}, "This reply is rude.": {}}},
    },
    "faults": {
        "task_title": "faults",
        "question": "What is wrong?",
        "config": "multiselect",
        "indices": "odd",
        "options": [{"value": "dull", "label": "Dull"}, {"value": "odd", "label": "Odd"}],
    },
    "quality_likert": {
        "task_title": "quality_likert",
        "config": "likert-5-dialogue",
        "indices": "no_indices",
        "options": [{"label": "Quality", "question": "How good was SPEAKER_X?"}],
        "label_details": {"1": "poor", "5": "excellent"},
        "require": {"level": "dialogue"},
    },
    "quality_comparative": {
        "task_title": "quality_comparative",
        "question": "Which was better?",
        "config": "comparative",
        "indices": "no_indices",
        "options": ["Dialogue 1 (left)", "Dialogue 2 (right)", "No difference"],
        "require": {"level": "dialogue"},
    },
}
TURNS = [["user", "Hi!"], ["system", "Hello."], ["user", "How are you?"], ["system", "Go away."]]
OTHER_TURNS = [["user", "Hi!"], ["system", "Good day."]]

COLLECTING: dict[str, Any] = {
    "do_collect_dialogue": True,
    "num_bots": 2,
    "num_turns": 4,
    "conversations_needed_string": "tern|plover:20,tern|gull:5",
    "model_opt_path": "${task_dir}/task_config/model_opts.yaml",
    "annotations_config_path": "${task_dir}/task_config/annotation_buckets.json",
    "do_interactive_offline_annotations": [
        ["quality_likert"],
        ["quality_likert", "quality_comparative"],
    ],
}
JUDGING: dict[str, Any] = {
    "do_external_annotations": True,
    "annotations_config_path": "${task_dir}/task_config/annotation_buckets.json",
    "data_jsonl": "${task_dir}/task_config/task_data/mood.jsonl",
    "use_screening_task": True,
    "max_screening_units": 7,
    "passed_qualification_name": "mood_screen",
    "screen_json": "${task_dir}/task_config/onboarding_data/mood.json",
}


def write_project(
    folder: Path,
    blueprint: dict[str, Any],
    *,
    task: dict[str, Any] | None = None,
    inner: str = "collection_and_annotations",
    defaults: list[Any] | None = None,
) -> Path:
    """A checkout with one configuration called `own`; its folder."""
    here = folder / inner
    conf = here / "hydra_configs" / "conf" / "own.yaml"
    conf.parent.mkdir(parents=True, exist_ok=True)
    whole = {
        "defaults": defaults if defaults is not None else [{"/mephisto/provider": "mock"}],
        "mephisto": {
            "blueprint": blueprint,
            "task": {"task_name": "mood", "task_title": "Moods", **(task or {})},
        },
    }
    conf.write_text("#@package _global_\n" + json.dumps(whole, indent=1), encoding="utf-8")
    config = here / "task_config"
    write_json(config / "annotation_buckets.json", {"config": BUCKETS}, bom=True)
    config.joinpath("model_opts.yaml").write_text("tern: >\n  --model tern\nplover: >\n  --m p\n")
    write_lines(config / "task_data" / "mood.jsonl", [{"data": [dialogue("d1")]}])
    write_json(config / "task_data" / "mood_units.json", {"g1": 2})
    write_json(config / "onboarding_data" / "mood.json", training())
    return folder


def dialogue(id: str, **given: Any) -> dict[str, Any]:
    """A dialogue as task data hold it."""
    return {
        "dialogue_id": id,
        "group_id": "g1",
        "annotation_tasks": ["mood"],
        "turns": TURNS,
        "bot_persona": [],
        "origin_worker_id": "student-17",
        **given,
    }


def training() -> dict[str, Any]:
    """Three rounds, of which the third allows two mistakes."""
    answers = {"Is this reply kind?": "Yes, it is."}
    turns = [["user", "Hi!"], ["system", "Hello.", answers, "It is kind."]]
    return {
        f"mood_onboarding_{n}": {
            "dialogue_id": f"mood_onboarding_{n}",
            "annotation_tasks": ["mood"],
            "bot_persona": [],
            "turns": turns,
            "pass_criteria": n - 1,
            "remaining": 3 - n,
        }
        for n in (1, 2, 3)
    }


def write_json(file: Path, data: Any, *, bom: bool = False) -> Path:
    """A JSON file, with a byte order mark if the platform would have one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data, indent=1), encoding="utf-8-sig" if bom else "utf-8")
    return file


def write_lines(file: Path, lines: list[Any]) -> Path:
    """A file of one JSON document per line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return file


def judged_state(
    answers: dict[str, Any], shown: list[dict[str, Any]] | None = None, **final: Any
) -> dict[str, Any]:
    """The state of a static task that was submitted."""
    data = {"annotations": json.dumps(answers), "completed": True, **final}
    return {
        "inputs": shown if shown is not None else [dialogue("(1,2)_tern")],
        "outputs": {
            "messages": [
                {"packet_type": "agent_action", "data": {"x": 1}, "timestamp": 990.0},
                {
                    "packet_type": "agent_action",
                    "data": {"task_data": {"final_data": data}},
                    "timestamp": 1000.0,
                },
                {"packet_type": "update_agent_status", "data": {}, "timestamp": 1001.0},
            ]
        },
    }


def chat_state(annotations: dict[str, Any]) -> dict[str, Any]:
    """The state of two chats that one person held."""

    def said(text: str, who: int, **more: Any) -> dict[str, Any]:
        return {"id": "x", "text": text, "agent_idx": who, "episode_done": False, **more}

    return {
        "inputs": {},
        "outputs": {
            "messages": [
                {"packet_type": "agent_action", "data": {"message_id": "m1"}, "timestamp": 500.0}
            ],
            "annotations": annotations,
            "final_chat_data": {
                "dialog": {
                    "tern": [
                        said("Hi!", 0, fake_start=True),
                        said("Hello.", 1, message_id="m1"),
                    ],
                    "plover": [said("Hi!", 0, fake_start=True), said("Yes?", 1)],
                },
                "chatDone": True,
                "annotations": {},
                "workers": ["A1B2"],
                "task_description": {"annotations_config": json.dumps({"config": BUCKETS})},
                "personas": ["I like rain."],
            },
        },
    }


def released() -> dict[str, Any]:
    """A small data.json: two dialogues, judged in every way by two people."""

    def scored(label: str, *scores: Any) -> list[dict[str, Any]]:
        return [
            {"work_unit_id": f"w{n}", "label": label, "score": score}
            for n, score in enumerate(scores, start=1)
        ]

    def compared(other: str, score: int) -> dict[str, list[dict[str, Any]]]:
        given = {"work_unit_id": "w3", "label": "quality", "score": score}
        return {"quality": [{**given, "dialogue_compared_to_id": other}]}

    def one(id: str, bot: str, other: str, score: int) -> dict[str, Any]:
        return {
            "dialogue_id": id,
            "bot": bot,
            "comparative_annotations": compared(other, score),
            "likert_annotations": {"emotional": scored("emotional", 4, "2")},
            "turns": [
                {
                    "user_turn": "Hi!",
                    "bot_turn": f"Hello from {bot}.",
                    "likert_annotations": {"quality": scored("quality", 5)},
                    "behavior_annotations": {
                        "topic switch": scored("topic switch", 1, 0),
                        "antisocial": scored("antisocial", 0, None),
                    },
                }
            ],
        }

    def unit(n: int, **given: Any) -> dict[str, Any]:
        date = "2022-05-01T10:00:00+00:00"
        return {
            "id": f"w{n}",
            "worker_id": f"student-{n}",
            "time_to_complete_sec": 60.0,
            "completion_date": date,
            **given,
        }

    evaluation = {
        "dialogues": {"a": one("a", "tern", "b", 1), "b": one("b", "plover", "a", -1)},
        "work_units": {f"w{n}": unit(n) for n in (1, 2, 3)},
    }
    trained = {
        "dialogues": {
            "t": {
                "dialogue_id": "t",
                "turns": [{"user_turn": "Hi!", "bot_turn": "Hello."}],
                "attempts": [
                    {"work_unit_id": "w1", "mistakes": [0], "performance": 0.5, "passed": False}
                ],
            }
        },
        "work_units": {"w1": unit(1)},
    }
    return {"surge_evaluation": evaluation, "surge_onboarding": trained, "annotation_pilots": []}


def released_sections() -> dict[str, Any]:
    """A data.json in which those who chatted and two strangers rate the same six dialogues.

    Strangers agree with each other and never with whoever chatted. One section has nothing in it.
    """
    own, others = (5, 5, 4, 1, 2, 1), (1, 2, 1, 4, 5, 5)

    def unit(worker: str, ids: list[str]) -> dict[str, Any]:
        return {"worker_id": worker, "time_to_complete_sec": 30.0, "dialogue_ids": ids}

    def one(n: int, scores: dict[str, int], turn: dict[str, Any]) -> dict[str, Any]:
        given = [{"work_unit_id": f"{work}{n}", "score": score} for work, score in scores.items()]
        return {
            "dialogue_id": f"c{n}",
            "bot": "tern" if n % 2 else "plover",
            "likert_annotations": {"quality": given},
            "turns": [{"user_turn": f"Hi {n}!", "bot_turn": "Hello.", **turn}],
        }

    numbers = range(1, 7)
    rude = {"behavior_annotations": {"antisocial": [{"work_unit_id": "x1", "score": 1}]}}
    return {
        "dialogue_collection": {
            "dialogues": {f"c{n}": one(n, {"o": own[n - 1]}, {}) for n in numbers},
            "work_units": {f"o{n}": unit(f"student-{n}", [f"c{n}"]) for n in numbers},
        },
        "surge_evaluation": {
            "dialogues": {
                f"c{n}": one(n, {"x": others[n - 1], "y": others[n - 1]}, rude if n == 1 else {})
                for n in numbers
            },
            "work_units": {
                **{f"x{n}": unit("surge-1", [f"c{n}"]) for n in numbers},
                **{f"y{n}": unit("surge-2", [f"c{n}"]) for n in numbers},
            },
        },
        "mturk_evaluation": {"dialogues": {}, "work_units": {}},
    }
