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
contains out '% Needs \usepackage{amsfonts,booktabs}.' # B5: \mathbb stops LaTeX without
expect 2 poula theory lambda_max --eta 0
contains err "eta is 0"
expect 2 poula theory lambda_max --r -1
expect 2 poula theory nothing
contains err 'there is no constant "nothing"; there are: lambda_max'
expect 2 poula theory C_O
contains err "did you mean C_0?"

# The constants: A = 2 (1 + 1), B = 3 (4 * 2)^3 / 0.25, C_7 = 1 + ln(3 (1 + 4 sqrt(1536))^2 / 4 * 3073) + ln 2.
simple="--set d=2 --set q=1 --set L_G=1 --set beta=1 --set x_scale=0 --set theta0_scale=0 --eta 0.5 --r 0.5"
expect 0 poula theory A B C_7 $simple
same out <<'END'
name  value    source             meaning
----  -------  -----------------  ------------------------------
A     4        rem:dissipativity  dissipativity of h: its slope
B     6144     rem:dissipativity  dissipativity of h: its offset
C_7   19.5581  tab:constant       excess risk: factor of 1/beta
END
expect 0 poula theory
for name in lambda_max A_2r1 c_hat C_bar_3 z_2 C_7 W_1 W_2 risk; do contains out "$name "; done
expect 0 poula theory W_1 C_0 --format json
contains out '"name": "W_1", "value": "10^2.952511e+488", "log10": "2.9525108391392'
contains out '"name": "C_0", "value": "10^-1.476255e+488"'
if command -v python3 >/dev/null; then
    cp out out.json
    expect 0 python3 -c "import json; print(len(json.load(open('out.json'))))"
    contains out 2
fi
expect 0 poula theory z_1 --format latex
contains out '$z_1$ & $10^{2.952511\cdot10^{488}}$ & error of all restarts in W\_1, for lambda\textasciicircum{}(1/2) \\'
expect 0 poula theory A --format markdown
contains out "| A "

# Settings that are wrong, each alone and together.
expect 2 poula theory --set lamda=1
contains err "did you mean lambda?"
expect 2 poula theory --set r
contains err "KEY=VALUE"
expect 2 poula theory --eta 1
contains err "eta is 1, but"
expect 2 poula theory --r 1
contains err "at least q/2 = 14.5"
expect 2 poula theory --set lambda=0.1
contains err "lambda_max(eta=0.0005, r=14.5) = 2.95446e-140"
expect 2 poula theory --set E_K=2 --set E_K2=3
contains err "E_K2 is 3"

# The recipe.
expect 0 poula theory --delta 0.1 $simple --format csv
equal "$(cut -d, -f1 out | tr '\n' ' ')" "name beta lambda n " "rows of the recipe"
equal "$(sed -n 's/^beta,\([^,.]*\).*/\1/p' out)" 786 "beta"
expect 2 poula theory C_0 --delta 0.1
expect 2 poula theory --delta 0
contains err "delta is 0"
expect 2 poula theory --delta x
expect 0 poula theory --help
contains out "E_theta_8r4"
contains out "number in [0,inf), default 5e-4"
expect 0 poula complete -- theory --set
equal "$(sed '1d; s/\t.*//' out | head -n 4 | tr '\n' ' ')" "d= q= rho= L_G= " "the first settings that completion offers"
expect 0 poula completion man theory
contains out "E |X|^(2 rho)"

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

# Several values of a setting: a table of the constants over them, with their growth at the end and what the paper says of it.
expect 0 poula theory c_hat A $simple --set beta=1,10,100
equal "$(head -n 1 out | tr -s ' ')" "name beta=1 beta=10 beta=100 order paper" heading
equal "$(sed -n 's/^A  *//p' out | tr -s ' ' | sed 's, *$,,')" "4 4 4 0" "A does not depend on beta"
contains out "exp(poly(d/beta))"
expect 0 poula theory C_7 lambda_max $simple --set beta=1,10 --set d=1,2,3 --format csv
equal "$(head -n 1 out)" "beta,d,name,value,log10,source,meaning" heading
equal "$(wc -l <out)" 13 "a record for each constant and combination"
equal "$(sed -n 's/^1,2,C_7,\([0-9.]*\),.*/\1/p' out | cut -c1-7)" 19.5581 "the one of above"
expect 0 poula theory C_7 $simple --set beta=1,10 --format latex
expect 0 poula theory C_7 $simple --set beta=1,10 --format json
expect 2 poula theory C_7 $simple --set beta=1,x
contains err "beta"
expect 2 poula theory C_7 $simple --set beta=1,2 --set beta=3,4
contains err "beta is given several values twice"
expect 2 poula theory C_7 --set beta=1,2,3,4,5,6,7,8,9,10,11,12,13
contains err "a table shows at most 12 combinations, and there are 13: --format csv has all"
expect 2 poula theory C_7 --set beta=1,2 --delta 0.1
contains err "--delta takes one value of each setting"
expect 2 poula theory C_7 --set r=14.5,1
contains err "at r=1:"
contains err "r is 1, but must be at least q/2"
expect 2 poula theory C_9 --set beta=1,2
contains err "did you mean"

expect 0 poula theory A $simple --set x_scale=2 --set x_law=constant,uniform,normal # words, which are read once more later
equal "$(sed -n 's/^A  *//p' out | tr -s ' ' | cut -d' ' -f1-2)" "8 6" "A for |X| = 2 and for |X| uniform on (0, 2)"
# Without regularisation: own A and B, as the paper's remark asks; what needs eta has no value.
expect 2 poula theory c_hat --eta 0
contains err "give A and B above 0"
expect 2 poula theory c_hat --set A=1
contains err "A and B belong together"
expect 2 poula theory c_hat --eta 0 --set A=1 --set B=1
contains err "L_R has to be given as well"
own="--eta 0 --set q=1 --set L_G=1 --set x_scale=0 --set A=1 --set B=1 --set d=1"
expect 0 poula theory $own --set beta=1
for name in lambda_max R M_0 A_2 C_bar_3 z_1 C_1 C_6 W_1 risk; do
    equal "$(sed -n "s/^$name  *\([^ ]*\) .*/\1/p" out)" - "$name without regularisation"
done
expect 2 poula theory $own --delta 0.1
contains err "the recipe needs the regularisation"
# Figures: log10 of each constant in a panel, over the first setting, rising; a line for each value of the second.
if command -v gnuplot >/dev/null; then
    expect 0 poula theory c_hat C_0 $own --set beta=1e3,1e2,1e4 --plot svg --keep
    equal "$(cat out)" plots/theory-beta.svg "the path of the figure"
    contains plots/theory-beta.svg "c_hat (paper: exp(poly(d/beta)))"
    equal "$(sed -n 's/^\(1[0-9]*\) \(-*[0-9]*\)\..*/\1:\2/p' plots/theory-beta.dat | tr '\n' ' ')" \
        "100:1197 1000:11749 10000:117283 100:-1040 1000:-10226 10000:-102080 " "values of the figure"
    expect 0 poula theory C_0 $own --set d=1,10,100 --set beta=1,10 --plot svg --out figures --keep
    contains figures/theory-d.dat "beta = 10: values"
    equal "$(sed -n 's/^\(1[0-9]*\) \(-*[0-9]*\)\..*/\1:\2/p' figures/theory-d.dat | tr '\n' ' ')" \
        "1:-35 10:-97 100:-623 1:-122 10:-171 100:-656 " "values of two lines"
    expect 0 poula theory A c_hat --set beta=1,10 --plot png # log10 of c_hat is beyond all doubles
    contains err "2 of 4 values are not finite and leave gaps."
    expect 1 poula theory c_hat --set beta=1,10 --plot png --out none
    contains err "nothing to draw"
    [ ! -e none ] || fail "a figure of nothing left a folder"
fi
expect 2 poula theory c_hat $own --plot png
contains err "--plot draws over several values of a setting"
expect 2 poula theory $own --set beta=1,2 --plot png
contains err "at most 12: name them"
expect 2 poula theory c_hat $own --set beta=1,2 --plot png --format csv
contains err "give one of them"
expect 2 poula theory c_hat $own --set beta=1,2 --out figures
contains err "which --plot draws"
expect 2 poula theory c_hat $own --set x_law=uniform,normal --plot png
contains err "x_law has words"
# c_hat by summing the integral: beta = d = A = B = L_R = 1.
awk 'BEGIN {
    pi = atan2(0, -1); ratio = 3 * (1 + 1 / 3 + 4 / 3 + 4 / 3); cbar = 0.5; ctilde = cbar * ratio
    c0 = 2 * sqrt(4 * ctilde * (1 + cbar) / cbar - 1); c1 = 2 * sqrt(ratio - 1); a = sqrt(1 / 8); n = 200000
    for (i = 0; i < n; i++) { s = (i + 0.5) * c1 / n; sum += exp((a * s + 1 / a) ^ 2) * c1 / n }
    epsilon = 1 / (4 * ctilde * sqrt(2 * pi) * sum)
    printf "%.4f\n", (log(2 * (1 + c0)) + c0 ^ 2 / 8 + 2 * c0 - log(epsilon)) / log(10) }' >sum
expect 0 poula theory c_hat $own --set beta=1 --format csv
equal "$(sed -n 's/^c_hat,[^,]*,\([^,]*\),.*/\1/p' out | awk '{ printf "%.4f", $1 }')" "$(cat sum)" "c_hat of own A and B"
