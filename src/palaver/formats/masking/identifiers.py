"""Bank accounts and identity numbers: by their check digits, or because the sentence says so."""

import re
from collections.abc import Callable, Iterator

from palaver.formats.masking import checksums
from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

# Country → length of an IBAN (ISO 13616 registry).
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
    "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "XK": 20,
}  # fmt: skip
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}", re.IGNORECASE | re.ASCII)


def _compact(number: str) -> str:
    return re.sub(r"[^0-9A-Z]", "", number.upper())


def _security_number(compact: str) -> bool:
    area, group, serial = compact[:3], compact[3:5], compact[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _always(_: str) -> bool:
    return True


# A shape that is an identity number wherever it stands, with what checks it.
_SHAPES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    (r"\d{3}-\d{2}-\d{4}", _security_number),
    # United Kingdom: national insurance.
    (r"(?!BG|GB|NK|KN|TN|NT"
        r"|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ -]?\d\d[ -]?\d\d[ -]?\d\d[ -]?[A-D]", _always),
    (r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", checksums.spanish),
    (r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", checksums.italian),
    (r"\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]", lambda code: checksums.finnish(code[:6] + code[-4:])),
    (r"(?:19|20)?\d{6}[-+]\d{4}", lambda digits: checksums.luhn(digits[-10:])),
    (r"[1-9]\d{5}(?:19|20)\d{9}[\dX]", checksums.chinese),
    (r"[12][ ]?\d\d[ ]?\d\d[ ]?\d\d[ ]?\d{3}[ ]?\d{3}[ ]?\d\d", checksums.french),
    (r"\d{3}\.\d{3}\.\d{3}-\d\d|\d{11}", checksums.brazilian),
    (r"\d{11}", checksums.polish),
    (r"\d\d[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}", checksums.german),
    (r"756[.]?\d{4}[.]?\d{4}[.]?\d\d", checksums.swiss),
    (r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", checksums.indian),
    # Mexico: CURP.
    (r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", _always),
)  # fmt: skip
_SHAPED = tuple(
    (re.compile(rf"(?<![\w.+-])(?:{shape})(?![\w-])", re.ASCII), check) for shape, check in _SHAPES
)
# A number has two digits, one that is known by its shape six; most texts have neither.
_FEWEST_DIGITS, _SHAPED_DIGITS = 2, 6

# What people call their numbers, in a few languages.
_SAID = re.compile(
    r"""(?<!\w)(?:
      (?:my[ ])?(?:ssn|social(?:[ ]security)?|national[ ]insurance|ni|nin|nino|nhs|medicare
        |medicaid|tax(?:payer)?
        |itin|ein|sin|tfn|aadhaar|aadhar|pan|passport|passnummer|reisepass|pass|ausweis|personalausweis
        |driv(?:er'?s?|ing)[ ]licen[cs]e|licen[cs]e|id(?:entity)?(?:[ ]card)?|national[ ]id
          |student|matriculation
        |employee|staff|worker|patient|member(?:ship)?|customer|account|konto|bank[ ]account
          |sort[ ]code|routing
        |policy|insurance|prolific|mturk|number[ ]plate|licen[cs]e[ ]plate|plate|registration|visa
          |green[ ]card)
      (?:[ ](?:number|no|nr|num|id|code|card))?
     |steuer-?id|steuernummer|sozialversicherungsnummer|versicherungsnummer|matrikelnummer
       |personalausweisnummer
     |ausweisnummer|reisepassnummer|kontonummer|kennzeichen|kundennummer|bsn|burgerservicenummer
       |rijksregisternummer
     |dni|nie|nif|curp|rfc|rut|c[ée]dula|pasaporte|n[uú]mero[ ]de[ ](?:pasaporte|identidad
       |la[ ]seguridad[ ]social)
     |codice[ ]fiscale|carta[ ]d'identità|patente|passaporto|cpf|rg|nis|cnpj|passaporte
     |num[ée]ro[ ]de[ ](?:s[ée]cu(?:rit[ée][ ]sociale)?|passeport)|num[ée]ro[ ](?:insee|fiscal)
       |passeport|nir
     |pesel|nip|dow[oó]d(?:[ ]osobisty)?|personnummer|henkil[öo]tunnus|hetu|cpr(?:-nummer)?|ahv
       (?:-nummer)?
     |身份证号?码?|护照号?码?|マイナンバー|주민등록번호|паспорт|инн|снилс)
    (?:[ ]?(?:\#|number|no|nr|nummer|n[º°]|code|id)\b\.?)?
    [ ]?(?:is|are|was|ist|lautet|es|est|è|é|jest|är|er|是|は|:|=|-|,)?[ ]?[:=]?[ ]?[\#"']?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAID_WORDS = vocabulary(
    "ssn social insurance ni nin nino nhs medicare medicaid tax taxpayer itin ein sin tfn aadhaar "
    "aadhar pan passport "
    "reisepass pass ausweis personalausweis license licence id identity national student "
    "matriculation employee staff worker patient "
    "member membership customer account konto code routing policy prolific mturk plate "
    "registration visa card passnummer "
    "steuer steuerid steuernummer sozialversicherungsnummer versicherungsnummer matrikelnummer "
    "personalausweisnummer "
    "ausweisnummer reisepassnummer kontonummer kennzeichen kundennummer bsn burgerservicenummer "
    "rijksregisternummer dni nie "
    "nif curp rfc rut cédula cedula pasaporte identidad seguridad fiscale identità patente "
    "passaporto cpf rg nis cnpj "
    "passaporte sécu secu sécurité passeport insee fiscal nir pesel nip dowód dowod personnummer "
    "henkilötunnus "
    "henkilotunnus hetu cpr ahv паспорт инн снилс"
)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_GROUPED = re.compile(r"[ ]?[A-Z]{0,6}\d[A-Z0-9./-]*|[ ][A-Z]\b", re.IGNORECASE)


def find_identifiers(reading: ReadText) -> Iterator[Find]:
    """The bank accounts and identity numbers of a text."""
    text = reading.text
    if reading.digits < _FEWEST_DIGITS:
        return
    if reading.digits >= _SHAPED_DIGITS:
        yield from _ibans(text)
        for shape, check in _SHAPED:
            for found in shape.finditer(text):
                if check(_compact(found.group())):
                    yield Find(*found.span(), "id")
    for cue in _SAID.finditer(text) if reading.has_any(_SAID_WORDS) or _has_han(text) else ():
        end = _number_end(text, cue.end())
        if end is not None:
            yield Find(cue.end(), end, "id")


def _has_han(text: str) -> bool:
    """Whether a text is written without spaces, so that its words are not told apart."""
    return not text.isascii() and _HAN.search(text) is not None


def _ibans(text: str) -> Iterator[Find]:
    for found in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(found.group()[:2].upper())
        compact = _compact(found.group())
        if length is None or len(compact) < length or not checksums.iban(compact[:length]):
            continue
        end, left = found.start(), length
        while left:
            left -= text[end].isalnum()
            end += 1
        if end == len(text) or not text[end].isalnum():
            yield Find(found.start(), end, "iban")


def _number_end(text: str, start: int) -> int | None:
    """Where the number that stands here ends; None where none does."""
    end, limit = start, min(len(text), start + 40)
    while end < limit and (group := _GROUPED.match(text, end, limit)):
        if end == start and group.group().startswith(" "):
            return None
        end = group.end()
    while end > start and not text[end - 1].isalnum():
        end -= 1
    given = text[start:end]
    digits = sum(char.isdigit() for char in given)
    return end if digits >= 4 or (digits >= 2 and len(_compact(given)) >= 6) else None
