"""Check digits of card, bank and identity numbers."""

from collections.abc import Sequence


def luhn(digits: str) -> bool:
    """Whether the last digit is right by Luhn's sum (cards, Swedish and Canadian numbers).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for n, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + n % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and total > 0


def iban(compact: str) -> bool:
    """Whether the remainder of an IBAN is 1 (ISO 13616).

    >>> iban("GB82WEST12345698765432"), iban("GB82WEST12345698765433")
    (True, False)
    """
    moved = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def spanish(number: str) -> bool:
    """Whether the letter of a DNI or NIE is right.

    >>> spanish("12345678Z"), spanish("X1234567L"), spanish("12345678A")
    (True, True, False)
    """
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


def italian(code: str) -> bool:
    """Whether the last letter of a codice fiscale is right.

    >>> italian("RSSMRA85T10A562S"), italian("RSSMRA85T10A562T")
    (True, False)
    """
    odd = (
        1,
        0,
        5,
        7,
        9,
        13,
        15,
        17,
        19,
        21,
        2,
        4,
        18,
        20,
        11,
        3,
        6,
        8,
        12,
        14,
        16,
        10,
        22,
        25,
        24,
        23,
    )
    total = 0
    for n, char in enumerate(code[:15]):
        value = int(char) if char.isdigit() else ord(char) - ord("A")
        total += value if n % 2 else odd[value]
    return chr(ord("A") + total % 26) == code[15]


def finnish(code: str) -> bool:
    """Whether the last character of a Finnish code (without its separator) is right.

    >>> finnish("131052308T"), finnish("131052308U")
    (True, False)
    """
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(code[:9]) % 31] == code[9]


def chinese(number: str) -> bool:
    """Whether the last of the 18 characters of a Chinese identity number is right.

    >>> chinese("11010519491231002X"), chinese("110105194912310021")
    (True, False)
    """
    total = sum(int(digit) * pow(2, 17 - n, 11) for n, digit in enumerate(number[:17]))
    return "10X98765432"[total % 11] == number[17]


def french(number: str) -> bool:
    """Whether the key of a French social security number of 15 digits is right.

    >>> french("255081416802538"), french("255081416802539")
    (True, False)
    """
    return 97 - int(number[:13]) % 97 == int(number[13:])


def brazilian(digits: str) -> bool:
    """Whether both check digits of a CPF are right.

    >>> brazilian("52998224725"), brazilian("52998224724")
    (True, False)
    """
    for length in (9, 10):
        weights = range(length + 1, 1, -1)
        rest = _weighted(digits[:length], list(weights)) * 10 % 11 % 10
        if rest != int(digits[length]):
            return False
    return len(set(digits)) > 1


def polish(digits: str) -> bool:
    """Whether the last digit of a PESEL is right.

    >>> polish("44051401359"), polish("44051401358")
    (True, False)
    """
    return (10 - _weighted(digits[:10], [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10) % 10 == int(
        digits[10]
    )


def german(digits: str) -> bool:
    """Whether the last digit of a German tax number is right (ISO 7064, mod 11, 10).

    >>> german("86095742719"), german("86095742718")
    (True, False)
    """
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def swiss(digits: str) -> bool:
    """Whether the last digit of an AHV number is right (EAN-13).

    >>> swiss("7569217076985"), swiss("7569217076986")
    (True, False)
    """
    return (10 - _weighted(digits[:12], [1, 3] * 6) % 10) % 10 == int(digits[12])


def indian(digits: str) -> bool:
    """Whether the last digit of an Aadhaar number is right (Verhoeff).

    >>> indian("234123412346"), indian("234123412347")
    (True, False)
    """
    check = 0
    for n, digit in enumerate(reversed(digits)):
        check = _dihedral(check, _permuted(int(digit), n % 8))
    return check == 0


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _dihedral(one: int, other: int) -> int:
    """The product of two elements of the dihedral group of order ten."""
    if one < 5:
        return (one + other) % 5 if other < 5 else (one + other - 5) % 5 + 5
    return (one - 5 - other) % 5 + 5 if other < 5 else (one - other) % 5


def _permuted(digit: int, times: int) -> int:
    for _ in range(times):
        digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
    return digit
