"""What systems say, and what of it gives them away: cases written for the table in docs/design."""

from dataclasses import dataclass

from palaver.core.disguise import Disguise

# A study with an ordinary word, a distinctive name, two models and a name of its researcher's own.
OWN = (
    "echo",
    "chat",
    "happy",
    "tern-v2",
    "a",
    "gpt-4o-mini",
    "claude-3-5-sonnet-20241022",
    "meta-llama/Llama-3.1-8B-Instruct",
)
LISTED = ("Plauderei", "Wisdom Lab", "小语")
STUDY = Disguise(listed=LISTED, own=OWN)
PEOPLE = Disguise(listed=LISTED, own=OWN, as_people=True)


@dataclass(frozen=True)
class Case:
    """A sentence, and what it looks like when it is shown."""

    kind: str
    text: str
    shown: str
    as_people: bool = False


def _caught(kind: str, *pairs: tuple[str, str], as_people: bool = False) -> list[Case]:
    return [Case(kind, text, shown, as_people) for text, shown in pairs]


def _kept(kind: str, *texts: str, as_people: bool = False) -> list[Case]:
    return [Case(kind, text, text, as_people) for text in texts]


MODELS = _caught(
    "models and their versions",
    ("I am GPT-4o, nice to meet you.", "I am …, nice to meet you."),
    ("Well, gpt-4o-mini cannot do that.", "Well, … cannot do that."),
    ("People say GPT 4 is slow.", "People say … is slow."),
    ("My version is GPT‑4 turbo.", "My version is …."),
    ("I run on gpt3.5-turbo these days.", "I run on … these days."),
    ("This is claude-3-5-sonnet speaking.", "This is … speaking."),
    ("They gave me Claude 3.5 Sonnet's weights.", "They gave me … weights."),
    ("I believe I am based on Llama 3.1 8B.", "I believe I am based on …."),
    ("llama-3.1-8b-instruct here", "… here"),
    ("It was Llama-2-70b that wrote this.", "It was … that wrote this."),
    ("I use Mistral-7B.", "I use …."),
    ("Somebody called it Gemini 1.5 Pro.", "Somebody called it …."),
    ("I'm tern-v2.", "I'm …."),
    ("tern_v2 at your service", "… at your service"),
    ("As Qwen2.5, I speak many languages.", "As …, I speak many languages."),
    ("My family is Mixtral 8x7B.", "My family is …."),
)
PRODUCTS = _caught(
    "products and makers that mean nothing else",
    ("ChatGPT is my name.", "… is my name."),
    ("You are talking with ChatGPT.", "You are talking with …."),
    ("I come from OpenAI.", "I come from …."),
    ("Anthropic's guidelines forbid it.", "… guidelines forbid it."),
    ("The people at DeepSeek would know.", "The people at … would know."),
    ("Ask Hugging Face.", "Ask …."),
    ("I was BlenderBot once.", "I was … once."),
    ("No, I'm not ChatGPT!", "No, I'm not …!"),
    ("Both CHATGPT and openai are trademarks.", "Both … and … are trademarks."),
    ("Welcome to the Wisdom Lab!", "Welcome to the …!"),
    ("wisdom lab made this", "… made this"),
    ("Plauderei sagt hallo.", "… sagt hallo."),
)
SELF = _caught(
    "an ordinary word as one's own name",
    ("I am Echo.", "I am …."),
    ("I'm Echo, and who are you?", "I'm …, and who are you?"),
    ("Hi! My name is echo.", "Hi! My name is …."),
    ("My full name is Echo.", "My full name is …."),
    ("You can call me Echo.", "You can call me …."),
    ("I'm called chat.", "I'm called …."),
    ("Hello, this is Chat.", "Hello, this is …."),
    ("As Echo, I repeat things.", "As …, I repeat things."),
    ("Echo here! How are you?", "… here! How are you?"),
    ("You are chatting with Echo now.", "You are chatting with … now."),
    ("i am echo, a chatbot", "i am …, a chatbot"),
    ("I am “Echo”.", "I am “…”."),
    ("I'm **Echo**!", "I'm **…**!"),
    ("Best wishes\n- Echo", "Best wishes\n- …"),
    ("I am Claude.", "I am …."),
    ("My name is Claude and I like to help.", "My name is … and I like to help."),
    ("I'm Gemini, how can I help?", "I'm …, how can I help?"),
    ("I am Happy.", "I am …."),
    ("Of course, Claude can do this.", "Of course, … can do this."),
    ("They call it Llama, you know.", "They call it …, you know."),
)
MAKERS = _caught(
    "makers that one may also talk about",
    ("I am a large language model trained by Google.", "I am a large language model trained by …."),
    ("I was made by Meta.", "I was made by …."),
    ("I was developed and trained by Microsoft.", "I was developed and trained by …."),
    ("I'm an AI assistant from Amazon.", "I'm an AI assistant from …."),
    ("My creators at Google taught me.", "My creators at … taught me."),
    ("I am Google's language model.", "I am … language model."),
    ("I'm a chatbot built by the team at Baidu.", "I'm a chatbot built by the team at …."),
    ("I was created by a team at Cohere.", "I was created by a team at …."),
)
UNLISTED = _caught(
    "names that nobody listed, of machines",
    ("I'm Zylo, an AI assistant.", "I'm …, an AI assistant."),
    ("My name is Aria, a virtual assistant.", "My name is …, a virtual assistant."),
    (
        "I am a language model developed by Foobar Labs.",
        "I am a language model developed by ….",
    ),
    ("I was programmed by Initech to listen.", "I was programmed by … to listen."),
)
FOREIGN = _caught(
    "other languages",
    ("Ich bin ChatGPT, ein Sprachmodell von OpenAI.", "Ich bin …, ein Sprachmodell von …."),
    ("Ich heiße Echo.", "Ich heiße …."),
    ("Ich wurde von Google trainiert.", "Ich wurde von … trainiert."),
    ("Je suis Claude, un assistant.", "Je suis …, un assistant."),
    ("Je m'appelle Écho, développé par Meta.", "Je m'appelle Écho, développé par …."),
    ("Me llamo Echo.", "Me llamo …."),
    ("Soy un modelo entrenado por Google.", "Soy un modelo entrenado por …."),
    ("我是ChatGPT，由OpenAI开发。", "我是…，由…开发。"),
    ("我是通义千问。", "我是…。"),
    ("大家好，我是小语！", "大家好，我是…！"),
    ("Меня зовут Echo.", "Меня зовут …."),
    ("Я ChatGPT от OpenAI.", "Я … от …."),
    ("私はGPT-4です。", "私は…です。"),
    ("Ｉ ａｍ ＣｈａｔＧＰＴ", "Ｉ ａｍ …"),
    ("ChatGPT'nin adı bu.", "…'nin adı bu."),
    ("Ben ChatGPT'yim.", "Ben …'yim."),
)
PASSING = _caught(
    "being a machine, where a system passes for a person",
    ("As an AI language model, I cannot eat.", "As an …, I cannot eat."),
    ("I'm just a chatbot.", "I'm just a …."),
    ("I am an artificial intelligence.", "I am an …."),
    ("Als KI habe ich keinen Hunger.", "Als … habe ich keinen Hunger."),
    ("En tant qu'IA, je ne mange pas.", "En tant qu'…, je ne mange pas."),
    ("Soy un modelo de lenguaje.", "Soy un …."),
    ("作为一个人工智能助手，我不吃饭。", "作为一个…，我不吃饭。"),
    as_people=True,
)
ORDINARY = _kept(
    "ordinary words",
    "I could hear an echo in the valley.",
    "Echo is a nymph in a Greek myth.",
    "Let us chat about it.",
    "Chat is fun. I like to chat.",
    "I am happy to help you.",
    "I'm happy, and you?",
    "I am a teacher.",
    "This is a long story.",
    "My name is Anna.",
    "I'm Anna, a nurse from Leeds.",
    "Call me later.",
    "I saw a llama at the zoo.",
    "Llamas spit when they are angry.",
    "Claude Monet painted water lilies.",
    "I love the music of Claude Debussy.",
    "My star sign is Gemini.",
    "The mistral blew for three days.",
    "A falcon sat on the roof.",
    "Shakespeare was called the Bard.",
    "I googled it yesterday.",
    "You can find it on Google.",
    "My phone was made by Apple.",
    "I have a laptop that was built by Microsoft.",
    "I was trained by Coach Miller.",
    "I was raised by my grandmother.",
    "The palm of my hand hurts.",
    "I am writing an open letter.",
    "As chat rooms go, this one is nice.",
    "My sister works at Amazon.",
    "I want to open an AI book one day.",
    "I'm a model in Paris.",
    "I am an assistant at a dental clinic.",
    "As a rule, I sleep late.",
    "The titan of industry spoke.",
    "Pi is about 3.14.",
    "I am 4 years older than you.",
    "The first turn is yours.",
    "I'm meta about these things.",
    "Ich bin Lehrer und wohne in Wien.",
    "Je suis content d'être ici.",
    "Mein Handy ist von Samsung.",
    "我是一个老师。",
    "Ich habe das Echo gehört.",
    "Turn to page 4o, as it says.",
    "The plover and the tern are birds.",
)
HUMAN = _kept(
    "what people say of themselves and of machines",
    "I am not a robot, I promise.",
    "My brother builds robots.",
    "I am a nurse, and AI worries me.",
    "As a student I used a language model once.",
    "I'm a bit tired.",
    as_people=True,
)

CASES = [
    *MODELS,
    *PRODUCTS,
    *SELF,
    *MAKERS,
    *UNLISTED,
    *FOREIGN,
    *PASSING,
    *ORDINARY,
    *HUMAN,
]


# Written after the rules and never used to change them: what the rules do on text they do not know.
FRESH_CAUGHT = _caught(
    "fresh: names",
    (
        "Sure! I'm ChatGPT, built on the GPT-4 architecture.",
        "Sure! I'm …, built on the … architecture.",
    ),
    (
        "I'm Claude, created by Anthropic. Nice to meet you!",
        "I'm …, created by …. Nice to meet you!",
    ),
    ("Hey there, Echo speaking.", "Hey there, … speaking."),
    ("You may call me Chat.", "You may call me …."),
    ("The name's Echo.", "The name's …."),
    ("People usually know me as Echo.", "People usually know me as …."),
    (
        "As a large language model by Meta, I don't have feelings.",
        "As a large language model by …, I don't have feelings.",
    ),
    ("I'm powered by gpt-4o.", "I'm powered by …."),
    ("Under the hood I am llama3.", "Under the hood I am …."),
    ("My training at Google ended in 2023.", "My training at … ended in 2023."),
    ("Google trained me on many books.", "… trained me on many books."),
    ("Well, OpenAI's policy says no.", "Well, … policy says no."),
    ("I am an assistant called Tern-V2.", "I am an assistant called …."),
    ("I'm Nova, your AI companion.", "I'm …, your AI companion."),
    ("Mein Name ist Claude.", "Mein Name ist …."),
    (
        "Ich bin ein von Google entwickeltes Sprachmodell.",
        "Ich bin ein von … entwickeltes Sprachmodell.",
    ),
    ("Soy ChatGPT, desarrollado por OpenAI.", "Soy …, desarrollado por …."),
    ("Sono un assistente creato da Google.", "Sono un assistente creato da …."),
    (
        "Je suis un modèle de langage entraîné par Google.",
        "Je suis un modèle de langage entraîné par ….",
    ),
    ("저는 ChatGPT입니다.", "저는 …입니다."),
    ("أنا ChatGPT من OpenAI.", "أنا … من …."),
    ("我是由DeepSeek开发的助手。", "我是由…开发的助手。"),
    ("Kimi ChatGPT? That's me!", "Kimi …? That's me!"),
    ("Hi, I am echo.", "Hi, I am …."),
    ("i'm claude btw", "i'm … btw"),
)
FRESH_KEPT = _kept(
    "fresh: ordinary",
    "Echo chambers are a problem online.",
    "The word 'chat' is French for cat.",
    "Happy birthday!",
    "Are you happy? I am, very much.",
    "I'm chatting with my aunt later.",
    "I have two uncles, Claude and Ernie.",
    "We took the palm tree picture in Nice.",
    "Do you use Gmail or something by Microsoft?",
    "I bought a book on Amazon.",
    "I was named after my grandfather.",
    "I am called upon to speak.",
    "As happy as a lark.",
    "This is chat number two.",
    "I am the echo of my father.",
    "My mother calls me Bunny.",
    "I was designed for this life.",
    "The house was built by Wren.",
    "I love Apple pie.",
    "I am as calm as the sea.",
    "My name is Ernestine.",
    "I'm Nora, your neighbour.",
    "Soy de Madrid.",
    "Ich arbeite bei Google.",
    "Als Kind war ich oft krank.",
    "Je suis allé au marché.",
)
CASES += FRESH_CAUGHT + FRESH_KEPT


def shown(case: Case) -> str:
    """What a participant is shown of a case."""
    return (PEOPLE if case.as_people else STUDY).mask(case.text)


def measured() -> dict[str, tuple[int, int]]:
    """How many cases of each kind come out as written here, of how many."""
    counts: dict[str, tuple[int, int]] = {}
    for case in CASES:
        right, of = counts.get(case.kind, (0, 0))
        counts[case.kind] = (right + (shown(case) == case.shown), of + 1)
    return counts
