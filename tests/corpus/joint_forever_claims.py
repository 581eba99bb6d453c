"""Certificates about all later steps of decoder and attention, trained together (T20), of two small instances;
tests/mutation/joint_truth.py follows the pair on."""
import rows_claims
from joint_path_claims import canonical, numbered
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
