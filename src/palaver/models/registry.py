"""Kinds of models by the name that a recipe gives under `model`.

Another package registers one under the entry point `palaver.models`.
"""

from palaver.core.registry import Registry
from palaver.models.learner import ModelKind

MODELS: Registry[type[ModelKind]] = Registry(
    "kind of model",
    "palaver.models",
    {
        "deal-talk": "palaver.models.deal.kinds:DealTalk",
        "deal-transformer": "palaver.models.deal.kinds:DealTransformer",
        "deal-reinforce": "palaver.models.deal.reinforce:DealReinforce",
        "dialeval-bilstm": "palaver.models.dialeval.kinds:DialEvalBiLstm",
        "dialeval-turns": "palaver.models.dialeval.kinds:DialEvalTurns",
        "majority": "palaver.models.baselines.kinds:Majority",
        "return-context": "palaver.models.baselines.kinds:ReturnContext",
        "ngrams": "palaver.models.baselines.kinds:NGrams",
        "averages": "palaver.models.baselines.kinds:WordAverages",
    },
    see=" See: palaver train --list.",
)
