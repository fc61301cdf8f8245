import json
import sys

for number, line in enumerate(sys.stdin):
    question = json.loads(line)
    label = "perhaps" if number == 2 else "neutral"
    print(json.dumps({"id": question["uid"], "label": label}), flush=True)
