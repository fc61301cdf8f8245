"""The words after which a name may stand: "my name is", "Dear", "Kind regards", in many languages."""

import re
from enum import Enum

from palaver.formats.masking.reading import vocabulary


class Cue(Enum):
    SURE = "sure"
    UNSURE = "unsure"
    DOUBTFUL = "doubtful"


_RELATIONS = (
    "wife|husband|partner|girlfriend|boyfriend|fianc[ée]e?|son|daughter|brother|sister|mother"
    "|father|mum|mom|dad|mama|papa"
    "|uncle|aunt|cousin|nephew|niece|grandma|grandpa|grandmother|grandfather|friend|bestie|buddy"
    "|roommate|flatmate"
    "|housemate|neighbou?r|boss|manager|supervisor|colleague|coworker|co-worker|teacher|professor"
    "|doctor|therapist"
    "|dentist|landlord|ex|baby|kid|child|twin"
)
_RELATIONS_ELSEWHERE = (
    "frau|mann|freund|freundin|sohn|tochter|bruder|schwester|chef|chefin|femme|mari|fils|fille"
    "|frère|sœur|ami|amie"
    "|mujer|esposa|esposo|marido|hijo|hija|hermano|hermana|amigo|amiga|moglie|marito|figlio|figlia"
    "|fratello|sorella|amico|amica"
)
_RELATION_WORDS = (
    _RELATIONS.replace("|", " ")
    .replace("[ée]e?", "é fiancée fiance fiancee")
    .replace("neighbou?r", "neighbour neighbor")
)
_ELSEWHERE_WORDS = _RELATIONS_ELSEWHERE.replace("|", " ")
_APOSTROPHE = "['’]"
_FULL = r"(?:(?:full|first|last|real|given|family|middle|maiden|nick|legal|sur)[ -]?)?"

# Words without one of which a pattern finds nothing, the pattern (the name begins where it ends), and
# how sure it is.
_CUES: tuple[tuple[str, str, Cue], ...] = (
    ("name names", rf"(?:my|his|her|their|your|{_RELATIONS}(?:{_APOSTROPHE}s))[ ]{_FULL}name"
        rf"(?:{_APOSTROPHE}?s|[ ]is|[ ]was)(?:[ ]actually|[ ]also)?", Cue.SURE),
    ("name names", rf"the[ ]name(?:{_APOSTROPHE}s|[ ]is)", Cue.UNSURE),
    ("called named known",
     rf"i(?:{_APOSTROPHE}?m|[ ]am|[ ]was)[ ](?:called|named|known[ ]as)", Cue.SURE),
    ("called named", rf"(?:my|our)[ ](?:\w+[ ])?(?:{_RELATIONS})(?:{_APOSTROPHE}s|[ ]is"
        rf"|[ ]was)?,?[ ](?:called|named)", Cue.SURE),
    (_RELATION_WORDS, rf"(?:my|our)[ ](?:\w+[ ])?(?:{_RELATIONS}),?", Cue.UNSURE),
    (_ELSEWHERE_WORDS, rf"(?:mein|meine|meinen|meinem|meiner|mon|ma|mi|mio|mia|meu|minha)[ ]"
        rf"(?:{_RELATIONS_ELSEWHERE}),?", Cue.DOUBTFUL),
    ("call calls", r"(?:they|people|everyone|everybody|friends|you[ ]can|you[ ]may|just|please"
        r"|folks|family)(?:[ ]all|[ ]just)?[ ]calls?[ ]me", Cue.SURE),
    ("call go", r"(?:call[ ]me|i[ ]go[ ]by)", Cue.UNSURE),
    ("m am", rf"i(?:{_APOSTROPHE}m|[ ]am)", Cue.UNSURE),
    ("im", r"im", Cue.DOUBTFUL),
    ("this it", r"(?:this[ ]is|it[’']?s|it[ ]is)", Cue.DOUBTFUL),
    ("signed", r"signed,?", Cue.UNSURE),
    # German, Dutch, Nordic
    ("heiße heisse heiss", r"(?:ich|i)[ ](?:heiße|heisse|heiss)", Cue.SURE),
    ("name vorname nachname", r"(?:mein|sein|ihr)[ ](?:voller[ ])?(?:vor|nach)?name[ ](?:ist"
        r"|lautet|war)", Cue.SURE),
    ("hier", r"hier[ ](?:ist|spricht|schreibt)(?:[ ](?:der|die))?", Cue.DOUBTFUL),
    ("bin", r"ich[ ]bin(?:[ ](?:der|die))?", Cue.DOUBTFUL),
    ("nenn nennt", r"(?:nenn|nennt)[ ]mich(?:[ ]einfach)?", Cue.UNSURE),
    ("heet naam voornaam achternaam",
     r"ik[ ]heet|(?:mijn|zijn|haar)[ ](?:voor|achter)?naam[ ]is", Cue.SURE),
    ("ben", r"ik[ ]ben", Cue.UNSURE),
    ("heter hedder namn navn nimeni heiti", r"jag[ ]heter|mitt[ ]namn[ ]är|jeg[ ](?:heter|hedder)"
        r"|mitt[ ]navn[ ]er|mit[ ]navn[ ]er|nimeni[ ]on|ég[ ]heiti", Cue.SURE),
    ("är er", r"jag[ ]är|jeg[ ]er", Cue.UNSURE),
    # Romance
    ("appelle nom prénom", rf"je[ ]m{_APOSTROPHE}appelle|(?:mon|son)[ ](?:nom|prénom)"
        rf"(?:[ ]complet)?[ ](?:est|c{_APOSTROPHE}est)", Cue.SURE),
    ("suis", r"je[ ]suis", Cue.UNSURE),
    ("llamo llama nombre apellido", r"me[ ]llamo|se[ ]llama|(?:mi|su)[ ](?:nombre|apellido)"
        r"(?:[ ]completo)?[ ]es", Cue.SURE),
    ("soy", r"(?:yo[ ])?soy", Cue.UNSURE),
    ("chiamo chiama nome cognome", r"mi[ ]chiamo|si[ ]chiama|(?:il[ ])?(?:mio|suo)[ ](?:nome"
        r"|cognome)[ ](?:è|e')", Cue.SURE),
    ("sono", r"(?:io[ ])?sono", Cue.UNSURE),
    ("chamo nome sobrenome", r"(?:eu[ ])?me[ ]chamo|chamo-me|(?:o[ ])?(?:meu|seu)[ ](?:nome"
        r"|sobrenome)(?:[ ]completo)?[ ]é", Cue.SURE),
    ("sou", r"(?:eu[ ])?sou(?:[ ][oa])?", Cue.UNSURE),
    ("numele numesc dic", r"numele[ ]meu[ ]este|mă[ ]numesc|em[ ]dic", Cue.SURE),
    # Slavic and others
    ("nazywam imię jmenuji jmenuju volám zovem ime", r"nazywam[ ]się|mam[ ]na[ ]imię|jmenuji[ ]se"
        r"|jmenuju[ ]se|volám[ ]sa|zovem[ ]se|ime[ ]mi[ ]je", Cue.SURE),
    ("jestem", r"jestem", Cue.UNSURE),
    ("зовут звати имя ім казвам",
     r"меня[ ]зовут|мене[ ]звати|мо[её][ ]имя|моє[ ]ім'я|казвам[ ]се", Cue.SURE),
    ("adım adim nevem λένε όνομά nama tên jina", r"(?:benim[ ])?ad[ıi]m|a[ ]nevem|με[ ]λένε"
        r"|το[ ]όνομά[ ]μου[ ]είναι|nama[ ]saya(?:[ ]adalah)?|tên[ ]tôi[ ]là|tôi[ ]tên[ ]là"
        r"|jina[ ]langu[ ]ni", Cue.SURE),
    ("اسمي إسمي שמי קוראים मेरा", r"اسمي|إسمي|שמי|קוראים[ ]לי|मेरा[ ]नाम", Cue.SURE),
)  # fmt: skip
_GREETINGS = (
    r"dear|hi|hello|hey|hiya|heya|hii+|heyy+|yo|greetings|welcome|thanks|thank[ ]you|thx|bye"
    r"|goodbye|good[ ]?night|good[ ]morning"
    r"|good[ ]afternoon|good[ ]evening|(?:nice|good|great|lovely|pleased)[ ]to[ ]meet[ ]you"
    r"(?:[ ]too)?|congratulations|congrats|happy[ ]birthday|sorry"
    r"|hallo|liebe|lieber|guten[ ](?:tag|morgen|abend)|sehr[ ]geehrter?|moin|servus|grüß[ ]dich"
    r"|danke|tschüss|freut[ ]mich"
    r"|bonjour|bonsoir|salut|cher|chère|coucou|merci|enchantée?|hola|querid[oa]|estimad[oa]"
    r"|buenos[ ]días|gracias|mucho[ ]gusto|encantad[oa]"
    r"|ciao|car[oa]|buongiorno|buonasera|salve|grazie|piacere|gentile|olá|oi|bom[ ]dia|prezad[oa]"
    r"|obrigad[oa]|beste|hoi|dag|geachte"
    r"|hej|hei|cześć|drog[ia]|witaj|привет|здравствуйте|дорог(?:ой|ая)|merhaba|selam|ahoj"
)
_TITLES = (
    r"Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Madam|Herrn?|Frau|Mme|Mlle|Madame|Monsieur|Señora?"
    r"|Sra?|Doña|Signora?|Sig|Dott|Dottoressa|Senhora?"
    r"|Dhr|Mevr|Mevrouw|Fru|Mr|Pani|Г-н|Г-жа"
)
TITLED = re.compile(rf"(?<!\w)(?:{_TITLES})\b\.?[ ](?:(?:Dr|Prof)\.?[ ])?(?=[^\W\d_])")
NO_TITLED = vocabulary(
    "pepper bean president who strange universe right chairman speaker robot or and world"
)
GREETING = re.compile(rf"(?<!\w)(?:{_GREETINGS}),?[ ](?=[^\W\d_])", re.IGNORECASE)
CUE_PATTERNS = tuple(
    (
        vocabulary(words),
        re.compile(
            rf"(?<![\w'’])(?:{pattern})[ ]?[:,]?[ ]{{1,2}}[\"“„*]{{0,2}}(?=[^\W\d_])", re.IGNORECASE
        ),
        certainty,
    )
    for words, pattern, certainty in _CUES
)
# Word → the numbers of the patterns that need it or one like it.
CUES_BY_WORD: dict[str, list[int]] = {}
for _number, (_needed, _pattern, _certainty) in enumerate(CUE_PATTERNS):
    for _trigger in _needed:
        CUES_BY_WORD.setdefault(_trigger, []).append(_number)
SPEAKING_WORDS = vocabulary("speaking here calling writing again from")
HERE_WORDS = vocabulary("here speaking")
TITLE_WORDS = vocabulary(
    _TITLES.replace("|", " ").replace("n?", " herrn").replace("a?", " señora sra signora senhora")
)
GREETING_WORDS = vocabulary(
    "dear hi hello hey hiya heya yo greetings welcome thanks thank thx bye goodbye goodnight "
    "night morning afternoon evening meet "
    "congratulations congrats birthday sorry hallo liebe lieber guten geehrte geehrter moin "
    "servus grüß danke tschüss freut "
    "bonjour bonsoir salut cher chère coucou merci enchanté enchantée hola querido querida "
    "estimado estimada buenos gracias gusto encantado "
    "encantada ciao caro cara buongiorno buonasera salve grazie piacere gentile olá oi bom "
    "prezado prezada obrigado obrigada beste hoi dag "
    "geachte hej hei cześć drogi droga witaj привет здравствуйте дорогой дорогая merhaba selam "
    "ahoj hii hiii heyy heyyy"
)
CLOSING_WORDS = vocabulary(
    "best kind kindest warm warmest many with regards sincerely yours cheers thanks thank love "
    "xoxo xx xxx take respectfully cordially signed "
    "mit viele liebe beste herzliche schöne lg mfg vg gruß grüße cordialement bien bises "
    "amicalement saludo saludos abrazo atentamente "
    "besos cordiali distinti saluto abbraccio presto abraços abraço atenciosamente att beijos "
    "groet groetjes groeten vriendelijke "
    "vänliga vänlig mvh hilsen pozdrawiam уважением"
)
LABELLED = re.compile(
    r"(?:^|(?<=[\n,;(|]))[ ]{0,3}(?:my[ ])?(?:(?:full|first|last|given|family|middle)[ ]?|sur|vor"
    r"|nach)?(?:name|nom|prénom|nombre|apellido|nome|cognome|naam|imię|nazwisko|имя|姓名|名前|氏名)"
    r"[ ]?[:=：][ ]{0,3}(?=[^\W\d_])",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"(?:^|(?<=[\n.!?,;)]))[ ]{0,3}(?:(?:(?:all[ ]the[ ])?best|kind|kindest|warm|warmest|best|many"
    r"|with[ ]kind|with[ ]best)(?:[ ](?:wishes|regards|greetings))?|regards|sincerely"
    r"(?:[ ]yours)?"
    r"|yours(?:[ ](?:truly|sincerely|faithfully))?|cheers|thanks(?:[ ](?:again|so[ ]much|a[ ]lot"
    r"|in[ ]advance))?|thank[ ]you|many[ ]thanks|love|lots[ ]of[ ]love|xoxo|xx+|take[ ]care"
    r"|respectfully|cordially|signed"
    r"|mit[ ](?:freundlichen|besten|lieben|herzlichen)[ ]grü(?:ß|ss)en|(?:viele|liebe|beste"
    r"|herzliche|schöne)[ ]grü(?:ß|ss)e|lg|mfg|vg|gruß|grüße"
    r"|cordialement|bien[ ](?:cordialement|à[ ]vous)|bises|amicalement|(?:un[ ])?saludos?|"
    r"(?:un[ ])?abrazo|atentamente|besos"
    r"|cordiali[ ]saluti|distinti[ ]saluti|un[ ]saluto|un[ ]abbraccio|a[ ]presto|abraços"
    r"|um[ ]abraço|atenciosamente|att|beijos"
    r"|groet(?:jes|en)?|met[ ]vriendelijke[ ]groet(?:en)?|(?:med[ ])?vänliga?[ ]hälsningar|mvh"
    r"|hilsen|pozdrawiam|с[ ]уважением)"
    r"[ ]?[,.!~-]{0,3}(?P<gap>[ ]{0,3}\n\s{0,5}|[ ]{1,3})[-–—~]?[ ]?(?=[^\W\d_])",
    re.IGNORECASE,
)
DASHED = re.compile(
    r"(?:\n[ ]{0,3}|[.!?)][ ]{1,3})(?:[-–—~]{1,2}|xx?)[ ]?(?P<name>[^\W\d_][^\n]{1,40}\s*)\Z"
)
LINE_END = re.compile(r"[ ]{0,3}[.!,;:)~xX♥❤️😊🙂-]{0,4}\s{0,3}(?:\Z|\n)")
ENDED = re.compile(r"[ ]?(?:[,.!?:;)\n…\"”]|\Z|[-–—][ ])")
SPEAKING = re.compile(r"[ ](?:speaking|here|calling|writing|again|from)\b", re.IGNORECASE)
HERE = re.compile(
    r"(?:^|(?<=[\n.!?]))[ ]{0,2}(?:(?:hi|hey|hello),?[ ])?(?=[^\W\d_])(?P<name>[\w'’-]{2,20})[ ]"
    r"(?:here|speaking)\b(?=[ ]?[,.!?-]|[ ]?\Z|[ ]again)",
    re.IGNORECASE,
)

# --- Names in scripts without capitals or spaces ---------------------------------------------------

_HAN = r"[\u3400-\u9fff]"
_STOP = (
    "[^，。,.!！？?、；;我是今来很在从你的和叫也有喜想住"
    "就吧呢啊哦了吗说会做学这那她他它们跟与但因所]"
)
CHINESE = re.compile(
    r"(?:我叫|我的名字是|我的名字叫|我名叫|叫我|本人叫|名字是)[ ]?"
    rf"(?P<name>(?:(?={_STOP}){_HAN}){{2,4}}|[A-Za-z]{{2,20}})"
)
JAPANESE = re.compile(
    r"(?:名前は|私は|僕は|俺は)(?P<name>[\u3040-\u30ff\u3400-\u9fffー]{1,8}?)(?P<end>です(?=[。、！!\s]|\Z)|と申します"
    r"|といいます|と言います)"
)
KOREAN = re.compile(
    r"(?:이름은|저는|나는)[ ]?(?P<name>[가-힣]{2,5}?)(?:입니다|이에요|예요|이야|라고)"
)
# "私は学生です" says what somebody is, not who.
SURE_JAPANESE = re.compile(r"名前は|と申します|といいます|と言います")
NO_KOREAN = vocabulary("학생 한국인 의사 선생님 개발자")
