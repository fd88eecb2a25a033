# Rules that are written as formulas: keys, faults, threads, stops and what verify says.
cat >own.yaml <<'END'
study: own
task: {problem: quadratic, dimension: 2000, noise: 1, iterations: 200, record: 10}
optimizer:
  name: formula
  state: {m: "rho*m + (1 - rho)*g", v: "0.99*v + 0.01*g^2"}
  update: ["theta - lambda*m/(sqrt(v) + epsilon) + sqrt(2*lambda/beta)*xi*norm_g^0.1", "theta - lambda*tanh(m*v)/t"]
  lambda: [0.1, 0.01]
  beta: 1e6
  parameters: {rho: [0.9, "1 - lambda*5"]}
END
expect 0 poula sweep own.yaml --db own.db
contains out "8 finished"
expect 0 poula verify 1 --db own.db
expect 0 poula verify 8 --db own.db
expect 0 poula report --db own.db --study own --value 'last loss'
contains out 'theta - lambda*m/(sqrt(v) + epsilo...'
contains out 'is: theta - lambda*m/(sqrt(v) + epsilon) + sqrt(2*lambda/beta)*xi*norm_g^0.1'
contains out 'theta - lambda*tanh(m*v)/t '
expect 0 poula report --db own.db --study own --value 'last loss' --format csv
contains out 'theta - lambda*m/(sqrt(v) + epsilon) + sqrt(2*lambda/beta)*xi*norm_g^0.1'

# Blanks, forms of numbers, other spellings and parentheses that change nothing make no other run.
cat >spelled.yaml <<'END'
study: spelled
task: {problem: quadratic, dimension: 2000, noise: 1, iterations: 200, record: 10}
optimizer:
  name: formula
  state: "v = .99 * v + 1e-2*pow(g, 2); m = (rho*m) + (1-rho)*g"
  update: "θ-λ*m / ( sqrt(v)+eps ) + sqrt(2*lr/β)*ξ*(norm_g^.1)"
  lambda: 0.1
  beta: 1000000
  parameters: {rho: 9e-1}
END
expect 0 poula sweep spelled.yaml --db own.db --dry-run
contains out "1 runs, 0 missing"
sed 's/1e-2\*pow/1.01e-2*pow/' spelled.yaml >other.yaml
expect 0 poula sweep other.yaml --db own.db --dry-run
contains out "1 runs, 1 missing"

# One run by hand, and what it is as a spec.
expect 0 poula run own.yaml --set 'update=theta - lr*m*exp( -v )' --set rho=0.5 --show
contains out 'update: "theta - lambda*m*exp(-v)"'
contains out 'parameters: {rho: 0.5}'
cp out shown.yaml
expect 0 poula sweep shown.yaml --db shown.db
expect 2 poula run own.yaml --set nu=0.5
contains err 'there is no setting "nu" here'
expect 2 poula run own.yaml --set 'update=theta - lambda*(g'
contains err 'at character 16, this ( is not closed'

# What is wrong is said where it stands.
cat >wrong.yaml <<'END'
study: wrong
task: {problem: quadratic}
optimizer:
  name: formula
  state: {m: "0.9*m + 0.1*gg", t: "g"}
  update: ["theta - lamda*m", theta - lambda * (m, "theta + foo(m)"]
  parameters: {mu: 3, iterations: 5, lr: 2}
---
study: unused
task: {problem: quadratic}
optimizer: {name: formula, state: {m: "m + g"}, update: "theta - lamda*m", parameters: {mu: 3}}
---
study: useless
task: {problem: quadratic}
optimizer: {name: formula, state: {m: "m + g"}, update: "theta - lambda*g"}
---
study: both
task: {problem: quadratic}
optimizer: {name: formula, update: "theta - lambda*g", tame: "1 + abs(g)"}
---
study: another
task: {problem: quadratic}
optimizer: {name: adam, parameters: {mu: 3}}
END
expect 2 poula sweep wrong.yaml --dry-run
contains err "wrong.yaml:5:32: state: t cannot be a state: formulas have that name already"
contains err "wrong.yaml:6:48: update: this ( is not closed"
contains err "wrong.yaml:6:61: update: there is no function foo; there are sin"
contains err "wrong.yaml:7:23: iterations cannot be a parameter: it is a setting of problem"
contains err "wrong.yaml:7:38: lr cannot be a parameter: formulas have that name already"
contains err "wrong.yaml:11:66: update uses lamda, which is not there; did you mean lambda?"
contains err "wrong.yaml:11:89: no formula uses the parameter mu"
contains err "the state m changes nothing: update does not use it"
contains err "update says the whole rule, so tame must be left out"
contains err "optimizer adam has no setting mu"

# A network that is stopped and goes on, on one thread and on two, and chains.
cat >network.yaml <<'END'
study: network
task: {dataset: glyphs, model: mlp, hidden: 16, train_images: 400, test_images: 100, batch: 50, epochs: 3}
optimizer:
  name: formula
  state: {m: "0.9*m + 0.1*g", v: "0.99*v + 0.01*g^2"}
  update: "theta - lambda*m/(1 - 0.9^t)/(sqrt(v/(1 - 0.99^t)) + epsilon) + sqrt(2*lambda/beta)*xi"
  lambda: 0.01
---
study: chains
task: {problem: langevin, target: quartic, chains: 1000, iterations: 100, record: 5}
optimizer: {name: formula, update: "theta - lambda*g/(1 + lambda*norm_g^2) + sqrt(2*lambda/beta)*xi", lambda: 0.01, beta: 2}
END
expect 0 poula sweep network.yaml --db network.db
contains out "network: 1 finished"
contains out "chains: 1 finished"
expect 0 poula verify 1 --db network.db
expect 0 poula verify 2 --db network.db
