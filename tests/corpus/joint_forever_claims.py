"""Certificates about all later steps of decoder and attention that are trained together (T20), of two small instances;
tests/mutation/joint_truth.py follows the pair on."""
import rows_claims
from joint_path_claims import canonical
from rows_claims import changed, problem
from separability_claims import Instance

# The decoder's rows (2,0,0), (0,1,0): v = (1,2,0)/2. The attention's: (2,1), (1,2) twice, (3,4): W = (1,1)/3.
PAIR = Instance("rows-pair", "prompt", [0, 0], [[[2, 0, 0], [0, 0, 1]], [[0, 1, 0], [-1, 0, 0], [0, 0, 0], [0, 0, 2]]],
                [2, 2, 1], labels=[1, 1], K=[[[2, 1], [0, 0]], [[0, 0], [-1, -2], [-3, -4], [-1, -2]]])
SOLVED = problem(1, "decoder", "selection 2 0 0") + [
    "claim 1 optimal problem 1 norm-squared 5*2^-2", "vector multipliers 2 over 4", "0 0 1", "1 0 4",
    "claim 2 support problem 1 from 1 size 2", "0 0", "1 0", *problem(2, "selection 2 0 0"),
    "claim 3 optimal problem 2 norm-squared 2/9", "vector multipliers 2 over 9", "0 1 1", "1 1 1"]
RUN = ["claim 4 joint-run problem 2 loss logistic attention ngd step 1 power 0 decoder ngd step 1*2^-1 power 0 "
       "decoder-start instance steps 12", "checkpoints 4 bits 192", "checkpoint 0 norm 0 0 decoder-norm 2 4 loss 0 1",
       *(f"checkpoint {t} norm 1 12 decoder-norm 2 9 loss 0 1" for t in (6, 10, 12))]
LATER = ["claim 5 joint-forever problem 2 from 3 support 2 joint-run 4 at 12 decoder 831/100 growth 223/1000 lateral "
         "453/100 loss 529/20 decay 447/500 attention 1189/100 growth 53/125 spread 353/50 unselected 19245*2^-48 fall "
         "119/500", "deficit 1*2^-4 reach 9*2^-2 aside 8/5 boxes 2 1001/250 1001/1000"]
# Of the exponential loss, with smaller and smaller steps.
SLOWER = [*changed(changed(RUN, "loss logistic", "loss exponential"), "power 0", "power -1*2^-2")[:-3],
          "checkpoint 10 norm 1 15 decoder-norm 2 10 loss 0 1",
          "claim 5 joint-forever problem 2 from 3 support 2 joint-run 4 at 10 decoder 891/100 growth 223/1000 lateral "
          "243/50 loss 273/10 decay 447/500 attention 1383/100 growth 53/125 spread 29/4 unselected 339*2^-48 fall "
          "13/50", "deficit 1*2^-4 reach 111/50 aside 17/10 boxes 2 989/250 989/1000"]
SLOWER[0] = SLOWER[0].replace("ngd step 1 ", "ngd step 2 ", 1).replace("ngd step 1*2^-1", "ngd step 1").replace(
    "ngd step 2", "ngd step 1*2^1")
SLOWER[1] = "checkpoints 2 bits 192"
# One group, whose rows W never leaves; loose bounds.
ONE = Instance("rows-one", "prompt", [0], [[[1, 0], [0, 0], [0, 0]]], [1, 0], labels=[1], K=[[[2, 2], [0, 1], [1, 0]]])
ALONE = problem(1, "decoder", "selection 1 0") + [
    "claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 0 1",
    "claim 2 support problem 1 from 1 size 1", "0 0", *problem(2, "selection 1 0"),
    "claim 3 optimal problem 2 norm-squared 2/9", "vector multipliers 2 over 9", "0 1 1", "0 2 1",
    "claim 4 joint-run problem 2 loss exponential attention ngd step 1 power 0 decoder ngd step 1*2^-1 power 0 "
    "decoder-start instance steps 3", "checkpoints 1 bits 128", "checkpoint 3 norm 2 4 decoder-norm 2 3 loss 0 1",
    "claim 5 joint-forever problem 2 from 3 support 2 joint-run 4 at 3 decoder 2 growth 1*2^-2 lateral 1 loss 2 decay "
    "1 attention 2 growth 1*2^-1 spread 50 unselected 1*2^-4 fall 1/10", "deficit 1*2^-4 reach 0 aside 1*2^-2 boxes 0"]
# Loose of PAIR as well: what is changed beside it alone decides.
LOOSE = [canonical(line) for line in (
    "claim 5 joint-forever problem 2 from 3 support 2 joint-run 4 at 12 decoder 1 growth 1/1000 lateral 99 loss "
    "9999 decay 1/100 attention 1 growth 1/1000 spread 99 unselected 1 fall 1/1000", LATER[1])]


def correct(case):
    case("joint-forever", SOLVED + RUN + LATER, PAIR)
    case("joint-forever-slower", SOLVED + SLOWER, PAIR)
    case("joint-forever-alone", ALONE, ONE)


def incorrect(case):
    promised = {
        "decoder": ("decoder 831/100", "decoder 208/25"), "decoder-growth": ("growth 223/1000", "growth 28/125"),
        "lateral": ("lateral 453/100", "lateral 113/25"), "loss": ("loss 529/20", "loss 132/5"),
        "decay": ("decay 447/500", "decay 112/125"), "attention": ("attention 1189/100", "attention 119/10"),
        "growth": ("growth 53/125", "growth 17/40"), "spread": ("spread 353/50", "spread 141/20"),
        "unselected": ("unselected 19245", "unselected 19243"), "fall": ("fall 119/500", "fall 239/1000"),
        "reach": ("reach 9*2^-2", "reach 1*2^1"), "reach-negative": ("reach 9*2^-2", "reach -9*2^-2"),
        "box": ("1001/250", "4"), "other-box": ("1001/1000", "1"), "no-box": ("boxes 2 1001/250 1001/1000", "boxes 0"),
        "more-boxes": ("boxes 2 1001/250 1001/1000", "boxes 3 1001/250 1001/1000 1"),
        "deficit": ("deficit 1*2^-4", "deficit 1"),
        "no-checkpoint": ("at 12", "at 11"), "of-solution": ("support 2", "support 1"),
        "of-no-run": ("joint-run 4", "joint-run 3"), "of-decoder": ("from 3", "from 1"),
    }
    for name, (old, new) in promised.items():
        case(f"joint-forever-{name}", SOLVED + RUN + changed(LATER, old, new), PAIR)
    # The pair's problem once more, whose run it is not.
    case("joint-forever-of-another-problem", SOLVED + RUN + problem(3, "selection 2 0 0") + [
        *(line.replace("claim 3 optimal problem 2", "claim 5 optimal problem 3") for line in SOLVED[-4:]),
        LATER[0].replace("claim 5 joint-forever problem 2 from 3", "claim 6 joint-forever problem 3 from 5"),
        LATER[1]], PAIR)
    loose = {"tail": ("at 12", "at 10"), "label-margin": ("at 12", "at 6"), "start": ("at 12", "at 0"),
             "aside": ("aside 8/5", "aside 7/5")}
    for name, (old, new) in loose.items():
        case(f"joint-forever-{name}", SOLVED + RUN + changed(LOOSE, old, new), PAIR)
    training = {"rule": ("attention ngd", "attention gd"), "decoder-rule": ("decoder ngd", "decoder gd"),
                "correlation": ("loss logistic", "loss correlation"), "power": ("power 0", "power -2"),
                "powers": ("step 1 power 0", "step 1 power -1*2^-3")}
    for name, (old, new) in training.items():
        run = changed(RUN[:1], old, new) + ["checkpoints 1 bits 192",
                                            "checkpoint 12 norm 0 999 decoder-norm 0 999 loss -999 999"]
        case(f"joint-forever-{name}", SOLVED + run + LOOSE, PAIR)
    shown = {"slope": ("aside 1*2^-2", "aside 1*2^-3"), "lost": ("deficit 1*2^-4", "deficit 1*2^-8"),
             "ratio": ("deficit 1*2^-4 reach 0 aside 1*2^-2", "deficit 5*2^-8 reach 0 aside 1/5"),
             "drift": ("deficit 1*2^-4 reach 0 aside 1*2^-2", "deficit 3*2^-8 reach 0 aside 1/5")}
    for name, (old, new) in shown.items():
        case(f"joint-forever-{name}", changed(changed(ALONE, old, new), "fall 1/10", "fall 1*2^-20"), ONE)


def malformed(case):
    for name, (old, new) in {
            "later": ("joint-run 4", "joint-run 6"), "still": ("growth 53/125", "growth 0"),
            "negative": ("decay 447/500", "decay -447/500"), "deficit-none": ("deficit 1*2^-4", "deficit 0"),
            "box-none": ("1001/1000", "0"), "boxes": ("boxes 2", "boxes 3"), "aside-none": ("aside 8/5", "aside 0"),
            "order": ("lateral 453/100 loss 529/20", "loss 529/20 lateral 453/100")}.items():
        case(f"joint-forever-{name}", SOLVED + RUN + changed(LATER, old, new), PAIR)


def write(corpus, recount):
    for folder, code, cases in (("correct", 0, correct), ("incorrect", 1, incorrect), ("malformed", 2, malformed)):
        cases(rows_claims.writer(corpus, recount, folder, code))
