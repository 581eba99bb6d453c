"""Certificates about training on sentences with one-hot embeddings: the feed-forward stage on its ray, the attention
stage at some of its steps and from one of them on, and other sentences. tests/mutation/training_truth.py says what
holds."""
from mirror_claims import canonical
from next_token_claims import SENTENCES, Text, certificate, problem, stages, vector
from norm_claims import changed

TEXT = Text(SENTENCES)
MULTIPLIERS = {(0, 1): 2, (0, 2): 2, (1, 0): 2, (1, 2): 2, (3, 0): 3}
OPTIMAL = ["claim 1 optimal problem 1 norm-squared 11/6", *vector("multipliers", MULTIPLIERS, 6)]
RAY = ["claim 1 token-ray problem 1 step 1/5", "checkpoints 3",
       "checkpoint 0 scale 0 0 loss 207/100 208/100",
       "checkpoint 10 scale 12344/10000 12345/10000 loss 11108/10000 11109/10000",
       "checkpoint 40 scale 49377/10000 49378/10000 loss 48977/1000000 48978/1000000"]
RUN = ["claim 2 token-run problem 1 from 1 feed-forward-step 1/5 feed-forward-steps 40 step 3/10 steps 41",
       "checkpoints 4 bits 192",
       "checkpoint 0 norm 0 0 loss-gap 62339/100000 62340/100000 unselected 74/100 76/100",
       "checkpoint 10 norm 29888/10000 29889/10000 loss-gap 49761/1000000 49762/1000000 unselected 19442/100000 "
       "19443/100000 one-minus-corr 12929/1000000 12930/1000000",
       "checkpoint 19 norm 56703/10000 56704/10000 loss-gap 54493/10000000 54494/10000000 unselected 31194/1000000 "
       "31195/1000000 one-minus-corr 42752/10000000 42753/10000000",
       "checkpoint 40 norm 119579/10000 119580/10000 loss-gap 49841/1000000000 49842/1000000000 unselected "
       "30696/100000000 30697/100000000 one-minus-corr 11360/10000000 11361/10000000"]
ALONE_RUN = [RUN[0].replace("claim 2", "claim 1").replace(" from 1", ""), "checkpoints 1 bits 64", RUN[2]]
WIDE_RUN = [ALONE_RUN[0], "checkpoints 1 bits 64", "checkpoint 0 norm 0 0 loss-gap 0 10 unselected 0 1"]
WIDE_RAY = ["claim 1 token-ray problem 1 step 1/5", "checkpoints 1", "checkpoint 0 scale 0 0 loss 0 10"]
# From steps 40 and 19 on.
LATER = ["claim 3 token-forever problem 1 from 1 run 2 at 40 unselected 84306/100000000 decrease 75034/100000 "
         "loss-gap 49842/1000000000 loss-ratio 84696/100000 height 119443/10000 growth 25975/100000 lag "
         "91477/100000000 residual 56983/100000 path 95285/1000000"]
EARLY = ["claim 3 token-forever problem 1 from 1 run 2 at 19 unselected 76786/1000000 decrease 54128/1000000 loss-gap "
         "54494/10000000 loss-ratio 98899/100000 height 56460/10000 growth 67063/1000000 lag 83430/1000000 residual "
         "52377/100000 path 58470/100000"]
# By rows, by a second-degree inequality in the root of the steps, and without a step.
SHIFT = ["claim 4 token-shift problem 1 from 1 forever 3 sentences 5", "context 3 6 0 1 next 3 from 19",
         "context 4 0 7 1 6 next 4 from 920", "context 3 0 9 1 next 3", "context 1 2 next 5 from 25",
         "context 4 0 2 9 1 next 3 from 901"]
ALONE = ["claim 2 token-shift problem 1 from 1 sentences 1", "context 4 6 0 9 1 next 3"]


def written(*claims, text=TEXT, stage="attention"):
    return certificate(text, problem(text, stage, 1), [canonical(line) for part in claims for line in part])


def correct(case):
    case("correct", "ray", written(RAY, stage="feed-forward"), 0)
    case("correct", "run", written(OPTIMAL, RUN), 0)
    case("correct", "later", written(OPTIMAL, RUN, LATER), 0)
    case("correct", "shift", written(OPTIMAL, RUN, EARLY, SHIFT), 0)
    case("correct", "shift-alone", written(OPTIMAL, ALONE), 0)
    case("correct", "run-alone", written(ALONE_RUN), 0)
    counted = Text([[0, 1], [0, 0, 2, 1]])  # the selected token stands there twice
    third = changed(WIDE_RUN, "unselected 0 1", "unselected 33/100 34/100")
    case("correct", "run-counted", written(third, text=counted), 0, "training-counted.json", counted)
    case("correct", "no-checkpoint", written([ALONE_RUN[0], "checkpoints 0 bits 64"]), 0)


def incorrect(case):
    for name, old, new in (("scale", "12344/10000", "12345/10000"), ("scale-high", "12345/10000", "12344/10000"),
                           ("loss", "11108/10000", "11109/10000"), ("step", "step 1/5", "step 1/6"),
                           ("other-step", "checkpoint 10", "checkpoint 11")):
        case("incorrect", f"ray-{name}", written(changed(RAY, old, new), stage="feed-forward"), 1)
    picks = problem(TEXT, "feed-forward", 1)
    picks[-1] = "selection 3 3 4 6"
    case("incorrect", "ray-selection", certificate(TEXT, picks, [canonical(line) for line in RAY]), 1)
    for name, old, new in (("norm", "norm 29888/10000", "norm 29889/10000"),
                           ("norm-high", "29889/10000", "29888/10000"),
                           ("loss-gap", "loss-gap 49761", "loss-gap 49762"), ("unselected", "19442/", "19443/"),
                           ("unselected-high", "19443/", "19442/"), ("corr", "12929/", "12930/"),
                           ("fed-step", "feed-forward-step 1/5", "feed-forward-step 1/6"),
                           ("fed-steps", "feed-forward-steps 40", "feed-forward-steps 39"),
                           ("step", " step 3/10", " step 2/10"), ("uncited", " from 1", ""),
                           ("at-zero", "76/100", "76/100 one-minus-corr 0 2")):
        case("incorrect", f"run-{name}", written(OPTIMAL, changed(RUN, old, new)), 1)
    picks = problem(TEXT, "attention", 1)
    picks[-1] = "selection 4 1 1 0 1"
    case("incorrect", "run-selection", certificate(TEXT, picks, [canonical(line) for line in ALONE_RUN]), 1)
    later = (("unselected", "84306/", "84305/"), ("decrease", "75034/", "75035/"),
             ("loss-gap", "loss-gap 49842", "loss-gap 49841"), ("loss-ratio", "84696/", "84695/"),
             ("height", "119443/", "119444/"), ("growth", "25975/", "25976/"), ("lag", "91477/", "91476/"),
             ("residual", "56983/", "56982/"), ("path", "95285/", "95284/"), ("before", "at 40", "at 10"),
             ("no-checkpoint", "at 40", "at 39"), ("no-decrease", "decrease 75034/100000", "decrease 0"),
             ("no-growth", "growth 25975/100000", "growth 0"), ("rising", "loss-ratio 84696/100000", "loss-ratio 1"),
             ("run", "run 2", "run 1"), ("solution", "from 1", "from 2"))
    for name, old, new in later:
        case("incorrect", f"later-{name}", written(OPTIMAL, RUN, changed(LATER, old, new)), 1)
    long_steps = [RUN[0].replace("step 3/10", "step 4"), "checkpoints 1 bits 192",
                  "checkpoint 40 norm 0 1000 loss-gap 0 1 unselected 0 1"]
    loose = ("unselected 1 decrease 1/1000 loss-gap 1 loss-ratio 999/1000 height 0 growth 1/1000 lag 100 residual 100 "
             "path 100")
    case("incorrect", "later-long-steps", written(OPTIMAL, long_steps, [
        f"claim 3 token-forever problem 1 from 1 run 2 at 40 {loose}"]), 1)
    for name, old, new in (("root", "from 920", "from 919"),
                           ("next", "1 next 3 from 19", "1 next 4 from 19"), ("no-next", "9 1 next 3", "9 1 next 2"),
                           ("tie", "context 3 0 9 1 next 3", "context 3 1 9 0 next 3"),
                           ("loser", "context 3 0 9 1 next 3", "context 3 0 9 1 next 4"),
                           ("before", "next 5 from 25", "next 5 from 18"),
                           ("missing", "context 1 2", "context 1 0"), ("forever", "forever 3", "forever 2"),
                           ("solution", "from 1 forever", "from 2 forever")):
        case("incorrect", f"shift-{name}", written(OPTIMAL, RUN, EARLY, changed(SHIFT, old, new)), 1)
    again = [line.replace("claim 1", "claim 4") for line in OPTIMAL]
    case("incorrect", "shift-other-solution", written(OPTIMAL, RUN, EARLY, again, [
        "claim 5 token-shift problem 1 from 4 forever 3 sentences 1", "context 1 2 next 5 from 25"]), 1)
    case("incorrect", "shift-tie-alone", written(OPTIMAL, changed(ALONE, "6 0 9 1 next", "6 1 9 0 next")), 1)
    # With nothing else to object to: embeddings, and stages that select alike.
    given, alike = stages()["next-token-embeddings"][0], Text([[0, 1], [2, 0, 1]])
    for name, text, run_stage, ray_stage in (("embeddings", given, "attention", "feed-forward"),
                                             ("other-stage", alike, "feed-forward", "attention")):
        for kind, stage, claims in (("run", run_stage, WIDE_RUN), ("ray", ray_stage, WIDE_RAY)):
            proof = written(claims, text=text, stage=stage)
            case("incorrect", f"{kind}-{name}", proof, 1, f"training-{name}.json", text)
    one = Text([[0, 0]])
    case("incorrect", "ray-one-output", certificate(one, problem(one, "feed-forward", 1), [
        canonical(line) for line in (RAY[0], "checkpoints 0")]), 1, "training-one-output.json", one)


def malformed(case):
    for name, old, new in (("step", "step 1/5", "step 0"), ("order", "checkpoint 10", "checkpoint 0"),
                           ("fewer", "checkpoints 3", "checkpoints 4"), ("words", "11109/10000", "11109/10000 1")):
        case("malformed", f"ray-{name}", written(changed(RAY, old, new), stage="feed-forward"), 2)
    for name, old, new in (("few-bits", "bits 192", "bits 63"), ("many-bits", "bits 192", "bits 65537"),
                           ("after-the-end", "steps 41", "steps 39"), ("order", "checkpoint 10", "checkpoint 19"),
                           ("no-steps", "feed-forward-steps 40", "feed-forward-steps 0"),
                           ("fed-step", "feed-forward-step 1/5", "feed-forward-step 0"),
                           ("step", " step 3/10", " step -3/10"), ("of-itself", "from 1", "from 2"),
                           ("fewer", "checkpoints 4", "checkpoints 5"), ("more-words", "11361/10000000", "1 1")):
        case("malformed", f"run-{name}", written(OPTIMAL, changed(RUN, old, new)), 2)
    for name, old, new in (("of-itself", "run 2", "run 3"), ("no-lag", " lag 91477/100000000", ""),
                           ("infinite", "growth 25975/100000", "growth none")):
        case("malformed", f"later-{name}", written(OPTIMAL, RUN, changed(LATER, old, new)), 2)
    for name, old, new in (("empty", "context 1 2", "context 0"), ("count", "context 1 2", "context 2 2"),
                           ("undated", " forever 3", ""), ("fewer", "sentences 5", "sentences 6"),
                           ("more", "sentences 5", "sentences 4"), ("huge", "9 1 next", "16777216 1 next"),
                           ("huge-next", "1 2 next 5", "1 2 next 16777216")):
        case("malformed", f"shift-{name}", written(OPTIMAL, RUN, EARLY, changed(SHIFT, old, new)), 2)


def write(corpus):
    def case(folder, name, proof, code, instance="training.json", text=TEXT):
        corpus.case(folder, f"training-{name}", text.instance(), proof, code, instance)
    correct(case)
    incorrect(case)
    malformed(case)
