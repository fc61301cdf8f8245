"""Probes cover every shape of input, each field with words of its own."""

import base64

import pytest

from palaver.core.tasks import Task
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.tasks import builtin_names, builtin_task


@pytest.mark.parametrize("task", [*map(builtin_task, builtin_names())], ids=lambda t: t.name)
def test_every_field_of_every_probe_is_one_the_task_takes(task: Task) -> None:
    for probe in make_probes(task):
        values = probe.example.values
        assert set(values) == {each.name for each in task.asked}
        for each in task.asked:
            each.check(values[each.name], values)


def test_nli_is_asked_short_in_other_scripts_and_very_long() -> None:
    probes = {each.name: each.example.values for each in make_probes(builtin_task("nli"))}

    assert list(probes) == [
        "short",
        "non-ascii",
        "odd-characters",
        "long-context",
        "long-hypothesis",
    ]
    assert probes["short"]["context"] != probes["short"]["hypothesis"]
    assert not probes["non-ascii"]["hypothesis"].isascii()
    assert len(probes["long-context"]["context"].split()) >= 513
    assert len(probes["long-hypothesis"]["hypothesis"].split()) >= 513
    assert len(probes["long-hypothesis"]["context"].split()) < 513


def test_ids_are_distinct() -> None:
    uids = [each.example.uid for each in make_probes(builtin_task("qa"))]

    assert len(set(uids)) == len(uids)


def test_languages_are_codes_in_every_probe() -> None:
    probes = make_probes(builtin_task("flores"))

    assert {each.example.values["targetLanguage"] for each in probes} == {"fra"}
    assert {each.example.values["sourceLanguage"] for each in probes} == {"eng"}


def test_a_long_dialogue_has_many_turns() -> None:
    probes = {each.name: each for each in make_probes(builtin_task("response-generation"))}

    turns = probes["long-turns"].example.values["turns"]
    assert sum(len(turn["text"].split()) for turn in turns) >= 513


def test_an_image_is_a_real_one() -> None:
    address = make_probes(builtin_task("vqa"))[0].example.values["image"]

    assert address.startswith("data:image/png;base64,")
    assert base64.b64decode(address.partition(",")[2]).startswith(b"\x89PNG\r\n\x1a\n")
