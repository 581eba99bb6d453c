"""Certificates with a claim about the regularisation path: true in correct/, false in incorrect/, out of the grammar in
malformed/. F and K are those of the exact solution's claim in the family one-group-s, rounded up; what is left across
is that of `attest path` there and in the family ragged-c, which has constraints off the support."""
import re

RADIUS, CONSTANT = "4", "4"
ACROSS = ["from-radius 125*2^-1 residual 3*2^-4", "lambda-min 109*2^-8 bits 98", "vector pull 2 over 2^64",
          "0 0 2025778945928779776", "0 2 -2025778945928779264"]


def with_claim(recount, certificate, words):
    last = len(re.findall("^claim ", certificate, re.M))
    claim = f"claim {last + 1} regularisation-path problem 1 {words}\n"
    return recount(re.sub("^end", claim + "end", certificate, flags=re.M))


RAGGED = ["from-radius 2225 residual 117*2^-6", "lambda-min 185*2^-11 bits 101", "vector pull 8 over 2^64",
          "0 1 -207044004007490208", "0 2 -3230892008873312768", "2 1 -39437585414088990720",
          "2 2 -4101560545298829824", "2 5 -12712962121813143552", "3 1 53966062028034392064",
          "4 0 215866838889402048", "4 1 5508115227157964800"]


def with_residual(recount, certificate, cited, lines):
    """The certificate with a claim path-residual at its end."""
    last = len(re.findall("^claim ", certificate, re.M))
    claim = "\n".join([f"claim {last + 1} path-residual problem 1 from {cited} {lines[0]}", *lines[1:], ""])
    return recount(re.sub("^end", claim + "end", certificate, flags=re.M))


def number_of(certificate, kind):
    return int(re.search(f"^claim (.*) {kind} ", certificate, re.M)[1])


def write(corpus, edit, recount):
    instance, certificate = corpus.base("one-group-s")
    optimal = number_of(certificate, "optimal")

    def case(folder, name, words, codes, certificate=certificate):
        corpus.case(folder, f"path-bound-{name}", instance, with_claim(recount, certificate, words), codes,
                    "one-group-s.json")

    good = f"from {optimal} from-radius {RADIUS} rate-constant {CONSTANT}"
    case("correct", "exact", good, 0)
    case("correct", "far", f"from {optimal} from-radius 1*2^4000 rate-constant {CONSTANT}", 0)
    enclosed = corpus.base("one-group-s", "lambda-min")[1]
    case("correct", "enclosed", good.replace(f"from {optimal}", f"from {number_of(enclosed, 'optimal-enclosure')}"), 0,
         enclosed)
    case("incorrect", "constant", f"from {optimal} from-radius {RADIUS} rate-constant 1", 1)
    case("incorrect", "negative-constant", f"from {optimal} from-radius {RADIUS} rate-constant -{CONSTANT}", 1)
    case("incorrect", "radius", f"from {optimal} from-radius 1 rate-constant {CONSTANT}", 1)
    case("incorrect", "radius-0", f"from {optimal} from-radius 0 rate-constant {CONSTANT}", 1)
    case("incorrect", "negative-radius", f"from {optimal} from-radius -{RADIUS} rate-constant {CONSTANT}", 1)
    support = number_of(certificate, "support")
    case("incorrect", "from-a-support", good.replace(f"from {optimal}", f"from {support}"), 1)
    gap = corpus.base("one-group-s", "gap", "exponential")[1]
    case("incorrect", "from-a-gap", good.replace(f"from {optimal}", f"from {number_of(gap, 'optimal-enclosure')}"), 1,
         gap)
    without_loss = edit(re.sub("^claim .* smoothness .*\n", "", certificate, flags=re.M), "^loss .*", "loss none")
    case("incorrect", "without-a-loss", good, 1, without_loss)
    for family, name in (("tie-p", "tie"), ("any-choice12-c", "worse-token")):
        other, text = corpus.base(family)
        words = f"from {number_of(text, 'optimal')} from-radius 1*2^40 rate-constant 1*2^40"
        corpus.case("incorrect", f"path-bound-{name}", other, with_claim(recount, text, words), 1)
    last = len(re.findall("^claim ", certificate, re.M))
    case("malformed", "of-itself", good.replace(f"from {optimal}", f"from {last + 1}"), 2)
    case("malformed", "of-claim-0", good.replace(f"from {optimal}", "from 0"), 2)
    case("malformed", "without-constant", f"from {optimal} from-radius {RADIUS} rate-constant", 2)
    case("malformed", "without-radius", f"from {optimal} rate-constant {CONSTANT}", 2)
    case("malformed", "turned-round", f"from {optimal} rate-constant {CONSTANT} from-radius {RADIUS}", 2)
    case("malformed", "decimals", f"from {optimal} from-radius {RADIUS}.5 rate-constant {CONSTANT}", 2)
    case("malformed", "more-words", f"{good} 1", 2)


def write_residuals(corpus, edit, recount):
    instance, certificate = corpus.base("one-group-s")
    optimal = number_of(certificate, "optimal")
    first, eigenvalue, head, *entries = ACROSS

    def case(folder, name, lines, codes, cited=optimal, certificate=certificate):
        corpus.case(folder, f"path-residual-{name}", instance, with_residual(recount, certificate, cited, lines), codes,
                    "one-group-s.json")

    case("correct", "exact", ACROSS, 0)
    case("correct", "far", [first.replace("125*2^-1", "1*2^200"), *ACROSS[1:]], 0)
    no_pull = [eigenvalue, "vector pull 0 over 1"]
    case("correct", "without-a-pull", ["from-radius 125*2^-1 residual 1*2^-1", *no_pull], 0)
    enclosed = corpus.base("one-group-s", "lambda-min")[1]
    case("correct", "enclosed", ACROSS, 0, number_of(enclosed, "optimal-enclosure"), enclosed)
    ragged, of_ragged = corpus.base("ragged-c", "lambda-min")
    cited = number_of(of_ragged, "optimal-enclosure")

    def off_support(folder, name, lines, codes):
        corpus.case(folder, f"path-residual-ragged-{name}", ragged, with_residual(recount, of_ragged, cited, lines),
                    codes, "ragged-c.json")

    off_support("correct", "exact", RAGGED, 0)
    off_support("incorrect", "near", [RAGGED[0].replace("2225", "1500"), *RAGGED[1:]], 1)
    off_support("incorrect", "short", [RAGGED[0].replace("117", "115"), *RAGGED[1:]], 1)
    off_support("incorrect", "pull-off-support", [*RAGGED[:2], RAGGED[2].replace("8", "9"), *RAGGED[3:7], "2 3 1",
                                                  *RAGGED[7:]], 1)
    for name, lines in {
            "short": [first.replace("3*2^-4", "5*2^-5"), *ACROSS[1:]],
            "negative": [first.replace("3*2^-4", "-3*2^-4"), *ACROSS[1:]],
            "nothing": [first.replace("3*2^-4", "0"), *ACROSS[1:]],
            "radius": [first.replace("125*2^-1", "1"), *ACROSS[1:]],
            "radius-before-the-lag": [first.replace("125*2^-1", "7*2^-1"), *ACROSS[1:]],
            "radius-0": [first.replace("125*2^-1", "0"), *ACROSS[1:]],
            "eigenvalue": [first, eigenvalue.replace("109*2^-8", "1"), head, *entries],
            "eigenvalue-0": [first, eigenvalue.replace("109*2^-8", "0"), head, *entries],
            "eigenvalue-negative": [first, eigenvalue.replace("109*2^-8", "-1"), head, *entries],
            "without-a-pull": [first, *no_pull],
            "other-pull": [first, eigenvalue, head, entries[1].replace("0 2 -", "0 0 "), "0 2 " + entries[0][4:]],
    }.items():
        case("incorrect", name, lines, 1)
    support = number_of(certificate, "support")
    case("incorrect", "from-a-support", ACROSS, 1, support)
    gap = corpus.base("one-group-s", "gap", "exponential")[1]
    case("incorrect", "from-a-gap", ACROSS, 1, number_of(gap, "optimal-enclosure"), gap)
    without_loss = edit(re.sub("^claim .* smoothness .*\n", "", certificate, flags=re.M), "^loss .*", "loss none")
    case("incorrect", "without-a-loss", ACROSS, 1, optimal, without_loss)
    other, text = corpus.base("any-choice12-c")
    corpus.case("incorrect", "path-residual-worse-token", other, with_residual(
        recount, text, number_of(text, "optimal"), ["from-radius 1*2^40 residual 1*2^40", "lambda-min 1*2^-40 bits 96",
                                                    "vector pull 0 over 1"]), 1)
    for name, lines in {
            "few-bits": [first, eigenvalue.replace("98", "28"), head, *entries],
            "without-an-eigenvalue": [first, head, *entries],
            "without-a-vector": [first, eigenvalue],
            "vector-of-another-name": [first, eigenvalue, head.replace("pull", "push"), *entries],
            "turned-round": ["residual 3*2^-4 from-radius 125*2^-1", *ACROSS[1:]],
            "more-words": [first + " 1", *ACROSS[1:]],
            "entries-missing": [first, eigenvalue, head, entries[0]],
    }.items():
        case("malformed", name, lines, 2)
