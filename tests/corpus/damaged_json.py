"""JSON instances, each wrong in one place. `good` is the text of the one that is right."""
import json

from instance_files import V, X, Y, Z


def cut(good):
    return {f"cut-{k}": good[:k] for k in (0, 1, 10, len(good) // 2, len(good.rstrip()) - 1)}


def wrong_numbers(good):
    return {f"number-{name}": good.replace("0.25", text) for name, text in {
        "nan": "NaN", "infinity": "Infinity", "negative-infinity": "-Infinity", "plus": "+1", "leading-zero": "01",
        "no-fraction": "1.", "no-whole": ".5", "no-exponent": "1e", "hexadecimal": "0x1", "true": "true",
        "null": "null", "object": "{}", "string": '"x"', "empty-string": '""', "string-nan": '"nan"',
        "string-infinity": '"inf"', "string-over-zero": '"1/0"', "string-space": '" 1"', "beyond-double": "1e400",
        "far-beyond-double": "1e999999999", "tiny-beyond-double": "1e-999999999",
        "rounds-to-zero": "1e-324", "rounds-to-infinity": "1.7976931348623159e308", "exponent-overflow":
        "1e99999999999999999999", "string-exponent": '"1*2^99999999"', "string-exponent-overflow":
        '"1*2^18446744073709551617"', "string-decimal-exponent": '"1e99999999999"', "hex-exponent":
        '"0x1p99999999999"', "minus": "-", "two": "1 2"}.items()}


def wrong_shapes(good):
    return {
        "ragged-row": good.replace("[-0.5, 0.25]", "[-0.5]"),
        "long-row": good.replace("[-0.5, 0.25]", "[-0.5, 0.25, 1]"),
        "empty-row": good.replace("[-0.5, 0.25]", "[]"),
        "scalar-row": good.replace("[-0.5, 0.25]", "0.25"),
        "deep-row": good.replace("[-0.5, 0.25]", "[[-0.5], [0.25]]"),
        "empty-group": good.replace(json.dumps(X[0]), "[]"),
        "no-groups": good.replace(json.dumps(X), "[]"),
        "X-number": good.replace(json.dumps(X), "1"),
        "X-string": good.replace(json.dumps(X), '"X"'),
        "Y-short": good.replace(json.dumps(Y), "[1]"),
        "Y-long": good.replace(json.dumps(Y), "[1, 1, 1]"),
        "Y-zero": good.replace(json.dumps(Y), "[1, 0]"),
        "Y-two": good.replace(json.dumps(Y), "[1, 2]"),
        "Y-half": good.replace(json.dumps(Y), "[1, 0.5]"),
        "Y-nested": good.replace(json.dumps(Y), "[[1, -1]]"),
        "Y-number": good.replace(json.dumps(Y), "1"),
        "v-short": good.replace(json.dumps(V), "[1]"),
        "v-empty": good.replace(json.dumps(V), "[]"),
        "v-nested": good.replace(json.dumps(V), "[[1, -2]]"),
        "z-short": good.replace(json.dumps(Z), "[[1, 2, 0]]"),
        "z-ragged": good.replace(json.dumps(Z), "[[1, 2, 0], [1]]"),
        "z-empty-rows": good.replace(json.dumps(Z), "[[], []]"),
    }


def wrong_keys(good):
    return {
        "missing-X": good.replace('"X"', '"W"'),
        "missing-Y": good.replace('"Y": [1, -1], ', ""),
        "missing-v": good.replace('"v": [1.0, -2.0], ', ""),
        "unknown-key": good.replace('{"X"', '{"note": 1, "X"'),
        "duplicate-key": good.replace('{"X"', '{"v": [1, 2], "X"'),
        "duplicate-by-escape": good.replace('{"X"', '{"\\u0076": [1, -2], "X"'),
        "query-and-z": good.replace('{"X"', '{"query": 0, "X"'),
        "K-and-z": good.replace('{"X"', '{"K": %s, "X"' % json.dumps(X)),
    }


def wrong_tokens(good):
    return {
        "alpha-short": good.replace('{"X"', '{"alpha": [0], "X"'),
        "alpha-beyond": good.replace('{"X"', '{"alpha": [0, 3], "X"'),
        "alpha-negative": good.replace('{"X"', '{"alpha": [0, -1], "X"'),
        "alpha-fraction": good.replace('{"X"', '{"alpha": [0, 0.5], "X"'),
        "alpha-sets-beyond": good.replace('{"X"', '{"alpha": [[0, 1], [3]], "X"'),
        "alpha-sets-first-beyond": good.replace('{"X"', '{"alpha": [[0, 3], [1]], "X"'),
        "alpha-sets-fraction": good.replace('{"X"', '{"alpha": [[0, 1], [0.5]], "X"'),
        "alpha-sets-negative": good.replace('{"X"', '{"alpha": [[0, 1], [-1]], "X"'),
        "alpha-sets-empty": good.replace('{"X"', '{"alpha": [[0, 1], []], "X"'),
        "alpha-sets-short": good.replace('{"X"', '{"alpha": [[0, 1, 2]], "X"'),
        "alpha-sets-long": good.replace('{"X"', '{"alpha": [[0, 1], [1], [1]], "X"'),
        "alpha-sets-wide": good.replace('{"X"', '{"alpha": [[[0, 1]], [[1, 0]]], "X"'),
        "alpha-huge": good.replace('{"X"', '{"alpha": [0, 18446744073709551616], "X"'),
        "query-beyond-end": good.replace('"z": ' + json.dumps(Z), '"query": -4'),
        "query-huge": good.replace('"z": ' + json.dumps(Z), '"query": -18446744073709551616'),
    }


def wrong_scores(good):
    scored = json.dumps({"X": X, "scores": [[1, 2, 3], [4, 5, 6]], "z": Z}) + "\n"
    return {
        "scores-and-Y": good.replace('{"X"', '{"scores": [[1, 2, 3], [4, 5, 6]], "X"'),
        "scores-and-v": good.replace('"Y": [1, -1]', '"scores": [[1, 2, 3], [4, 5, 6]]'),
        "scores-short": scored.replace("[1, 2, 3]", "[1, 2]"),
        "scores-long": scored.replace("[1, 2, 3]", "[1, 2, 3, 4]"),
        "scores-list": scored.replace("[[1, 2, 3], [4, 5, 6]]", "[1, 2, 3, 4, 5, 6]"),
        "scores-deep": scored.replace("[4, 5, 6]", "[[4], [5], [6]]"),
        "scores-pairs": scored.replace("[[1, 2, 3], [4, 5, 6]]",
                                       "[[[1, 1], [2, 2], [3, 3]], [[4, 4], [5, 5], [6, 6]]]"),
        "scores-text": scored.replace("[[1, 2, 3], [4, 5, 6]]", '"1"'),
        "scores-nan": scored.replace("[1, 2, 3]", "[1, NaN, 3]"),
        "scores-empty": scored.replace("[1, 2, 3]", "[]"),
    }


def wrong_counts_and_rows(good):
    return {
        "counts-short": good.replace('{"X"', '{"counts": [1, 1, 1, 1, 1], "X"'),
        "counts-zero": good.replace('{"X"', '{"counts": [1, 1, 1, 0, 1, 1], "X"'),
        "counts-negative": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, -1]], "X"'),
        "counts-fraction": good.replace('{"X"', '{"counts": [1, 1, 1, 1.5, 1, 1], "X"'),
        "counts-huge": good.replace('{"X"', '{"counts": [1, 1, 1, 2147483648, 1, 1], "X"'),
        "counts-turned": good.replace('{"X"', '{"counts": [[1, 1], [1, 1], [1, 1]], "X"'),
        "counts-ragged": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1]], "X"'),
        "counts-nested": good.replace('{"X"', '{"counts": [[[1], [1], [1]], [[1], [1], [1]]], "X"'),
        "counts-text": good.replace('{"X"', '{"counts": "1", "X"'),
        "query-text": good.replace('"z": ' + json.dumps(Z), '"query": "0"'),
        "query-nested": good.replace('"z": ' + json.dumps(Z), '"query": [[0]]'),
        "lengths-of-ragged": good.replace('"z": ' + json.dumps(Z), '"lengths": [2, 2]').replace(", [0.0, 0.0]", ""),
        "lengths-twice": good.replace('"z": ' + json.dumps(Z), '"lengths": [3, 2]').replace(", [0.0, 0.0]", ""),
        "K-rows-without-lengths": good.replace('"z": ' + json.dumps(Z), '"K": [[1], [2], [3], [4], [5], [6]]'),
        "K-ragged-and-lengths": good.replace('"z": ' + json.dumps(Z),
                                             '"K": [[[1], [2], [3]], [[4], [5]]], "lengths": [2, 2]'),
    }


def wrong_texts(good):
    return {
        "nul-and-text": good + "\0{}",
        "duplicate-by-long-escape": good.replace('{"X"', '{"\\u0058": [[[1, 2]]], "X"'),
        "surrogate-pair": good.replace('{"X"', '{"\\ud83d\\ude00": 1, "X"'),
        "top-list": "[" + good + "]",
        "top-number": "1",
        "two-objects": good + good,
        "trailing-text": good + "x",
        "trailing-comma": good.rstrip()[:-1] + ",}",
        "comma-in-row": good.replace("[-0.5, 0.25]", "[-0.5, 0.25,]"),
        "single-quotes": good.replace('"', "'"),
        "comment": good.replace("{", "{/* */", 1),
        "byte-order-mark": b"\xef\xbb\xbf" + good.encode(),
        "utf-16": good.encode("utf-16"),
        "not-utf-8": good.replace('{"X"', '{"\0": 1, "X"').encode().replace(b"\0", b"\xff"),
        "overlong-utf-8": good.replace('{"X"', '{"\0": 1, "X"').encode().replace(b"\0", b"\xc1\x98"),
        "control-character": good.replace('{"X"', '{"\x01": 1, "X"'),
        "lone-surrogate": good.replace('{"X"', '{"\\ud800": 1, "X"'),
        "bad-escape": good.replace('{"X"', '{"\\x41": 1, "X"'),
        "nul": good.replace(" ", "\0", 1),
        "nesting": '{"X": ' + "[" * 20000 + "1" + "]" * 20000 + "}",
        "nesting-open": '{"X": ' + "[" * 20000,
        "nesting-objects": '{"X": ' * 5000,
    }


def wrong_characters(good):
    """What is wrong at a character: of a number, an escape or a bracket."""
    number = {f"number-{name}": good.replace("0.25", text) for name, text in {
        # Halfway to what binary64 holds: rounds to infinity, or to zero.
        "half-beyond": str(2 ** 1024 - 2 ** 970), "half-least": "0." + str(5 ** 1075).zfill(1075),
        "string-point": '"."', "string-minus": '"-"', "string-exponent-alone": '"e5"', "string-two-signs": '"+-1"',
        "string-no-denominator": '"1/"', "string-no-numerator": '"/2"', "string-negative-denominator": '"1/-2"',
        "string-plus-denominator": '"1/+2"', "string-underscore": '"1_0/4"', "string-decimal-denominator": '"1/4.0"',
        "string-no-power": '"1*2^"', "string-power-and-rest": '"1*2^-2y"', "string-letters": '"1a"',
        "hex-no-zero": '"x10"', "hex-capital-no-zero": '"X10"', "hex-no-digits": '"0xp1"', "hex-point": '"0x."',
        "hex-rest": '"0x1p1g"', "hex-two": '"0x0x1"', "string-exponent-beyond": '"0*2^65537"',
        "exponent-beyond": "0e65537"}.items()}
    zero = good.replace('{"X"', '{"%s": 1, "X"')
    return {
        **number,
        "escape-not-hexadecimal": zero % "\\u00g8",
        "escape-short": zero % "\\u58",
        "escape-cut": good.rstrip()[:-1] + ', "\\u00',
        "escape-open": good.rstrip()[:-1] + ', "\\',
        "lone-low-surrogate": zero % "\\udc00",
        "K-deep": json.dumps({"X": X[:1], "Y": Y[:1], "v": V, "K": [[[[1], [2], [3]]]]}),
        "escape-unknown": good.replace('"X"', '"\\X"'),
        "string-open": good.rstrip()[:-1] + ', "',
        "utf-8-cut": good.rstrip().encode() + b"\xc3",
        "no-colon": good.replace('"X":', '"X"'),
        "no-brace": good.rstrip()[:-1] + "\n",
        "no-bracket": json.dumps({"X": X, "Y": Y, "z": Z, "v": V})[:-2] + "}",
        "K-of-fewer-groups": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]]]'),
        "K-of-more-groups": good.replace('"z": ' + json.dumps(Z),
                                         '"K": [[[1], [2], [3]], [[1], [2], [3]], [[1], [2], [3]]]'),
        "K-of-fewer-tokens": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]], [[1], [2]]]'),
        "K-of-more-tokens": good.replace('"z": ' + json.dumps(Z), '"K": [[[1], [2], [3]], [[1], [2], [3], [4]]]'),
        "K-list": good.replace('"z": ' + json.dumps(Z), '"K": [1, 2, 3, 4, 5, 6]'),
        "K-number": good.replace('"z": ' + json.dumps(Z), '"K": 1'),
        "z-list": good.replace(json.dumps(Z), "[1, 2]"),
        "z-number": good.replace(json.dumps(Z), "1"),
        "v-long": good.replace(json.dumps(V), "[1, -2, 0]"),
        "v-number": good.replace(json.dumps(V), "1"),
        "query-list": good.replace('"z": ' + json.dumps(Z), '"query": [0, 0]'),
        "query-number-after": good.replace('"z": ' + json.dumps(Z), '"query": 3'),
        "counts-padding-of-ragged":
            good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, 1]], "X"').replace(", [0.0, 0.0]", ""),
        "counts-more-rows": good.replace('{"X"', '{"counts": [[1, 1, 1], [1, 1, 1], [1, 1, 1]], "X"'),
        "counts-fewer-rows": good.replace('{"X"', '{"counts": [[1, 1, 1]], "X"'),
        "counts-longer-rows": good.replace('{"X"', '{"counts": [[1, 1, 1, 1], [1, 1, 1, 1]], "X"'),
        "counts-long": good.replace('{"X"', '{"counts": [1, 1, 1, 1, 1, 1, 1], "X"'),
        "counts-number": good.replace('{"X"', '{"counts": 1, "X"'),
        "alpha-long": good.replace('{"X"', '{"alpha": [0, 0, 0], "X"'),
        "alpha-nested": good.replace('{"X"', '{"alpha": [[0, 0]], "X"'),
        "start-turned": good.replace('{"X"', '{"W0": [[1, 2], [3, 4], [5, 6]], "X"'),
        "start-list": good.replace('{"X"', '{"W0": [1, 2, 3, 4, 5, 6], "X"'),
        "start-other-width": good.replace('{"X"', '{"W0": [[1, 2], [3, 4]], "X"'),
        "start-of-prompt": good.replace('"z": ' + json.dumps(Z),
                                        '"K": [[[1], [2], [3]], [[1], [2], [3]]], "W0": [1, 2]'),
        "lengths-nested": good.replace('{"X"', '{"lengths": [[3, 3]], "X"'),
        "lengths-more": good.replace('{"X"', '{"lengths": [3, 3, 3], "X"'),
        "lengths-fewer": good.replace('{"X"', '{"lengths": [3], "X"'),
        "scores-wide": good.replace('"Y": [1, -1], "v": [1.0, -2.0]',
                                    '"scores": [[[1, 0], [2, 0], [3, 0]], [[4, 0], [5, 0], [6, 0]]]'),
        "embeddings-alone": good.replace('{"X"', '{"embeddings": [[1, 0], [0, 1]], "X"'),
    }


def illegal(good):
    """name -> text."""
    parts = (cut, wrong_numbers, wrong_shapes, wrong_keys, wrong_tokens, wrong_scores, wrong_counts_and_rows,
             wrong_texts, wrong_characters)
    return {name: text for part in parts for name, text in part(good).items()}
