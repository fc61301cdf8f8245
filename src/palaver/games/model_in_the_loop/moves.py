"""The moves of a session: what a writer and the model in the loop do, and what each carries.

    try         {"values": {field: value}}: the inputs, and the writer's gold for the targets
    answer      {"values": {output: value}, "wrong": true | false | null, "seconds": s, "notes": […]}
    unanswered  {"kind": "timeout", "text": "…"}: no answer came; it costs no try
    judge       {"wrong": true | false, "label": "…"}: where a person must say whether it was wrong,
                and what would have been right
    keep        {"number": n, "why": "…", "why_model": "…"}: the writer stands by the n-th try, which
                fooled the model; without `number` by the last one. In talk {"number": n, "label": "…",
                …}: the n-th turn of the system is wrong, and how. (Pages know events under other
                numbers than the store does, so tries go by their own.)
    stop        {}: no more tries, though some are left
    skip        {}: another text, please

In talk both seats send messages instead. After the end a writer may `retract` (`{"seq": n}`), and an
owner gives a `verdict` (`{"seq": n, "verdict": "correct", "by": "…", "why": "…"}`; null takes it back).
"""

WRITER, MODEL = 0, 1

TRY = "try"
ANSWER = "answer"
UNANSWERED = "unanswered"
JUDGE = "judge"
KEEP = "keep"
STOP = "stop"
SKIP = "skip"

GAME_NAME = "model_in_the_loop"

# Why a session ended that was given back for another text.
SKIPPED = "skipped"
