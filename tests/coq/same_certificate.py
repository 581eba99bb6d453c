#!/usr/bin/env python3
"""same_certificate.py (GIVEN PRINTED)...: is each certificate, printed back from the values that Coq's checker is
given, the one that was read? The same words in the same places, up to how numbers are spelled; a start of zeros may be
`start zero`."""
import gzip
import sys
from fractions import Fraction

if hasattr(sys, 'set_int_max_str_digits'):
    sys.set_int_max_str_digits(0)


def text_of(path):
    data = open(path, 'rb').read()
    return (gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data).decode('ascii')


def value(word):
    """The number that a word spells, or None."""
    try:
        if word.startswith('2^'):
            return Fraction(2) ** int(word[2:])
        mantissa, star, exponent = word.partition('*2^')
        if star:
            return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        numerator, slash, denominator = word.partition('/')
        return Fraction(int(numerator), int(denominator) if slash else 1)
    except ValueError:
        return None


def same_word(given, printed):
    return given == printed or value(given) is not None and value(given) == value(printed)


def same_line(given, printed):
    if given == printed:
        return True
    given, printed = given.split(' '), printed.split(' ')
    if printed == ['start', 'zero'] and given[0] == 'start':
        return all(value(word) == 0 for word in given[2:])
    return len(given) == len(printed) and all(map(same_word, given, printed))


failures = 0
for given, printed in zip(sys.argv[1::2], sys.argv[2::2]):
    lines, back = text_of(given).splitlines(), text_of(printed).splitlines()
    wrong = next((k for k, pair in enumerate(zip(lines, back)) if not same_line(*pair)), None)
    if wrong is None and len(lines) != len(back):
        wrong = min(len(lines), len(back))
    if wrong is not None:
        failures += 1
        show = [text[wrong][:200] if wrong < len(text) else 'nothing' for text in (lines, back)]
        print(f'{given}, line {wrong + 1}: read "{show[0]}", printed back "{show[1]}"')
sys.exit(failures > 0)
