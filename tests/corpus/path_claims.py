"""Certificates with a claim about the regularisation path: true in correct/, false in incorrect/, out of the grammar in
malformed/. F and K are those of the exact solution's claim in the family one-group-s, rounded up."""
import re

RADIUS, CONSTANT = "4", "4"


def with_claim(recount, certificate, words):
    last = len(re.findall("^claim ", certificate, re.M))
    claim = f"claim {last + 1} regularisation-path problem 1 {words}\n"
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
