"""Random instances in JSON, and damage to them."""
import gzip


def token(rng, value):
    """A number of a random form: a JSON number or a string."""
    way = rng.randrange(12)
    if way == 0:
        return f'"{rng.randint(-9, 9)}/{rng.randint(0 if rng.random() < 0.02 else 1, 9)}"'
    if way == 1:
        return f'"{rng.randint(-9, 9)}*2^{rng.choice((0, 1, -1, 40, -1080, 65536, 65537, "+3", "03"))}"'
    if way == 2:
        sign, digits = rng.choice(("", "-", "+")), rng.choice(("1", "1.8", ".8", "ffFF", "0", "1.", ""))
        return f'"{sign}0x{digits}{rng.choice(("", "p3", "p-2", "P+1"))}"'
    if way == 3:
        return rng.choice(("1e308", "1.8e308", "5e-324", "2e-324", "3e-324", "-1E-400", "0e99999", "0e-70000",
                           "1e400",
                           "-0", "-0.0", "0.1", "1E2", "12345678901234567890", "18446744073709551616",
                           "1" + "0" * 309,
                           "1" + "0" * 308, "9007199254740993", "-9223372036854775808",
                           "0.30000000000000000000000000001"))
    if way == 4:
        return rng.choice(("01", "1.", ".5", "+1", "1e", "-", "NaN", "Infinity", "null", "true", "0x1", '""',
                           '" 1"', '"1e5"',
                           '".5"', '"5."', '"."', '"1e70000"', '"\\u0031"', '"\\u002d1"', '"1\\/2"', '"inf"',
                           '"--1"', "[1]", "{}"))
    if way == 5:
        return f'"{value!r}"'
    return repr(value)


class Text:
    """The values of an instance's keys as texts; its numbers in odd forms now and then where it is to be damaged."""

    def __init__(self, rng, damage):
        self.rng, self.damage = rng, damage
        self.n, self.T, self.d = rng.randint(1, 3), rng.randint(1, 3), rng.randint(1, 3)
        self.lengths = [self.T] * self.n
        if rng.random() < 0.4:
            self.lengths = [rng.randint(1, self.T) for _ in range(self.n)]
        self.parts = {"X": self.ragged(self.d)}
        if rng.random() < 0.1:
            self.every_token_a_query()
        else:
            self.add_head()
            self.add_setting()
        if rng.random() < 0.15:
            self.parts["offsets"] = self.token_numbers()
        self.change_layout()
        if rng.random() < 0.1:
            self.parts["alpha"] = str([rng.randint(0, length) for length in self.lengths])
        elif rng.random() < 0.1:
            self.parts["alpha"] = str([[rng.randrange(length + (rng.random() < 0.05)) for _ in range(rng.randint(1, 3))]
                                       for length in self.lengths])
        if rng.random() < 0.1:
            self.parts["counts"] = str([rng.choice((1, 2, 3)) for _ in range(sum(self.lengths))])
        if rng.random() < 0.1:
            d = self.d
            self.parts["W0"] = self.listing(*rng.choice(((d, d), (d, 1), (d,), (d, 2), (1,), (1, 1), (2, 1), (2,))))

    def entry(self):
        rng = self.rng
        value = rng.choice((rng.randint(-9, 9), rng.uniform(-2, 2), rng.randint(-9, 9) / 4))
        return token(rng, value) if self.damage and rng.random() < 0.1 else repr(value)

    def listing(self, *shape):
        return "[" + ", ".join(self.listing(*shape[1:]) if len(shape) > 1 else self.entry()
                               for _ in range(shape[0])) + "]"

    def ragged(self, width):
        return "[" + ", ".join(self.listing(length, width) for length in self.lengths) + "]"

    def token_numbers(self):
        return self.rng.choice(("[" + ", ".join(self.listing(length) for length in self.lengths) + "]", self.ragged(1),
                                self.listing(self.n, self.T), self.listing(sum(self.lengths)), self.ragged(self.d)))

    def add_head(self):
        rng, parts = self.rng, self.parts
        head = rng.choice(("linear",) * 5 + ("scores", "cross-entropy", "classifier", "relu"))
        if head == "scores":
            parts["scores"] = self.token_numbers()
        elif head == "cross-entropy":
            targets = [rng.randrange(length + (rng.random() < 0.05)) for length in self.lengths]
            parts["y"] = str(rng.choice((targets, targets, [[t] for t in targets])))
            if rng.random() < 0.6:
                parts["head"] = rng.choice(('"cross-entropy"', '"cross-entropy"', '"cross-\\u0065ntropy"', '"relu"',
                                            '["cross-entropy"]', "0"))
        elif head == "classifier":
            parts["y"] = str([rng.randrange(2 + (rng.random() < 0.05)) for _ in self.lengths])
            parts["U"], parts["head"] = self.listing(rng.choice((1, 2, 2, 2, 2)), self.d), '"classifier"'
        elif head == "relu":
            units = rng.randint(1, 2)
            parts["A"], parts["head"] = self.listing(units, self.d), '"relu"'
            parts["bias"], parts["r"] = self.listing(units), self.listing(units)
        if head in ("linear", "relu") or rng.random() < 0.03:
            labels = [rng.choice((1, -1)) for _ in range(self.n)]
            parts["Y"] = str(rng.choice((labels, [[label] for label in labels])))
        if head == "linear" or rng.random() < 0.03:
            parts["v"] = rng.choice((self.listing(self.d), self.listing(self.d), self.listing(self.d, 1)))

    def add_setting(self):
        rng, parts, setting = self.rng, self.parts, self.rng.randrange(6)
        if setting == 0:
            parts["query"] = rng.choice(("0", "[0]", "-1", str(-min(self.lengths)), str(-self.T), "-1.0", '"last"',
                                         '"0"', "[[0]]", str(min(self.lengths) - 1), '["0"]', '"\\u006cast"', "0.0",
                                         "0e0"))
        elif setting == 1:
            parts["z"] = self.listing(self.n, rng.randint(1, 2))
        elif setting == 2:
            m = rng.randint(1, 2)
            parts["K"] = rng.choice((self.ragged(m), self.listing(self.n, self.T, m),
                                     self.listing(sum(self.lengths), m)))

    def every_token_a_query(self):
        rng, parts = self.rng, self.parts
        parts["setting"] = rng.choice(('"seq2seq"', '"causal"', '"caus\\u0061l"', '"Causal"', "1", '["causal"]'))

        def one_each(values):
            return str(rng.choice(([[rng.choice(values) for _ in range(length)] for length in self.lengths],
                                   [[[rng.choice(values)] for _ in range(length)] for length in self.lengths],
                                   [rng.choice(values) for _ in range(sum(self.lengths))])))

        head = rng.choice(("linear", "places", "places", "cross-entropy", "classifier"))
        if head == "classifier":
            parts["U"], parts["y"], parts["head"] = self.listing(2, self.d), one_each((0, 1)), '"classifier"'
        elif head == "cross-entropy":
            parts["y"] = one_each((0, 0, 0, 0, 1))
        else:
            parts["Y"] = one_each((1, -1, -1.0))
            places = rng.choice((max(self.lengths), max(self.lengths), self.T + 1))
            parts["v"] = self.listing(self.d) if head == "linear" else self.listing(places, self.d)

    def change_layout(self):
        parts, layout = self.parts, self.rng.random()
        if layout < 0.1:
            parts["X"], parts["lengths"] = self.listing(sum(self.lengths), self.d), str(self.lengths)
        elif layout < 0.2:
            parts["X"], parts["lengths"] = self.listing(self.n, self.T, self.d), str(self.lengths)
        elif layout < 0.22:
            parts["lengths"] = str(self.lengths)

    def joined(self):
        rng = self.rng
        pairs = [(f'"{key}"', value) for key, value in self.parts.items()]
        rng.shuffle(pairs)
        if self.damage and rng.random() < 0.1:
            key = rng.choice(pairs)[0].strip('"')
            pairs.append((rng.choice((f'"{key}"', f'"\\u{ord(key[0]):04x}{key[1:]}"',
                                      f'"\\u{ord(key[0]):04X}{key[1:]}"', '"x"', '""')), "[1]"))
        elif rng.random() < 0.1:
            key, value = pairs[0]
            pairs[0] = f'"\\u{ord(key[1]):04x}{key[2:]}', value
        space = rng.choice(("", " ", "\n", "\r\n\t"))
        return ("{" + (space + "," + space).join(key + space + ":" + space + value for key, value in pairs) + "}"
                + space).encode()


def damaged(rng, data):
    """Pieces put into the text, or left out."""
    at = rng.randrange(len(data) + 1)
    piece = rng.choice((b"", b"\0", b",", b"]", b"[", b"}", b'"', b"\\", b"\xff", b"\xc3\xa9",
                        b"\xed\xa0\x80", b"\f", b"1", b"-", b"\\ud800",
                        b"//", b"\xef\xbb\xbf", b"{}", bytes((rng.randrange(256),))))
    return rng.choice((data[:at] + piece + data[at + rng.randrange(2):], data + piece, piece + data,
                       data + b"\0" + data))


def packed(rng, data, damage):
    """As gzip data."""
    whole = gzip.compress(data, mtime=0)
    way = rng.randrange(6) if damage else 9
    if way == 0:
        return whole + rng.choice((b"\0", whole, gzip.compress(b""), b"\x1f\x8b"))
    if way == 1:
        return whole[:-rng.randrange(1, 20)]
    if way == 2:
        at = rng.randrange(len(whole))
        return whole[:at] + bytes((whole[at] ^ 1 << rng.randrange(8),)) + whole[at + 1:]
    if way == 3:
        return gzip.compress(data[:9], mtime=0) + gzip.compress(data[9:], mtime=0)
    return whole


def text(rng):
    """(bytes, whether anything was damaged) of an instance in JSON."""
    damage = rng.random() < 0.6
    data = Text(rng, damage).joined()
    if damage and rng.random() < 0.4:
        data = damaged(rng, data)
    if rng.random() < 0.2:
        data = packed(rng, data, damage)
    return data, damage
