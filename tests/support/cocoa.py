"""Small scenarios and examples in the shapes that files of CoCoA have, one of each game."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

SHAPE = {"unique": False, "multivalued": False, "entity": True}


def attributes(**types: str) -> list[dict[str, Any]]:
    return [{"name": name, "value_type": kind, **SHAPE} for name, kind in types.items()]


FRIENDS_SCENARIO: dict[str, Any] = {
    "uuid": "S_friends",
    "attributes": attributes(Name="name", Hobby="hobby"),
    "alphas": [0.3, 1.0],
    "kbs": [
        [{"Name": "Ada", "Hobby": "Chess"}, {"Name": "Bo", "Hobby": "Go"}],
        [{"Name": "Ada", "Hobby": "Chess"}, {"Name": "Cy", "Hobby": "Judo"}],
    ],
}
FRIENDS_EXAMPLE: dict[str, Any] = {
    "uuid": "C_friends",
    "scenario_uuid": "S_friends",
    "scenario": FRIENDS_SCENARIO,
    "agents": {"0": "human", "1": "rulebased"},
    "agents_info": {"config": "a.json"},
    "outcome": {"reward": 1},
    "events": [
        {"agent": 0, "time": "1500000001.5", "action": "join", "data": "U_1", "start_time": None},
        {"agent": 0, "time": "1500000002.5", "action": "typing", "data": "started"},
        {"agent": 0, "time": "1500000003", "action": "message", "data": "Hi", "metadata": None},
        {
            "agent": 1,
            "time": "1500000004",
            "action": "select",
            "data": {"Name": "Ada", "Hobby": "Chess"},
            "metadata": {"sent": {"logical_form": {"intent": "select"}, "template": ["a"]}},
        },
        {
            "agent": 0,
            "time": "1500000005",
            "action": "select",
            "data": {"Name": "Ada", "Hobby": "Chess"},
        },
        {
            "agent": 0,
            "time": "1500000003",
            "action": "eval",
            "data": {"utterance": "Hi", "labels": {"persuasive": 0}},
        },
    ],
}


def bargain_kb(role: str, target: int) -> dict[str, Any]:
    return {
        "personal": {"Role": role, "Target": target, "Bottomline": None},
        "item": {
            "Title": "Lamp",
            "Category": "furniture",
            "Price": 40,
            "Images": ["furniture/1_0.jpg"],
            "Description": ["Bright.", "Blue."],
        },
    }


BARGAIN_SCENARIO: dict[str, Any] = {
    "uuid": "S_bargain",
    "post_id": "17",
    "category": "furniture",
    "attributes": attributes(
        Role="role",
        Target="price",
        Bottomline="price",
        Title="text",
        Category="text",
        Price="price",
        Images="text",
        Description="text",
    ),
    "kbs": [bargain_kb("buyer", 20), bargain_kb("seller", 40)],
}
BARGAIN_EXAMPLE: dict[str, Any] = {
    "uuid": "C_bargain",
    "scenario_uuid": "S_other",
    "scenario": BARGAIN_SCENARIO,
    "agents": {"0": "human", "1": "human"},
    "agents_info": None,
    "outcome": {"reward": 1, "offer": {"price": 30.0, "sides": ""}},
    "events": [
        {
            "agent": 0,
            "time": "1500000000.25",
            "action": "message",
            "data": "Would you take $30?",
            "start_time": "1499999990",
            "metadata": {"intent": "init-price", "price": 30.0},
        },
        {
            "agent": 1,
            "time": "1500000009",
            "action": "offer",
            "data": {"price": 30.0, "sides": ""},
            "start_time": None,
            "metadata": {"intent": "offer", "price": 30.0},
        },
        {
            "agent": 0,
            "time": "1500000012",
            "action": "accept",
            "data": None,
            "start_time": None,
            "metadata": {"intent": "accept"},
        },
    ],
}

DEAL_SCENARIO: dict[str, Any] = {
    "uuid": "FB_deal",
    "attributes": [{"name": "Name", "value_type": kind, **SHAPE} for kind in ("item", "integer")],
    "kbs": [
        [
            {"Name": "book", "Count": 2, "Value": values[0]},
            {"Name": "hat", "Count": 1, "Value": values[1]},
            {"Name": "ball", "Count": 3, "Value": values[2]},
        ]
        for values in ((1, 2, 2), (3, 4, 0))
    ],
}
DEAL_EXAMPLE: dict[str, Any] = {
    "uuid": "E_deal",
    "scenario_uuid": "FB_deal",
    "scenario": DEAL_SCENARIO,
    "agents": {"0": "rulebased", "1": "fb-neural"},
    "agents_info": {},
    "outcome": {
        "valid_deal": True,
        "agreed": True,
        "reward": {"0": 6, "1": 10},
        "item_split": {
            "0": {"book": 0, "hat": 0, "ball": 3},
            "1": {"book": 2, "hat": 1, "ball": 0},
        },
    },
    "events": [
        {"agent": 1, "time": 0, "action": "message", "data": "books ?", "template": None},
        {
            "agent": 0,
            "time": 1,
            "action": "select",
            "data": {"book": 0, "hat": 0, "ball": 3},
            "template": None,
        },
        {
            "agent": 1,
            "time": 2,
            "action": "select",
            "data": {"book": 2, "hat": 1, "ball": 0},
            "template": None,
        },
    ],
}
EXAMPLES = (FRIENDS_EXAMPLE, BARGAIN_EXAMPLE, DEAL_EXAMPLE)

DEAL_LINE = (
    "<input> 2 1 1 2 3 2 </input> <dialogue> YOU: i want the balls <eos> THEM: ok <eos> "
    "YOU: <selection> </dialogue> <output> item0=0 item1=0 item2=3 item0=2 item1=1 item2=0 "
    "</output> <partner_input> 2 3 1 4 3 0 </partner_input>"
)
OTHER_DEAL_LINE = (
    "<input> 2 3 1 4 3 0 </input> <dialogue> THEM: i want the balls <eos> YOU: ok <eos> "
    "THEM: <selection> </dialogue> <output> item0=2 item1=1 item2=0 item0=0 item1=0 item2=3 "
    "</output> <partner_input> 2 1 1 2 3 2 </partner_input>"
)


def changed(document: dict[str, Any], *steps: str | int, to: Any) -> dict[str, Any]:
    """A copy of the document in which the steps lead to another value."""
    copy = deepcopy(document)
    inner: Any = copy
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = to
    return copy


def write_array(path: Path, *documents: Any) -> Path:
    """A file that holds the documents as one array."""
    path.write_text(json.dumps(list(documents)), encoding="utf-8")
    return path
