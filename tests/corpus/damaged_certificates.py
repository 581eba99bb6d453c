"""malformed/: certificates that depart from the grammar (exit 2)."""
import gzip
import zlib


def numbers(damaged):
    # Numbers: as the squared norm (a rational), a numerator (an integer), a denominator, an index, a count.
    for name, text in {
            "plus": "+1", "minus-zero": "-0", "leading-zero": "01", "unreduced": "2/4", "over-one": "1/1",
            "over-zero": "1/0", "over-negative": "1/-2", "two-slashes": "1/2/3", "decimal": "1.0", "exponent": "1e0",
            "hexadecimal": "0x1", "nan": "nan", "NaN": "NaN", "infinity": "inf", "empty-numerator": "/2",
            "empty-denominator": "1/", "even-mantissa": "2*2^3", "zero-mantissa": "0*2^3", "zero-exponent": "1*2^0",
            "plus-exponent": "1*2^+3", "exponent-limit": "1*2^65537", "exponent-negative-limit": "1*2^-65537",
            "exponent-huge": "1*2^99999999999999999999999999", "exponent-64-bit": "1*2^18446744073709551615",
            "exponent-wrap": "1*2^4294967297", "exponent-leading-zero": "1*2^03", "missing-exponent": "1*2^",
            "base-three": "1*3^2", "underscore": "1_0", "letters": "one", "minus": "-", "two-minus": "--1"}.items():
        damaged(f"norm-{name}", "norm-squared 1\n", f"norm-squared {text}\n")
    for name, text in {"zero": "0", "rational": "1/2", "dyadic": "1*2^1", "minus-zero": "-0", "plus": "+1",
                       "decimal": "1.5", "leading-zero": "-01"}.items():
        damaged(f"numerator-{name}", "0 1 1\n", f"0 1 {text}\n")
    for name, text in {"zero": "0", "negative": "-1", "power-negative": "2^-1", "power-limit": "2^65537",
                       "power-huge": "2^99999999999999999999", "rational": "1/2", "three": "3^2",
                       "leading-zero": "01"}.items():
        damaged(f"denominator-{name}", "separator 1 over 2^0", f"separator 1 over {text}")
    for name, text in {"negative": "-1", "plus": "+0", "leading-zero": "00", "19-digits": "1000000000000000000",
                       "40-digits": "1" * 40, "rational": "1/2"}.items():
        damaged(f"index-{name}", "selection 1 0", f"selection 1 {text}")
    for name, text in {"zero": "0", "two": "2", "huge": "999999999999999999", "negative": "-1",
                       "19-digits": "9223372036854775808", "20-digits": "18446744073709551616"}.items():
        damaged(f"count-{name}", "vector separator 1 over", f"vector separator {text} over")
        damaged(f"selection-count-{name}", "selection 1 0", f"selection {text} 0")
        damaged(f"support-count-{name}", "from 2 size 2", f"from 2 size {'1' if name == 'two' else text}")


def order_and_citations(good, edit, case, damaged):
    damaged("entries-swapped", "0 1 -1\n0 2 1\n", "0 2 1\n0 1 -1\n")
    damaged("entries-repeated", "0 1 -1\n0 2 1\n", "0 1 -1\n0 1 1\n")
    damaged("support-swapped", "size 2\n0 1\n0 2", "size 2\n0 2\n0 1")
    damaged("support-repeated", "size 2\n0 1\n0 2", "size 2\n0 1\n0 1")
    damaged("claim-number-skipped", "claim 3 ", "claim 4 ")
    damaged("claim-number-repeated", "claim 3 ", "claim 2 ")
    damaged("claim-number-zero", "claim 1 ", "claim 0 ")
    damaged("setting-more-words", "setting prompt\n", "setting prompt prompt\n")
    damaged("setting-unknown-stage", "setting prompt\n", "setting text attention\n")
    damaged("setting-next-token-loss", "setting prompt\n", "setting next-token attention\n")
    damaged("control-character", "producer ", "producer \1")
    second = good[good.index("problem 1\n"):good.index("claim 1 ")]
    case("problem-number-repeated", edit(good, "^claim 1 ", second + "claim 1 "))
    damaged("problem-number", "problem 1\nsetting", "problem 2\nsetting")
    damaged("cites-itself", "support problem 1 from 2", "support problem 1 from 3")
    damaged("cites-later", "support problem 1 from 2", "support problem 1 from 5")
    damaged("cites-zero", "support problem 1 from 2", "support problem 1 from 0")
    damaged("cites-far", "support problem 1 from 2", "support problem 1 from 999999999999999999")
    damaged("problem-later", "feasible problem 1", "feasible problem 2")
    damaged("problem-zero", "feasible problem 1", "feasible problem 0")


def words(good, damaged):
    damaged("unknown-kind", "claim 7 globally-optimal", "claim 7 universally-optimal")
    damaged("kind-prefix", "claim 7 globally-optimal", "claim 7 globally")
    damaged("kind-capital", "claim 7 globally-optimal", "claim 7 Globally-optimal")
    damaged("unknown-norm", "norm euclidean", "norm nuclear")
    damaged("unknown-loss", "loss logistic", "loss hinge")
    damaged("unknown-setting", "setting prompt", "setting prompts")
    damaged("unknown-version", "attest-certificate 1\n", "attest-certificate 2\n")
    damaged("unknown-magic", "attest-certificate 1\n", "certificate 1\n")
    damaged("unknown-upper", "upper elimination", "upper bound")
    damaged("unknown-lower", "lower modulus", "lower prime")
    damaged("unknown-line", "claim 7 ", "note hello\nclaim 7 ")
    damaged("vector-name", "vector separator", "vector farkas")
    damaged("vector-missing", "vector separator 1 over 2^0\n0 1 1\n", "")
    damaged("words-left-over", "globally-optimal problem 1\n", "globally-optimal problem 1 1\n")
    damaged("from-left-over", "globally-optimal problem 1\n", "globally-optimal problem 1 from 3\n")
    damaged("producer-one-word", "producer reference 1", "producer reference")
    damaged("producer-three-words", "producer reference 1", "producer reference 1 2")
    damaged("hash-short", "sha256 9", "sha256 ")
    damaged("hash-capital", good[good.index("sha256 "):][:71], good[good.index("sha256 "):][:71].upper())
    damaged("hash-name", "instance sha256", "instance sha1")
    damaged("modulus-rational", "lower modulus 2147483629", "lower modulus 7/2")


def lines(good, case, damaged):
    damaged("two-spaces", "claim 7 ", "claim  7 ")
    damaged("leading-space", "claim 7 ", " claim 7 ")
    damaged("trailing-space", "globally-optimal problem 1\n", "globally-optimal problem 1 \n")
    damaged("tab", "claim 7 ", "claim\t7 ")
    damaged("empty-line", "claim 7 ", "\nclaim 7 ")
    damaged("carriage-return", "globally-optimal problem 1\n", "globally-optimal problem 1\r\n")
    damaged("form-feed", "claim 7 ", "claim 7\f")
    damaged("nul", "claim 7 ", "claim 7\0")
    damaged("delete", "producer reference", "producer refer\x7fence")
    case("crlf", good.replace("\n", "\r\n"))
    case("no-final-line-feed", good[:-1])
    case("second-line-feed", good + "\n")
    case("after-end", good + "claim 9 globally-optimal problem 1\n")
    case("twice", good + good)
    case("non-ascii", good.replace("producer reference", "producer réference"))
    case("non-utf-8", good.encode().replace(b"producer reference", b"producer ref\xff\xfe"))
    case("byte-order-mark", b"\xef\xbb\xbf" + good.encode())
    case("utf-16", good.encode("utf-16"))
    case("empty", "")
    case("one-line-feed", "\n")
    case("no-claims", good[:good.index("claim 1")] + "end problems 1 claims 0 lines 9\n")
    case("no-problems", good[:good.index("problem 1")] + "end problems 0 claims 0 lines 4\n")
    case("header-only", "attest-certificate 1\n")


def ends(good, case):
    end = good[good.index("end problems"):]
    for name, text in {"claims": "end problems 1 claims 7 lines 28\n", "problems": "end problems 2 claims 8 lines 28\n",
                       "lines": "end problems 1 claims 8 lines 27\n", "missing": "",
                       "words": "end problems 1 claims 8\n", "order": "end claims 8 problems 1 lines 28\n",
                       "early": "end problems 1 claims 8 lines 28\n" * 2}.items():
        case(f"end-{name}", good.replace(end, text))
    case("last-claim-cut", good[:good.index("claim 8")] + "end problems 1 claims 8 lines 28\n")


def enclosures(corpus, edit):
    instance, enclosure = corpus.base("ragged-c", "lambda-min")

    def broken_enclosure(name, before, after):
        corpus.case("malformed", name, instance, edit(enclosure, before, after), "2", "ragged-c.json")

    broken_enclosure("bits-missing", r" bits \d+$", "")
    broken_enclosure("bits-negative", r" bits \d+$", " bits -29")
    broken_enclosure("bits-huge", r" bits \d+$", " bits 4097")
    broken_enclosure("bits-28", r" bits \d+$", " bits 28")
    broken_enclosure("bits-zero", r" bits \d+$", " bits 0")
    broken_enclosure("form-unknown", "form lambda-min", "form lambda-max")
    broken_enclosure("form-mixed", "form lambda-min", "form gap")


def compression(good, case):
    packed = gzip.compress(good.encode(), mtime=0)
    case("gzip-truncated", packed[:-9], suffix=".attest.gz")
    case("gzip-wrong-checksum", packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:], suffix=".attest.gz")
    case("gzip-wrong-length", packed[:-1] + bytes([packed[-1] ^ 1]), suffix=".attest.gz")
    case("gzip-trailing-bytes", packed + b"x", suffix=".attest.gz")
    case("gzip-header-only", b"\x1f\x8b", suffix=".attest.gz")
    case("gzip-corrupt", packed[:40] + b"\xff" * 20 + packed[60:], suffix=".attest.gz")
    case("gzip-twice", gzip.compress(packed, mtime=0), suffix=".attest.gz")
    case("gzip-of-a-cut", gzip.compress(good[:-1].encode(), mtime=0), suffix=".attest.gz")
    case("zlib-not-gzip", zlib.compress(good.encode()), suffix=".attest.gz")


def write(corpus, edit):
    instance, good = corpus.base("zero-multiplier")

    def case(name, text, codes="2", suffix=".attest"):
        corpus.case("malformed", name, instance, text, codes, "zero-multiplier.json", suffix)

    def damaged(name, before, after, codes="2"):
        if before not in good:
            raise SystemExit(f"nothing to damage: {before}")
        case(name, good.replace(before, after, 1), codes)

    numbers(damaged)
    order_and_citations(good, edit, case, damaged)
    words(good, damaged)
    lines(good, case, damaged)
    ends(good, case)
    enclosures(corpus, edit)
    compression(good, case)
