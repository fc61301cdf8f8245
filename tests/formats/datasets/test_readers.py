"""Every outside format in the fields of its task: small files of our own, and two real samples."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.tasks import builtin_task
from palaver.formats.datasets.reader import ReadRow, SourceFile
from palaver.formats.datasets.registry import DATASET_READERS, detect_reader
from support.shared import SHARED

SAMPLES = SHARED / "data" / "datasets"
needs_samples = pytest.mark.skipif(not SAMPLES.is_dir(), reason="no shared samples here")


def lines(*records: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, records))


def rows(reader: str, *paths: Path) -> list[ReadRow]:
    files = [SourceFile(path, path.name) for path in paths]
    return list(DATASET_READERS.get(reader).read(files))


def read(reader: str, *paths: Path) -> list[dict[str, Any]]:
    """The records, each of which the reader's task takes."""
    found = [row.record for row in rows(reader, *paths) if row.record is not None]
    for task in map(builtin_task, DATASET_READERS.get(reader).tasks):
        for record in found:
            task.read_example(record)
    return found


def detected(task: str, *paths: Path) -> str:
    known = builtin_task(task)
    fields = {each.name for each in known.asked} | set(known.gold.values())
    files = [SourceFile(path, path.name) for path in paths]
    return detect_reader(files, task=task, fields=fields).name


SNLI = {"pairID": "3#1", "sentence1": "It rains.", "sentence2": "It is wet.", "captionID": "x"}


def test_snli_leaves_out_what_nobody_agreed_on(tmp_path: Path) -> None:
    file = tmp_path / "snli.jsonl"
    file.write_text(lines({**SNLI, "gold_label": "entailment"}, {**SNLI, "gold_label": "-"}))

    assert detected("nli", file) == "snli"
    assert read("snli", file) == [
        {
            "uid": "3#1",
            "context": "It rains.",
            "hypothesis": "It is wet.",
            "label": "entailed",
            "tags": [],
        }
    ]
    assert rows("snli", file)[1].left_out == "the annotators did not agree on a label"


def test_mnli_is_read_from_tabs_with_quotes_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "dev_matched.tsv"
    file.write_text(
        "index\tpairID\tsentence1\tsentence2\tgold_label\n"
        '0\t63735n\tHe said "no.\tHe agreed.\tcontradiction\r\n'
    )

    assert detected("nli", file) == "snli"
    assert read("snli", file)[0]["context"] == 'He said "no.'
    assert read("snli", file)[0]["label"] == "contradictory"


def test_anli_codes_are_labels_of_today(tmp_path: Path) -> None:
    file = tmp_path / "dev.jsonl"
    record = {"uid": "u1", "context": "c", "hypothesis": "h", "reason": "because"}
    file.write_text(lines(*({**record, "label": code} for code in "enc")))

    assert [each["label"] for each in read("anli", file)] == [
        "entailed",
        "neutral",
        "contradictory",
    ]


RELEASED = {
    "anli": (
        "nli",
        {"uid": "u", "context": "c", "hypothesis": "h", "label": "e"},
        {"model_label": "n", "emturk": True, "genre": "wiki", "reason": "so", "tag": "r1"},
    ),
    "dynasent": (
        "sentiment",
        {"text_id": "t", "sentence": "s", "gold_label": "positive"},
        {"hit_ids": ["y"], "model_0_label": "neutral", "has_prompt": True},
    ),
    "hate": (
        "hs",
        {"id": "i", "text": "t", "answer": "hate"},
        {"type": "derogation", "target": "women", "level": "original", "round.base": 2},
    ),
    "adversarial-qa": (
        "qa",
        {"id": "i", "context": "It is wet.", "question": "q", "answers": {"text": ["wet"]}},
        {"title": "Rain", "metadata": {"split": "train"}},
    ),
    "advqa": (
        "vqa",
        {"question_id": 1, "question_str": "q", "image_name": "a.jpg", "answers": ["wet"]},
        {"image_id": 7},
    ),
}


@pytest.mark.parametrize("reader", RELEASED)
def test_columns_of_released_sets_that_no_field_holds_are_kept(reader: str, tmp_path: Path) -> None:
    task, record, rest = RELEASED[reader]
    file = tmp_path / "released.jsonl"
    file.write_text(lines({**record, **rest}))

    assert detected(task, file) == reader
    (found,) = read(reader, file)
    assert found["metadata"] == rest
    assert builtin_task(task).read_example(found).metadata == rest


def test_hans_tags_and_two_right_labels(tmp_path: Path) -> None:
    file = tmp_path / "hans.jsonl"
    hans = {"template": "temp1", "heuristic": "lexical_overlap", "subcase": "ln_subject"}
    file.write_text(lines({**SNLI, **hans, "gold_label": "non-entailment"}))

    assert detected("nli", file) == "hans"
    (record,) = read("hans", file)
    assert record["label"] == ["neutral", "contradictory"]
    assert record["tags"] == ["Template:temp1", "Heuristic:lexical_overlap", "Subcase:ln_subject"]


def test_winogender_pairs_keep_apart_items_of_one_pair(tmp_path: Path) -> None:
    file = tmp_path / "axg.jsonl"
    pair = {"pair_id": 551, "premise": "p", "hypothesis": "h", "label": "not_entailment"}
    file.write_text(lines(pair, {**pair, "label": "entailment"}))

    assert detected("nli", file) == "winogender"
    found = read("winogender", file)
    assert [each["uid"] for each in found] == ["551", "551-2"]
    assert [each["label"] for each in found] == [["neutral", "contradictory"], "entailed"]


def test_stress_tests_are_tagged_by_file(tmp_path: Path) -> None:
    files = [tmp_path / "negation.jsonl", tmp_path / "antonym.jsonl"]
    for file in files:
        file.write_text(lines({**SNLI, "gold_label": "neutral"}))

    found = read("stress", *files)
    assert [each["tags"] for each in found] == [["negation"], ["antonym"]]
    assert len({each["uid"] for each in found}) == 2


def test_dynasent_leaves_out_what_has_no_one_sentiment(tmp_path: Path) -> None:
    file = tmp_path / "dynasent.jsonl"
    sentence = {"text_id": "r1-0", "sentence": "Fine."}
    labels = ["positive", "mixed", None, "neutral"]
    file.write_text(lines(*({**sentence, "gold_label": label} for label in labels)))

    assert detected("sentiment", file) == "dynasent"
    assert [each["label"] for each in read("dynasent", file)] == ["positive", "neutral"]


def test_hate_speech_by_either_name_of_its_columns(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.csv"
    old.write_text(lines({"id": 7, "text": "I like you.", "answer": "nothate"}))
    new.write_text('acl.id,X1,text,label\nacl1,1,"You, there",hate\n')

    assert detected("hs", old) == detected("hs", new) == "hate"
    assert read("hate", old)[0] == {
        "uid": "7",
        "statement": "I like you.",
        "label": "not-hateful",
        "tags": [],
    }
    assert (read("hate", new)[0]["statement"], read("hate", new)[0]["label"]) == (
        "You, there",
        "hateful",
    )


@needs_samples
def test_the_real_sample_of_hatecheck() -> None:
    file = SAMPLES / "hatecheck_sample.csv"

    assert detected("hs", file) == "hatecheck"
    found = read("hatecheck", file)
    assert len(found) == 30
    assert found[0] == {
        "uid": "2219",
        "statement": "I live with two women. ",
        "label": "not-hateful",
        "tags": ["Functionality:ident_neutral_nh", "Target:women", "Label:not-hateful"],
    }
    about_things = [each for each in found if "target_obj" in each["tags"][0]]
    assert all(not tag.startswith("Target:") for each in about_things for tag in each["tags"])


@needs_samples
def test_the_real_sample_of_mrqa_with_a_header_and_packed(tmp_path: Path) -> None:
    sample = (SAMPLES / "mrqa_newsqa_sample.jsonl").read_bytes()
    file = tmp_path / "NewsQA.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"header": {"dataset": "NewsQA"}}\n' + sample))

    assert detected("qa", file) == "mrqa"
    found = read("mrqa", file)
    expected = [
        (question["qid"], question["question"])
        for line in sample.splitlines()
        for question in json.loads(line)["qas"]
    ]
    assert [(each["uid"], each["question"]) for each in found] == expected
    assert found[0]["answer"] == ["three different videos"]


def test_mrqa_answers_that_do_not_stand_in_the_context_give_way_to_detected_ones(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mrqa.jsonl"
    question = {
        "qid": "q",
        "question": "Who?",
        "answers": ["the king", "Ann"],
        "detected_answers": [{"text": "The king"}],
    }
    file.write_text(lines({"context": "The king met Ann.", "qas": [question]}))

    assert read("mrqa", file)[0]["answer"] == ["Ann", "The king"]


def squad(**question: Any) -> dict[str, Any]:
    asked = {"id": "q1", "question": "Where?", **question}
    paragraph = {"context": "Paris is in France.", "qas": [asked]}
    return {"version": "1.1", "data": [{"title": "t", "paragraphs": [paragraph]}]}


def test_squad_pretty_printed_with_every_answer_once(tmp_path: Path) -> None:
    file = tmp_path / "dev-v1.1.json"
    answers = [{"text": "France", "answer_start": 12}] * 2 + [{"text": "in France"}]
    file.write_text(json.dumps(squad(answers=answers), indent=2))

    assert detected("qa", file) == "squad"
    assert read("squad", file) == [
        {
            "uid": "q1",
            "context": "Paris is in France.",
            "question": "Where?",
            "answer": ["France", "in France"],
            "tags": [],
        }
    ]


def test_squad_2_questions_without_an_answer_have_the_empty_one(tmp_path: Path) -> None:
    file = tmp_path / "dev-v2.0.json"
    file.write_text(json.dumps(squad(answers=[], is_impossible=True)))

    assert read("squad", file)[0]["answer"] == [""]


@pytest.mark.parametrize(
    "answers", [[{"text": "France"}, {"text": "Paris"}], {"text": ["France"], "answer_start": [12]}]
)
def test_adversarial_qa_takes_the_first_answer(tmp_path: Path, answers: Any) -> None:
    file = tmp_path / "aqa.jsonl"
    record = {"id": "a", "context": "Paris is in France.", "question": "Where?"}
    file.write_text(lines({**record, "answers": answers}))

    assert detected("qa", file) == "adversarial-qa"
    assert read("adversarial-qa", file)[0]["answer"] == "France"


def test_advqa_keeps_every_annotator(tmp_path: Path) -> None:
    file = tmp_path / "advqa.json"
    question = {
        "question_id": 5,
        "question_str": "What colour?",
        "image_id": 9,
        "image_name": "COCO_9.jpg",
        "answers": [{"answer": "red"}, {"answer": "red"}, {"answer": "blue"}],
        "answer_type": "other",
    }
    file.write_text(json.dumps([question]))

    assert detected("vqa", file) == "advqa"
    assert read("advqa", file) == [
        {
            "uid": "5",
            "image": "COCO_9.jpg",
            "question": "What colour?",
            "answers": ["red", "red", "blue"],
            "tags": ["Answer type:other"],
            "metadata": {"image_id": 9},
        }
    ]


def test_flores_reads_a_folder_in_every_direction(tmp_path: Path) -> None:
    for language, text in {
        "eng": "One.\nTwo.\n",
        "fra": "Un.\nDeux.",
        "deu": "Eins.\nZwei.",
    }.items():
        (tmp_path / f"{language}.dev").write_text(text)
    (tmp_path / "README.md").write_text("not a language")

    assert detected("flores", tmp_path) == "flores"
    found = read("flores", tmp_path)
    assert len(found) == 3 * 2 * 2
    assert {
        "uid": "1-eng-fra-dev",
        "sourceLanguage": "eng",
        "targetLanguage": "fra",
        "sourceText": "Two.",
        "targetText": "Deux.",
        "tags": ["eng-fra"],
    } in found
    assert len({each["uid"] for each in found}) == len(found)


def test_flores_files_must_be_aligned_and_of_one_split(tmp_path: Path) -> None:
    for name, text in {
        "eng.dev": "One.\nTwo.",
        "fra.dev": "Un.",
        "fra.devtest": "Un.\nDeux.",
    }.items():
        (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=r"eng\.dev 2, fra\.dev 1"):
        read("flores", tmp_path / "eng.dev", tmp_path / "fra.dev")
    with pytest.raises(InputError, match=r"several splits \(dev, devtest\)"):
        read("flores", tmp_path / "eng.dev", tmp_path / "fra.devtest")
    with pytest.raises(InputError, match="two languages or more"):
        read("flores", tmp_path / "eng.dev")


DCH2 = {
    "id": "9",
    "turns": [
        {"sender": "customer", "utterances": ["It is broken.", "Help."]},
        {"sender": "helpdesk", "utterances": ["Here is a new one."]},
    ],
    "annotations": [
        {"nugget": ["CNUG0", "HNUG*"], "quality": {"A": 2, "S": 1, "E": 1}},
        {"nugget": ["CNUG0", "HNUG"], "quality": {"A": 2, "S": 0, "E": 1}},
        {"nugget": ["CNaN", "HNUG"], "quality": {"A": 1, "S": 0, "E": 1}},
        {"nugget": ["CNUG0", "HNUG"], "quality": {"A": -2, "S": 0, "E": 1}},
    ],
}
TURNS = [
    {"speaker": "customer", "text": "It is broken.\nHelp."},
    {"speaker": "helpdesk", "text": "Here is a new one."},
]


QUALITY = {
    "A": {"2": 2, "1": 1, "0": 0, "-1": 0, "-2": 1},
    "S": {"2": 0, "1": 1, "0": 3, "-1": 0, "-2": 0},
    "E": {"2": 0, "1": 4, "0": 0, "-1": 0, "-2": 0},
}
NUGGET = [{"CNUG0": 3, "CNUG": 0, "CNUG*": 0, "CNaN": 1}, {"HNUG": 3, "HNUG*": 1, "HNaN": 0}]
COUNTS = {**DCH2, "nugget": NUGGET, "quality": QUALITY}
del COUNTS["annotations"]


@pytest.mark.parametrize("dialogue", [DCH2, COUNTS], ids=["annotations", "counts"])
def test_dch2_dialogues_are_items_of_either_task(tmp_path: Path, dialogue: dict[str, Any]) -> None:
    file = tmp_path / "dev_en.json"
    file.write_text(json.dumps([dialogue, {"id": "10", "turns": DCH2["turns"]}]))

    assert detected("dialogue-quality", file) == "dch2-quality"
    assert detected("dialogue-nugget", file) == "dch2-nugget"
    shared = {"uid": "9", "turns": TURNS, "tags": []}
    assert read("dch2-quality", file) == [{**shared, **QUALITY}]
    assert read("dch2-nugget", file) == [{**shared, "nugget": NUGGET}]
    assert rows("dch2-quality", file)[1].left_out == "nobody judged its quality"
    assert rows("dch2-nugget", file)[1].left_out == "nobody judged its nuggets"


def test_a_file_of_our_own_with_nuggets_is_not_taken_for_dch2(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(lines({"uid": "9", "turns": TURNS, "nugget": NUGGET}))
    assert detected("dialogue-nugget", file) == "palaver"


def test_dch2_annotations_that_do_not_fit_are_named(tmp_path: Path) -> None:
    file = tmp_path / "dev_en.json"
    file.write_text(json.dumps([{**DCH2, "annotations": [{"nugget": ["CNUG0"]}]}]))

    (row,) = rows("dch2-nugget", file)
    assert row.problem == "Dialogue '9', annotation 1: 2 turns need one nugget each; got 1."


def test_our_own_shape_comes_first_and_tables_have_tags_in_a_cell(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("uid,context,hypothesis,label,tags\n1,c,h,e,Genre:a; hard\n")

    assert detected("nli", file) == "palaver"
    assert read("palaver", file)[0]["tags"] == ["Genre:a", "hard"]


def test_records_without_what_the_format_has_are_named_by_line(tmp_path: Path) -> None:
    file = tmp_path / "snli.jsonl"
    file.write_text(lines({**SNLI, "gold_label": "neutral"}, {"pairID": "x"}))

    assert [row.problem for row in rows("snli", file)] == [
        "",
        "A SNLI or MNLI record has 'gold_label'; this one has: pairID.",
    ]


def test_a_file_that_is_in_no_known_format_says_what_it_has(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n")

    with pytest.raises(InputError, match=r"its records have 'a', 'b'; expected 'uid', 'context'"):
        detected("nli", file)


def test_tables_that_are_no_tables_are_named(tmp_path: Path) -> None:
    file = tmp_path / "broken.csv"
    file.write_text("uid,statement,label\n1,a\n")
    with pytest.raises(
        InputError, match=r"broken\.csv:2: the header has 3 columns, this line has 2"
    ):
        read("palaver", file)
    file.write_bytes(b"uid,statement,label\n1,\xff,hateful\n")
    with pytest.raises(InputError, match=r"broken\.csv is not UTF-8 text"):
        read("palaver", file)
    file.with_suffix(".txt").write_text("just words")
    with pytest.raises(InputError, match=r"broken\.txt:1: neither JSON nor a table"):
        read("palaver", file.with_suffix(".txt"))


def test_cells_with_line_breaks_are_counted_by_the_line_they_begin_in(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text('uid,statement,label\r\n1,"a\r\nb",hateful\r\n2,c,hateful\r\n')

    assert [(row.line, row.record["statement"]) for row in rows("palaver", file) if row.record] == [
        (2, "a\r\nb"),
        (4, "c"),
    ]


def test_readers_have_the_names_they_are_registered_under() -> None:
    for name in DATASET_READERS.names():
        reader = DATASET_READERS.get(name)
        assert reader.name == name
        assert reader.about
    with pytest.raises(UnknownNameError, match="Near: 'snli'"):
        DATASET_READERS.get("snl")
