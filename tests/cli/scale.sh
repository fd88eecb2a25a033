# scale: a study in another size: what is replaced, what comes along, how it is called, and what is refused.
cat >spec.yaml <<'END'
defaults:
  seeds: [1, 2, 3]
  scale:
    quick:
      iterations: 20
      beta: 1e10
      seeds: [1, 2]
      every: {150: 10}
      problem: {theta30: {problem: quadratic, condition: 10, noise: 0}, rastrigin: {problem: quadratic, condition: 100, noise: 0}}
    one: {λ: 0.5, seeds: 1}
studies:
- study: two
  task: {problem: [theta30, rastrigin], iterations: 1000}
  optimizer: {name: theopoula, lambda: [0.1, 0.5, 0.01], epsilon: [0.1, 0.2, 0.3]}
  schedule: {decay: 0.1, every: 150}
  zip: [lambda, epsilon]
  exclude:
  - {problem: rastrigin, lambda: 0.5}
  - {problem: theta30, lambda: 0.1, seed: [2, 3]}
  tables:
  - {title: loss, rows: problem, columns: lambda, value: last loss}
  - {rows: lambda, value: last loss, where: {problem: rastrigin}}
  - {rows: lambda, value: last loss, where: {iterations: 1000, problem: theta30}}
- study: plain
  task: {problem: rosenbrock, iterations: 500}
  optimizer: {name: [sgd, adam], lambda: [0.001, 0.0001]}
  scale:
    quick: {iterations: 30}
END
expect 0 poula sweep spec.yaml -n
equal "$(tail -n 1 out)" "25 runs, 25 missing" "as written"
lacks out quick

expect 0 poula sweep spec.yaml -n --scale quick
equal "$(tail -n 3 out | tr '\n' ' ')" "two-quick: 9 runs, 9 missing plain-quick: 8 runs, 8 missing 17 runs, 17 missing " counts
equal "$(grep -c 'two-quick .* iterations=20 ' out)" 9 "a setting of the defaults' scale"
equal "$(grep -c 'plain-quick .* iterations=30 ' out)" 8 "a setting of the study's scale"
equal "$(grep -c 'plain-quick .* beta=' out)" 0 "a setting that these optimizers do not have"
equal "$(grep -c 'two-quick .* every=10 ' out)" 9 "a value that is replaced"
equal "$(grep -c 'two-quick .* problem=quadratic condition=10 lambda=0.1 ' out)" 1 "a seed that is excluded"
equal "$(grep -c 'two-quick .* problem=quadratic condition=10 lambda=0.5 epsilon=0.2 ' out)" 2 "zipped settings"
equal "$(grep -c 'two-quick .* problem=quadratic condition=100 lambda=0.5 ' out)" 0 "an exclusion by a replaced value"

# A replaced axis leaves its zip; what then is one run is one run.
expect 0 poula sweep spec.yaml -n --scale one
equal "$(tail -n 3 out | tr '\n' ' ')" "two-one: 3 runs, 3 missing plain-one: 2 runs, 2 missing 5 runs, 5 missing " "one lambda"

# It is swept, found in the database by its name, and reported with what came along.
expect 0 poula sweep spec.yaml --scale quick --jobs 1 --quiet
expect 0 poula sweep spec.yaml -n --scale quick
equal "$(tail -n 1 out)" "17 runs, 0 missing" "swept"
expect 0 poula sweep spec.yaml -n
equal "$(tail -n 1 out)" "25 runs, 25 missing" "other settings are other runs"
equal "$(sql results/poula.db 'SELECT group_concat(study) FROM (SELECT study FROM sweep ORDER BY study)')" plain-quick,two-quick studies
expect 0 poula report --study two-quick --format csv
equal "$(head -n 1 out | cut -d, -f1-6)" study,metric,select,problem,condition,lambda "rows"
expect 0 poula report --study two-quick
contains out "loss (quick)"
equal "$(grep -c '^ *0\.' out)" 5 "rows of the tables with conditions"
contains out "quadratic"

# One run of it.
expect 0 poula run spec.yaml --study plain --scale quick --set optimizer=adam --show
contains out "iterations: 30"
expect 0 poula run spec.yaml --study plain-quick --scale quick --show
expect 2 poula run --scale quick --set problem=theta30
contains err "--scale needs a spec"

# What is refused.
expect 2 poula sweep spec.yaml --scale quik -n
contains err "spec.yaml:12:10: the study has no scale quik; it has: quick, one"
refuse() { # SCALE COMPLAINT
    { printf 'study: s\ntask: {problem: theta30, iterations: 100}\noptimizer: {name: sgd, lambda: [0.1, 0.2]}\nscale: %s\n' "$1"; } >bad.yaml
    expect 2 poula sweep bad.yaml -n --scale q
    contains err "$2"
}
refuse '{q: {iteration: 5}}' "bad.yaml:4:13: scale q: no run of the study has a setting iteration; did you mean iterations?"
refuse '{q: {epochs: 5}}' "scale q: no run of the study has a setting epochs"
refuse '{q: {lambda: {0.3: 0.4}}}' "scale q: lambda of the study has none of the values that are replaced"
refuse '{q: {lambda: {0.1: 0.2}}}' "lambda: this value was already given"
refuse '{q: {lambda: {0.1: {lambda: 1, momentum: 0.9}}}}' "scale: momentum must go with every value of lambda or with none"
refuse '{q: {lambda: 1, lr: 2}}' "scale q: lambda is given twice"
refuse '{q: {iterations: none}}' "iterations"
refuse '{q: [1]}' "scale q must be a mapping of settings, such as {epochs: 2, seeds: [1, 2]}"
refuse '{a/b: {}}' 'the name "a/b" of a scale becomes part of the study'
refuse '7' "scale must be a mapping of names to settings"
refuse '{q: {seeds: -1}}' "a seed must be a whole number"
printf 'studies:\n- {study: s, task: {problem: theta30}, optimizer: sgd, scale: {q: {}}}\n- {study: s-q, task: {problem: theta30}, optimizer: adam}\n' >bad.yaml
expect 2 poula sweep bad.yaml -n
contains err "scale q would give a study the name s-q, which is another study's"

# P7: what a scale brings along stands in the tables, whether the values are an axis or stand in cases.
for form in axis cases; do
    cat >$form.yaml <<END
study: s
task: {dataset: [cifar10, cifar100], model: [cnn, mlp], epochs: 1}
optimizer: {name: sgd, lambda: 0.01}
$([ $form = axis ] || printf '%s\n' "cases:" "- task: {dataset: cifar10}" "- task: {dataset: cifar100, model: mlp}" "- task: {dataset: cifar100, model: cnn}")
tables:
- {rows: optimizer, columns: [dataset, model], value: best test_accuracy}
scale:
  quick: {train_images: 60, test_images: 20, batch: 20, dataset: {cifar10: {dataset: glyphs, classes: 4}, cifar100: {dataset: glyphs, classes: 10}}}
END
    expect 0 poula sweep $form.yaml --scale quick --db $form.db
    expect 0 poula report --db $form.db
    contains out "by optimizer and dataset, classes, model;"
    lacks out "was not asked for"
    mv out $form.out
done
same cases.out <axis.out

# Cases of a scale take the place of the study's, and what else it says acts on them.
cat >cases.yaml <<'END'
study: s
task: {problem: theta30, iterations: 100}
optimizer: {name: theopoula, epsilon: 0.1, weight_decay: 5e-4}
cases:
- optimizer: {lambda: [0.1, 0.2]}
scale:
  text: {weight_decay: 0, cases: [{optimizer: {lambda: 0.5, beta: 1e8}}, {optimizer: {lambda: 0.3, beta: 1e10}}, {optimizer: {lambda: 0.4, beta: 1e12}}]}
  bad: {cases: 7}
END
expect 0 poula sweep cases.yaml -n
equal "$(tail -n 1 out)" "2 runs, 2 missing" "as written"
expect 0 poula sweep cases.yaml -n --scale text
equal "$(tail -n 1 out)" "3 runs, 3 missing" "other cases"
equal "$(grep -c 'lambda=0.3 beta=10000000000 .*weight_decay=0$' out)" 1 "a case of the scale"
expect 2 poula sweep cases.yaml -n --scale bad
contains err "cases.yaml:8:16: cases must be a list of mappings"
{ sed '/^scale/,$d' cases.yaml; printf 'scale: {text: {lambda: 1}}\n'; } >one.yaml
{ echo 'defaults: {scale: {text: {cases: [{optimizer: {lambda: 0.5}}]}}}'; echo 'studies:'; sed 's/^/  /; 1s/  /- /' one.yaml; } >shared.yaml
expect 2 poula sweep shared.yaml -n --scale text
contains err "scale text: cases are a study's, and cannot stand in defaults"
