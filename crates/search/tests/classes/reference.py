"""Writes reference.csv: the classes that causal-learn 0.1.4.8 finds on the data sets of golden.rs.

    gflowcausal simulate --graph er --nodes 10 --degree 2 --rows 500 --seed S --out S --standardize   # S = 1, 2, 3
    gflowcausal simulate --graph er --nodes 8 --degree 1 --rows 1000 --model discrete --seed S --out categories-S   # S = 1, 2
    python3 reference.py crates/data/src/builtin/sachs.csv S... categories-S... > reference.csv
"""

import sys

import numpy as np
import pandas
from causallearn.search.ConstraintBased.PC import pc
from causallearn.search.ScoreBased.GES import ges


def edges(marks):
    arrows = [f"{i}>{j}" for i, j in np.argwhere((marks == -1) & (marks.T == 1))]
    ties = [f"{i}-{j}" for i, j in np.argwhere((marks == -1) & (marks.T == -1)) if i < j]
    return " ".join(arrows + ties)


print("data,method,alpha,edges")
for path in sys.argv[1:]:
    file = path if path.endswith(".csv") else path + "/data.csv"
    table = pandas.read_csv(file)
    name = path.split("/")[-1].removesuffix(".csv")
    if name.startswith("categories"):
        codes = table.apply(lambda column: column.astype("category").cat.codes).to_numpy()
        for test in ["gsq", "chisq"]:
            for alpha in [0.05, 0.01]:
                found = pc(codes, alpha=alpha, indep_test=test, stable=True, show_progress=False)
                print(f"{name},pc-{test},{alpha},{edges(found.G.graph)}")
        continue
    values = table.to_numpy(dtype=float)
    for alpha in [0.05, 0.01, 0.001]:
        found = pc(values, alpha=alpha, indep_test="fisherz", stable=True, show_progress=False)
        print(f"{name},pc-fisherz,{alpha},{edges(found.G.graph)}")
    found = ges(values, score_func="local_score_BIC_from_cov", parameters={"lambda_value": 0.5})
    print(f"{name},ges,,{edges(found['G'].graph)}")
