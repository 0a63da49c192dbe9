"""Choosing tests from outcome tables: arrays in, numbers out.

table      OutcomeTable, the one way into this package
jit        the one decorator that compiles a kernel
belief     which hypotheses remain after some answers, and how likely each is
scores     branch sums and the greedy scores (Jia et al., NeurIPS 2019, equations 5 and 6)
order      non-adaptive and low-adaptive orders (the same paper, section 3)
walk       one test chosen, and a whole policy tree walked to its exact expected cost
"""
