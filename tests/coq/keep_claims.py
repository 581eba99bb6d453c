#!/usr/bin/env python3
"""keep_claims.py CERTIFICATE SHA256 WORDS: the certificate with another instance's hash, in which of the claims whose
truth depends on the counts only the one is left whose first line has the words; in place of each other the first claim
stands once more."""
import re
import sys

COUNTED = ('run', 'path-inequality', 'stationary', 'forever-from-run', 'forever-from-point', 'regularisation-path')

with open(sys.argv[1], encoding='ascii') as file:
    text = re.sub('sha256 .*', 'sha256 ' + sys.argv[2], file.read(), count=1)
head, *claims = re.split('^(?=claim )', text[:text.rindex('end problems')], flags=re.M)
kept = 0
for k, claim in enumerate(claims):
    if sys.argv[3] in claim.partition('\n')[0]:
        kept += claim.split()[2] in COUNTED
    elif claim.split()[2] in COUNTED:
        claims[k] = re.sub('^claim 1 ', f'claim {k + 1} ', claims[0])
text = head + ''.join(claims)
lines = text.count('\n') + 1
print(f"{text}end problems {len(re.findall('^problem ', text, flags=re.M))} claims {len(claims)} lines {lines}")
sys.exit(kept != 1)
