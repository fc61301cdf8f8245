"""lm-evaluation-harness on a file of questions, asked through its `local-chat-completions` model.

Runs in the environment of `make bench-peers`, where Palaver is not installed.

Run: python -m benchmarks.peer_lm_eval '{"url": URL, "file": FILE, "folder": FOLDER, "in_flight": N}'
"""

import time
from pathlib import Path
from typing import Any

from lm_eval.evaluator import evaluate
from lm_eval.models.openai_completions import LocalChatCompletion
from lm_eval.tasks import TaskManager, get_task_dict

from benchmarks.peer_telling import asked, tell

TASK = """
task: peer
dataset_path: json
dataset_kwargs: {{data_files: {{test: {file}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: [], max_gen_toks: 16, do_sample: false}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true}}
"""


def main() -> None:
    """Evaluate, and tell what it took."""
    given = asked()
    model = LocalChatCompletion(
        base_url=f"{given['url']}/v1/chat/completions",
        model="stub",
        num_concurrent=given["in_flight"],
        tokenizer_backend=None,
        tokenized_requests=False,
    )
    task = _task(given)
    began = time.process_time()
    found = evaluate(lm=model, task_dict=task, apply_chat_template=True, bootstrap_iters=0)
    cpu = time.process_time() - began
    tell("lm-eval", cpu=cpu, score=found["results"]["peer"]["exact_match,none"])


def _task(given: dict[str, Any]) -> dict[str, Any]:
    """The task with its questions read, which is not measured."""
    folder = Path(given["folder"])
    (folder / "peer.yaml").write_text(TASK.format(file=given["file"]), encoding="utf-8")
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found: dict[str, Any] = get_task_dict(["peer"], manager)
    return found


if __name__ == "__main__":
    main()
