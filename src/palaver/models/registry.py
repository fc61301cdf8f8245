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
        "bargain-words": "palaver.models.bargain.kinds:BargainTalk",
        "bargain-transformer": "palaver.models.bargain.kinds:BargainTransformer",
        "bargain-words-reinforce": "palaver.models.bargain.reinforce:BargainWordsReinforce",
        "bargain-acts": "palaver.models.acts.kinds:BargainActsKind",
        "deal-acts": "palaver.models.acts.kinds:DealActsKind",
        "deal-acts-reinforce": "palaver.models.acts.reinforce_kinds:DealActsReinforce",
        "bargain-acts-reinforce": "palaver.models.acts.reinforce_kinds:BargainActsReinforce",
        "friends-graph": "palaver.models.friends.kinds:FriendsGraph",
        "friends-transformer": "palaver.models.friends.kinds:FriendsTransformer",
        "dialeval-bilstm": "palaver.models.dialeval.kinds:DialEvalBiLstm",
        "dialeval-turns": "palaver.models.dialeval.kinds:DialEvalTurns",
        "advice-transformer": "palaver.models.advice.kinds:AdviceTransformer",
        "language-game": "palaver.models.language.kinds:LanguageGame",
        "language-advice": "palaver.models.language.kinds:LanguageAdvice",
        "language-dialeval": "palaver.models.language.kinds:LanguageDialEval",
        "majority": "palaver.models.baselines.kinds:Majority",
        "return-context": "palaver.models.baselines.kinds:ReturnContext",
        "ngrams": "palaver.models.baselines.kinds:NGrams",
        "averages": "palaver.models.baselines.kinds:WordAverages",
    },
    see=" See: palaver train --list.",
)
