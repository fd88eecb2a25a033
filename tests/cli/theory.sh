# poula theory, and what sweeps say of steps that the proof does not cover.
expect 0 poula theory lambda_max --eta 0.5 --r 0 --format csv
same out <<'END'
name,value,log10,source,meaning
lambda_max,4.982461734693878e-08,-7.302556027996288,eq:lambda_max,largest step size that the proof covers
END
expect 0 poula theory lambda_max --eta 1e-3 --r 200
contains out "10^-1925.92"
expect 0 poula theory lambda_max --eta 1e-3 --r 200 --format latex
contains out '$\lambda_{\max}$ & $10^{-1925.92}$'
expect 2 poula theory lambda_max --eta 0
contains err "eta is 0"
expect 2 poula theory lambda_max --r -1
expect 2 poula theory nothing

# 1/(2^14 0.25 70^2) = 4.98e-8 for r = 0: two of three step sizes are larger, with two seeds each.
cat >steps.yaml <<'END'
study: steps
task: {problem: quadratic, iterations: 10, record: 1}
optimizer: {name: theopoula, lambda: [0.1, 1e-8, 0.01], eta: 0.5, r: 0}
seeds: [1, 2]
END
expect 0 poula sweep steps.yaml --dry-run
same err <<'END'
poula sweep: steps: in 4 of 6 runs the steps are larger than the proof of convergence allows: lambda is up to 0.1, lambda_max(eta=0.5, r=0) is 4.98246e-08
END
expect 0 poula sweep steps.yaml --quiet
contains err "in 4 of 6 runs"
# The bound of the run with the largest steps, when it varies; tusla as well; one line for each study.
cat >varied.yaml <<'END'
study: a
task: {problem: quadratic, iterations: 10, record: 1}
optimizer: {name: tusla, lambda: 0.01, eta: "5e-4*sqrt(lambda)", r: 10}
---
study: b
task: {problem: quadratic, iterations: 10, record: 1}
optimizer: {name: [tusla, theopoula], lambda: [0.1, 1e-17], eta: [1e-3, 0.5], r: 1}
---
study: c
task: {problem: quadratic, iterations: 10, record: 1}
optimizer: {name: [sgd, adam, theopoula, tusla], lambda: 0.5}
---
study: d
task: {problem: quadratic, iterations: 10, record: 1}
optimizer: {name: theopoula, lambda: 0.5, eta: 1e-9, r: 0}
END
expect 0 poula sweep varied.yaml --dry-run
same err <<'END'
poula sweep: a: in 1 of 1 run the steps are larger than the proof of convergence allows: lambda is 0.01, lambda_max(eta=5e-05, r=10) is 4.61618e-95
poula sweep: b: in 4 of 8 runs the steps are larger than the proof of convergence allows: lambda is up to 0.1, lambda_max(eta=0.5, r=1) is 3.33869e-17
END
