"""Names of language models and their makers: the words in which a system gives itself away."""

import re
from collections.abc import Iterable

# What may stand between the parts of a name: "GPT-4", "gpt 4", "GPT4" with a hyphen that does not break.
JOINT = r"[-\s_./:\u2010-\u2015]?"
TIGHT = r"[-_./:\u2010-\u2015]?"
# Models and makers whose names mean nothing else; parts after a hyphen may be joined in any way.
KNOWN = (
    "ChatGPT",
    "OpenAI",
    "Anthropic",
    "DeepSeek",
    "DeepMind",
    "Hugging-Face",
    "EleutherAI",
    "Mistral-AI",
    "Meta-AI",
    "Inflection-AI",
    "Character-AI",
    "Moonshot-AI",
    "Zhipu",
    "Qwen",
    "QwQ",
    "Mixtral",
    "Codestral",
    "Pixtral",
    "BlenderBot",
    "DialoGPT",
    "ChatGLM",
    "InternLM",
    "WizardLM",
    "StableLM",
    "OpenChat",
    "OpenAssistant",
    "Baichuan",
    "Nemotron",
    "Replika",
    "ERNIE-Bot",
    "Bing-Chat",
    "Google-Bard",
    "Google-Assistant",
    "Microsoft-Copilot",
    "GitHub-Copilot",
    "文心一言",
    "通义千问",
    "通義千問",
    "豆包",
    "讯飞星火",
    "智谱",
    "深度求索",
    "ЧатГПТ",
    "ГигаЧат",
    "YandexGPT",
    "GigaChat",
)
SIZE = r"\d+(?:\.\d+)*(?:x\d+)?[a-z]{0,2}"
TIER = r"(?:sonnet|opus|haiku|instant|pro|ultra|nano|flash|mini|large|medium|small|turbo|chat|instruct)"
HYPHEN = r"[-_\u2010-\u2015]"
# What may follow the name of a model: its version, its size, its tier.
TAIL = rf"(?:{HYPHEN}?{SIZE}|\s\d+(?:x\d+)?b|{JOINT}{TIER})*"
# Families of models with a version or a tier behind them.
VERSIONED = (
    rf"(?:chat)?gpt{JOINT}{SIZE}{TAIL}",
    rf"(?:claude|llama|gemini|mistral|gemma|grok|falcon|palm|phi|vicuna|alpaca|zephyr|jamba|orca|yi|"
    rf"granite|command|nova|kimi|glm|ernie)(?:{HYPHEN}?{SIZE}|\s\d[\d.]*[a-z]{{0,2}})\b{TAIL}",
    rf"(?:claude|gemini|mistral)[-\s]{TIER}",
    r"command[-\s]r\+?",
    r"o[134]-(?:mini|preview|pro)",
)
# Models and makers that are words, first names or companies one may talk about.
WORDS = frozenset(
    [
        "claude",
        "llama",
        "gemini",
        "mistral",
        "falcon",
        "bard",
        "copilot",
        "grok",
        "gemma",
        "palm",
        "phi",
        "pi",
        "alpaca",
        "vicuna",
        "orca",
        "cohere",
        "titan",
        "nova",
        "bloom",
        "jamba",
        "zephyr",
        "dolly",
        "ernie",
        "kimi",
        "granite",
        "siri",
        "alexa",
        "cortana",
        "tay",
        "cleverbot",
        "meta",
        "google",
        "microsoft",
        "amazon",
        "apple",
        "alibaba",
        "tencent",
        "baidu",
        "bytedance",
        "nvidia",
        "ibm",
        "samsung",
        "xai",
        "nous",
        "perplexity",
        "databricks",
        "salesforce",
        "yandex",
        "sber",
        "huawei",
        "gpt",
    ]
)
# Those of them that no dictionary has in small letters.
NO_WORDS = frozenset({"claude", "gpt", "cohere", "nvidia", "alibaba", "tencent", "baidu", "xai"})

# The first words of what `VERSIONED` finds, and words by which a machine speaks of itself.
FAMILIES = frozenset({"yi", "command", "glm", "chatgpt", "o"})
ABOUT_MACHINES = frozenset(
    [
        "ai",
        "ia",
        "ki",
        "model",
        "modelo",
        "modèle",
        "llm",
        "bot",
        "chatbot",
        "robot",
        "machine",
        "assistant",
        "assistente",
        "asistente",
        "agent",
        "program",
        "intelligence",
        "inteligencia",
        "intelligenz",
        "sprachmodell",
        "computerprogramm",
        "programmed",
        "created",
        "built",
        "developed",
        "designed",
        "engineered",
        "made",
        "creator",
        "creators",
        "maker",
        "makers",
        "developers",
    ]
)


def names_of(kind: str, options: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The names in a system's settings: its model's id, whole, without its owner and without dates."""
    names = [kind] if kind.casefold() in WORDS or kind == "openai" else []
    for key, value in options:
        if key.casefold().rpartition("_")[2] in {"model", "engine", "deployment", "agent"}:
            model = value.rstrip("/")
            bare = model.rpartition("/")[2].partition(":")[0]
            undated = re.sub(r"[-_@]?(?:20\d\d[-_]?\d\d[-_]?\d\d|\d{4}|latest|preview)$", "", bare)
            names += [model, bare, undated]
    return tuple(dict.fromkeys(name for name in names if name))
