/* Bad specs: each must be refused with a complaint that names the place and what would be legal. */
#include "spec_bad_parts.h"

static void bad_values(void **state)
{
    (void)state;
    /* In place of @: a value of theopoula's lambda, a number in (0,inf); it stands at line 3, column 40. */
    static const struct {
        const char *value, *complaint;
    } cases[] = {
        {"010", "lambda: \"010\" starts with 0"},
        {"00.5", "lambda: \"00.5\" starts with 0"},
        {"-01", "lambda: \"-01\" starts with 0"},
        {"1:30", "lambda: \"1:30\" is a time or a base-60 number"},
        {"''", "lambda: \"\" is empty; lambda must be a number in (0,inf)"},
        {"Infinity", "lambda: \"Infinity\" is spelled .inf"},
        {"1_000", "lambda: \"1_000\" has _ between its digits"},
        {"0x10", "lambda: \"0x10\" is a number in another base"},
        {"0b1", "lambda: \"0b1\" is a number in another base"},
        {"0o7", "lambda: \"0o7\" is a number in another base"},
        {"\"010\"", "lambda: \"010\" starts with 0"},
        {"\"1,5\"", "lambda: \"1,5\" has a comma"},
        {"1e999", "lambda: \"1e999\" is too large"},
        {"1e-400", "lambda: \"1e-400\" is too small"},
        {"1.2.3", "lambda: \"1.2.3\" has too many points"},
        {".nan", "lambda: \".nan\" is not a number"},
        {"yes", "lambda: \"yes\" is not a number"},
        {"true", "lambda: \"true\" is not a number"},
        {"-1", "lambda is -1, but must be a number in (0,inf)"},
        {"0", "lambda is 0, but must be a number in (0,inf)"},
        {"\"0/1\"", "lambda from \"0/1\": lambda is 0, but must be a number in (0,inf)"},
        {".inf", "lambda is inf, but must be a number in (0,inf)"},
        {"", "lambda has no value"},
        {"~", "lambda has no value"},
        {"null", "lambda has no value"},
        {"[]", "lambda is an empty list"},
        {"{a: 1}", "lambda must be one value or a list of values, not a mapping"},
        {"[[1]]", "1: x"}, /* replaced below: the item's own column */
        {"fast", "lambda: \"fast\" is neither a number nor an expression: there is no setting fast here"},
        {"\"2*epsilom\"",
         "lambda: \"2*epsilom\" is neither a number nor an expression: there is no setting epsilom here; did "
         "you mean epsilon?"},
        {"\"2*\"", "lambda: \"2*\" is neither a number nor an expression: a value is missing (at character 3)"},
        {"\"1 2\"", "lambda: \"1 2\" is neither a number nor an expression: an operator is missing (at character 3)"},
        {"\"1 .5 + beta\"", "lambda: \"1 .5 + beta\" is neither a number nor an expression: an operator is missing"},
        {"\"2(beta)\"", "lambda: \"2(beta)\" is neither a number nor an expression: an operator is missing"},
        {"\"2**3\"", "lambda: \"2**3\" is neither a number nor an expression: a power is written ^, not **"},
        {"\"*2\"", "lambda: \"*2\" is neither a number nor an expression: a value is missing (at character 1)"},
        {"\"min()\"", "lambda: \"min()\" is neither a number nor an expression: a value is missing (at character 5)"},
        {"\"1 ? 2\"", "lambda: \"1 ? 2\" is neither a number nor an expression: If-then-else"},
        {"\"(1\"", "lambda: \"(1\" is not an expression: a ( is not closed"},
        {"\"1)\"", "lambda: \"1)\" is neither a number nor an expression"},
        {"\"1, 2\"", "lambda: \"1, 2\" is neither a number nor an expression"},
        {"\"beta = 3\"", "lambda: \"beta = 3\" is neither a number nor an expression"},
        {"\"010*beta\"", "lambda: \"010*beta\" is neither a number nor an expression"},
        {"\"system(1)\"", "lambda: \"system(1)\" is neither a number nor an expression: there is no function system"},
        {"\"lambda*2\"", "lambda: \"lambda*2\" needs lambda, which needs itself"},
        {"\"variant\"", "lambda: \"variant\" uses variant, which is not a number"},
        {"\"sqrt(-beta)\"", "lambda from \"sqrt(-beta)\": the result is not a number (with beta = 100000000000000)"},
        {"\"log(1)\"", "lambda from \"log(1)\": lambda is 0, but must be a number in (0,inf)"},
        {"\"sqrt(1, 2)\"", "lambda: \"sqrt(1, 2)\" is neither a number nor an expression"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text text = {0}, wanted = {0};
        pl_text_addf(&text, HEAD "optimizer: {name: theopoula, lambda:   %s}\n", cases[i].value);
        pl_text_addf(&wanted, "3:40: %s", cases[i].complaint);
        if (!strcmp(cases[i].value, "[[1]]"))
            refused(pl_text(&text), "3:41: lambda must be one value or a list of values, not a list in a list");
        else if (!*cases[i].value || !strcmp(cases[i].value, "~"))
            refused(pl_text(&text), *cases[i].value ? pl_text(&wanted) : "3:");
        else
            refused(pl_text(&text), pl_text(&wanted));
        pl_text_release(&text);
        pl_text_release(&wanted);
    }
    assert_int_equal(wrong_complaints, 0);
}

static void bad_specs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        /* whole numbers, booleans, words */
        {"study: s\ntask: {problem: theta30, iterations: 1.5}\noptimizer: sgd\n",
         "2:38: iterations is 1.5, but must be a whole number in ["},
        {"study: s\ntask: {problem: theta31, iterations: 1.5}\noptimizer: sgd\n",
         "2:38: iterations is 1.5, but must be a whole number\n"},
        {"study: s\ntask: {problem: theta30, iterations: \"10/4\"}\noptimizer: sgd\n",
         "2:38: iterations from \"10/4\": iterations is 2.5, but must be a whole number in ["},
        {HEAD "optimizer: {name: sgd, nesterov: yes}\n", "3:34: nesterov: \"yes\" must be true or false"},
        {HEAD "optimizer: {name: sgd, nesterov: 1}\n", "3:34: nesterov: \"1\" must be true or false"},
        {HEAD "optimizer: {name: sgd, nesterov: \"true\"}\n",
         "3:34: nesterov: \"true\" must be true or false, without quotes"},
        {HEAD "optimizer: {name: theopoula, variant: offical}\n",
         "3:39: variant is \"offical\", but must be one of: paper official"},
        /* keys */
        {HEAD "optimizer: {name: theopoula, epsilom: 1}\n",
         "3:30: optimizer theopoula has no setting epsilom; did you mean epsilon?"},
        {HEAD "optimizer: {name: sgd, epsilon: 1}\n", "3:24: optimizer sgd has no setting epsilon (as have "},
        {HEAD "optimizer: {name: [adam, sgd], beta1: 0.5}\n", "3:32: optimizer sgd has no setting beta1 (as have "},
        {"study: s\ntask: {problem: theta30, iteration: 5}\noptimizer: sgd\n",
         "2:26: task theta30 has no setting iteration; did you mean iterations?"},
        {HEAD "optimizer: {name: sgd}\nschedule: {decy: 1}\n",
         "4:12: the schedule of theta30 has no setting decy; did you mean decay?"},
        {HEAD "optimizer: {name: sgd}\nschedule: {lambda: 1}\n",
         "4:12: lambda belongs in optimizer: {...}, not in schedule"},
        {HEAD "optimizer: sgd\nsettings: {width: 1}\n", "4:12: the section settings is for command tasks"},
        {HEAD "optimizer: sgd\nlambda: 1\n", "4:1: a study cannot have the key lambda; it belongs in optimizer: {...}"},
        {HEAD "optimiser: sgd\n", "3:1: a study cannot have the key optimiser; did you mean optimizer?"},
        {HEAD "optimizer: {name: sgd, lr: 1, λ: 2}\n", "3:31: λ and lr (line 3) are the same setting"},
        {HEAD "optimizer: {name: sgd, name: adam}\n", "3:24: the key name was already given in line 3"},
        {HEAD "optimizer: {name: sgd, optimizer: adam}\n", "3:24: optimizer and name (line 3) are the same setting"},
        {HEAD "optimizer: sgd\nseeds: 1\nseeds: 2\n", "5:1: the key seeds was already given in line 4"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, lines: [lambda, momentum], lines: lambda}]\n",
         "4:59: the key lines was already given in line 4"},
        {HEAD "optimizer: {? [a] : b}\n", "3:15: a key must be a plain text"},
        {"study: s\ntask: {command: [sh]}\nsettings: {seed: 1}\n", "3:12: "},
        {"study: s\ntask: {command: [sh]}\nsettings: {\"a b\": 1}\n", "3:12: "},
        {"study: s\ntask: {command: [sh]}\nsettings: {epoch: 1}\n", "3:12: epoch cannot be a setting of a command"},
        {"study: s\ntask: {command: [sh]}\nsettings: {a: 010}\n", "3:15: a: \"010\" starts with 0"},
        {"study: s\ntask: {command: [sh]}\nsettings: {a: 12345678901234567890}\n",
         "3:15: a: \"12345678901234567890\" has more digits than a number keeps (or \"in quotes\" as text)"},
        {"study: s\ntask: {command: [sh]}\nsettings: {a: no}\n", "3:15: a: \"no\" is a boolean to some readers"},
        {"study: s\ntask: {command: [sh]}\nsettings: {a: \"=b\"}\n",
         "3:15: a: \"=b\" is neither a number nor an expression"},
        {"study: s\ntask: {command: []}\n", "2:17: command is an empty list"},
        {"study: s\ntask: {command: [sh, {a: b}]}\n", "2:22: command must be one value"},
        {HEAD "optimizer: sgd\nschedule: {decay: 1, milestones: [a]}\n", "4:35: milestones: \"a\" is not a number"},
        /* choices */
        {HEAD "optimizer: theopuola\n", "3:12: there is no optimizer \"theopuola\"; did you mean theopoula?"},
        {"study: s\ntask: {problem: theta3}\noptimizer: sgd\n",
         "2:17: there is no problem \"theta3\"; did you mean theta30?"},
        {"study: s\ntask: {problem: theta3}\noptimizer: sdg\n",
         "3:12: there is no optimizer \"sdg\"; did you mean sgd?"},
        {"study: s\noptimizer: sgd\n", "1:8: "},
        {HEAD, "1:8: the optimizer is missing"},
        {"study: s\ntask: {problem: theta30, command: ls}\noptimizer: sgd\n",
         "2:26: a task has one of problem, command"},
        {HEAD "optimizer: []\n", "3:12: optimizer is an empty list"},
        {HEAD "optimizer: [{name: sgd}]\n", "3:13: optimizer must be one value or a list of values, not a mapping"},
        {HEAD "optimizer: [sgd, adam, sgd]\n", "3:24: optimizer: this value was already given in line 3, column 13"},
        {"study: s\ntask: theta30\noptimizer: sgd\n", "2:7: task must be a mapping of settings, such as {problem: "},
        /* axes */
        {HEAD "optimizer: {name: sgd, lambda: [0.1, 1, 1e-1]}\n",
         "3:41: lambda: this value was already given in line 3, column 33"},
        {HEAD "optimizer: {name: theopoula, lambda: [1, 2, 1], beta: [8, 9, 8]}\nzip: [[lambda, beta]]\n",
         "3:45: lambda (zipped): this value was already given in line 3, column 39"},
        {HEAD "optimizer: {name: theopoula, lambda: [1, 2], epsilon: \"eta\", eta: \"lambda*epsilon\"}\n",
         "3:67: eta: \"lambda*epsilon\" needs epsilon, which needs eta"},
        {HEAD "optimizer: {name: theopoula, lambda: [1, 2, 3], epsilon: \"2 - lambda\"}\n",
         "3:58: epsilon from \"2 - lambda\": epsilon is -1, but must be a number in [0,inf] (with lambda = 3)"},
        /* zip, exclude, cases */
        {HEAD "optimizer: {name: sgd, lambda: [1, 2], momentum: [0.1, 0.2, 0.3]}\nzip: [[lambda, momentum]]\n",
         "4:16: zip: momentum has 3 values, but lambda has 2; they must be equally many"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2], momentum: 0.1}\nzip: [[lambda, momentum]]\n",
         "4:16: zip: momentum has no list of values here; legal: lambda"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2], momentum: [0, 0.1]}\nzip: [[lambda, momentu]]\n",
         "4:16: zip: momentu has no list of values here; did you mean momentum?"},
        {HEAD
         "optimizer: {name: sgd, lambda: [1, 2], momentum: [0, 0.1]}\nzip: [[lambda, momentum], [momentum, lambda]]\n",
         "4:28: zip: momentum is already in a group"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nzip: [[lambda]]\n", "4:7: zip: a group must name at least two"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nzip: {lambda: momentum}\n", "4:6: zip must be a list of groups"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: {lambda: 1}\n", "4:10: exclude must be a list"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [lambda]\n",
         "4:11: exclude: each item must be a mapping"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lamda: 1}]\n",
         "4:12: exclude: there is no setting lamda here; did you mean lambda?"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lambda: 3}]\n", "4:11: exclude: no run of the study"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lambda: x}]\n",
         "4:20: exclude: lambda must be compared"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lambda: 1, seed: 2}]\n",
         "4:29: exclude: this is not a seed"},
        {HEAD "optimizer: {name: sgd, lambda: [1, 2]}\nexclude: [{lambda: [1, 2]}]\n", "1:8: no run is left"},
        {HEAD "optimizer: sgd\nseeds: [1, 2, 3]\nexclude: [{seed: [1, 2, 3], seeds: 2}]\n",
         "5:29: exclude: seed is already given"},
        {HEAD "cases: {optimizer: sgd}\n", "3:8: cases must be a list of mappings"},
        {HEAD "cases: [sgd]\n", "3:9: a case must be a mapping"},
        {HEAD "cases: [{optimizer: sgd, seeds: 1}]\n", "3:26: a case cannot have the key seeds"},
        {HEAD "optimizer: {epsilon: 1}\ncases: [{optimizer: sgd}, {optimizer: {name: adam}}]\n",
         "3:13: optimizer sgd has no setting epsilon"},
        /* commands: a text for a shell (L11), and how output is read */
        {"study: s\ntask: {command: \"python3 train.py --lr {lr}\"}\nsettings: {lr: [0.1]}\n",
         "2:17: command is a list of words, the program and its arguments, not one text: command: [python3, train.py, "
         "--lr, "
         "\"{lr}\"] (or [sh, -c, \"...\"] for what a shell is to understand)"},
        {"study: s\ntask: {command: [\"python3 train.py\"]}\n", "2:17: command is a list of words"},
        {"study: s\ntask: {command: [echo]}\npattern: \"(?<loss>\"\n",
         "3:10: the pattern \"(?<loss>\" is wrong behind"},
        {"study: s\ntask: {command: [echo]}\nmetrics_file: m.csv\n", "3:15: metrics_file must have {run_folder} in it"},
        {"study: s\ntask: {command: [echo]}\nstall: 10x\n",
         "3:8: stall must be a time, such as 90 (seconds), 10m or 2h"},
        {"study: s\ntask: {command: [echo]}\nstderr: yes\n", "3:9: stderr: \"yes\" must be true or false"},
        {HEAD "optimizer: sgd\nstall: 10m\n",
         "4:8: pattern, metrics_file, stderr and stall are for studies of a command"},
        {"study: s\ntask: {command: [echo, \"--{args}\"]}\n", "2:17: {args} stands for words of its own"},
        {"study: s\ntask: {command: [echo, \"--x={a?}\"]}\nsettings: {a: 1}\n",
         "2:17: {a?} stands for words of its own"},
        {"study: s\ntask: {command: [\"{a?}\", b]}\nsettings: {a: \"\"}\n",
         "2:17: the first word of the command, its program, is empty"},
        {"study: s\ntask: {command: [echo], booleans: maybe}\n",
         "2:35: booleans is \"maybe\", but must be one of: words"},
        /* files of others, in one sentence (L12) */
        {"program: train.py\nname: first\nmethod: grid\nmetric: {name: val_loss, goal: minimize}\nparameters:\n"
         "  lr: {values: [0.1, 0.01]}\n  batch_size: {value: 64}\n  wd: {min: 0, max: 1}\ncommand: [python3, "
         "\"${program}\"]\n",
         "1:1: this is a sweep of Weights & Biases, not a spec of poula; write study: first, task: {command: [python3, "
         "train.py, "
         "\"{args}\", \"--seed={seed}\"]}, settings: {lr: [0.1, 0.01], batch_size: 64, wd: [...]}, seeds: [1, 2, 3]"},
        {"defaults: [{override /hydra/sweeper: basic}]\nhydra: {mode: MULTIRUN}\n",
         "1:1: this is a configuration of Hydra"},
        {"stages: {train: {cmd: python train.py, params: [lr]}}\n", "1:1: this is a pipeline of DVC"},
        {"train:\n  main: train\n  flags: {lr: [0.1, 0.01]}\n",
         "1:1: this is an operation file of Guild AI, not a spec of poula; write study: NAME, task: {command: "
         "[python3, train.py, "
         "\"{args}\", \"--seed={seed}\"]}, settings: {lr: [0.1, 0.01]}"},
        {"study: s\ntask: {command: [echo, \"{lr}\"]}\nsettings: {lr: {values: [0.1, 0.01]}}\n",
         "3:16: lr: {values: ...} is how W&B writes it"},

        /* seeds, timeout, name */
        {HEAD "optimizer: sgd\nseeds: [1, 2, 1]\n", "4:15: the seed 1 is given twice"},
        {HEAD "optimizer: sgd\nseeds: []\n", "4:8: seeds: there must be between 1 and"},
        {HEAD "optimizer: sgd\nseeds: [1.5]\n", "4:9: a seed must be a whole number"},
        {HEAD "optimizer: sgd\nseeds: -1\n", "4:8: a seed must be a whole number"},
        {HEAD "optimizer: sgd\nseeds: 9223372036854775808\n",
         "4:8: a seed must be a whole number from 0 to 9223372036854775807"},
        {HEAD "optimizer: sgd\nseeds: {from: 3, to: 1}\n", "4:22: seeds: to must be at least from"},
        {HEAD "optimizer: sgd\nseeds: {from: 0, to: 9223372036854775807}\n",
         "4:22: seeds: to must be at least from, with at"},
        {HEAD "optimizer: sgd\nseeds: {from: 1, until: 3}\n", "4:18: seeds cannot have the key until"},
        {HEAD "optimizer: sgd\nseeds: {from: 1}\n",
         "4:8: seeds must be a number, a list of numbers, or {from: 1, to: 40}"},
        {HEAD "optimizer: sgd\ntimeout: 0\n", "4:10: timeout must be a time, such as 90 (seconds), 10m or 2h"},
        {HEAD "optimizer: sgd\ntimeout: [1, 2]\n", "4:10: timeout must be a time"},
        {HEAD "optimizer: sgd\ntimeout: 2*x\n", "4:10: timeout must be a time"},
        {TASK "optimizer: sgd\n", "1:1: a study needs a name: study: NAME"},
        {"study: a/b\n" TASK "optimizer: sgd\n", "1:8: the name \"a/b\" must be at most 100 letters"},
        {"study: ..\n" TASK "optimizer: sgd\n", "1:8: the name \"..\" must be at most 100 letters"},
        {"study: \"\"\n" TASK "optimizer: sgd\n", "1:8: study has no value"},
        {"study: [s]\n" TASK "optimizer: sgd\n", "1:8: study must be a text, not a list"},
        {HEAD "optimizer: sgd\n---\n" HEAD "optimizer: sgd\n", "5:8: there is already a study s in this file"},
        /* tables and figures */
        {HEAD "optimizer: sgd\ntables: [{colums: lambda, value: best loss}]\n",
         "4:11: a table cannot have the key \"colums\"; did you mean columns?"},
        {HEAD "optimizer: sgd\ntables: [{columns: lamda, value: best loss}]\n",
         "4:20: columns: no run of this study has the setting \"lamda\"; did you mean lambda?"},
        {HEAD "optimizer: sgd\ntables: [{rows: [lr, lambda], value: best loss}]\n",
         "4:22: rows: lambda is named twice"},
        {HEAD "optimizer: sgd\ntables: [{rows: lr, columns: lr, value: best loss}]\n",
         "4:10: a table cannot have lambda in both rows and columns"},
        {HEAD "optimizer: sgd\ntables: [{value: bst loss}]\n",
         "4:18: value cannot be \"bst loss\"; it must be best METRIC"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: best}]\n",
         "4:32: select must be a mapping, such as {best: 2"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {best: 2}}]\n", "4:32: select needs over: the settings"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: []}}]\n", "4:39: over is an empty list"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: lamda}}]\n",
         "4:39: over: no run of this study has the setting \"lamda\"; did you mean lambda?"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: rank}}]\n",
         "4:39: over: no run of this study has the setting"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, rows: rank}]\n",
         "4:30: rows: no run of this study has the setting \"rank\""},
        {HEAD "optimizer: sgd\ntables: [{value: loss, rows: lr, select: {over: lr}}]\n",
         "4:49: over: lambda cannot be in the rows or columns of the table too"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: loss, lines: rank}]\n",
         "4:42: lines: no run of this study has the setting \"rank\""},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: loss, lines: lr, select: {over: lr}}]\n",
         "4:61: over: lambda cannot be in the panels or lines of the figure too"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: loss, select: {best: 2}}]\n",
         "4:43: select needs over: the settings"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: lr, best: 0}}]\n",
         "4:49: best is 0, but must be a whole number"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: lr, best: 1+1}}]\n",
         "4:49: best must be a whole number"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: lr, by: worst loss}}]\n",
         "4:47: by cannot be \"worst loss\""},
        {HEAD "optimizer: sgd\ntables: [{value: loss, select: {over: lr, bye: loss}}]\n",
         "4:43: select cannot have the key \"bye\"; did you mean by?"},
        {"study: s\ntask: {command: [sh]}\nsettings: {rank: 1, lr: 2}\ntables: [{value: loss, select: {over: lr}}]\n",
         "4:32: a table or figure with select has ranks, so no setting of the study can be called rank"},
        {HEAD "optimizer: sgd\ntables: [{rows: lr}]\n", "4:10: a table needs a value"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, cell: mean(sd)}]\n",
         "4:30: cell cannot be \"mean(sd)\"; did you mean "},
        {HEAD "optimizer: sgd\ntables: [{value: loss, digits: 99}]\n", "4:32: digits is 99, but must be"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, where: {lr: x1, mom: 1}}]\n",
         "4:40: where: there is no setting mom here"},
        {HEAD "optimizer: sgd\ntables: [{value: loss, where: {lr: x1}}]\n",
         "4:36: where: lambda must be compared with plain"},
        {HEAD "optimizer: sgd\nfigures: [{y: loss}]\n", "4:11: a figure needs a kind"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curve, y: loss}]\n",
         "4:18: kind cannot be \"curve\"; did you mean curves?"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves}]\n", "4:11: a figure of kind curves needs y: the metric"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, z: l}]\n", "4:35: a figure of kind curves has no z"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: best loss}]\n", "4:29: y cannot be \"best loss\""},
        {HEAD "optimizer: sgd\nfigures: [{kind: heatmap, x: lr, y: lr, z: l}]\n", "4:37: x and y of a heatmap"},
        {HEAD "optimizer: sgd\nfigures: [{kind: heatmap, x: lr, y: momentum, z: l, fit: true}]\n",
         "4:11: a figure of kind heatmap has neither fit nor slopes"},
        {HEAD "optimizer: sgd\nfigures: [{kind: sensitivity, x: lr, y: l, fit: maybe}]\n",
         "4:49: fit: \"maybe\" must be true or false"},
        {HEAD "optimizer: sgd\nfigures: [{kind: sensitivity, x: lr, y: l, fit: [2, 1]}]\n",
         "4:49: fit must be [low, high]"},
        {HEAD "optimizer: sgd\nfigures: [{kind: sensitivity, x: lr, y: l, slopes: [1,2,3,4,5,6]}]\n",
         "4:52: slopes names more than 5"},
        {HEAD "optimizer: sgd\nfigures: [{kind: sensitivity, x: lr, y: l, slopes: steep}]\n",
         "4:52: slopes must be numbers"},
        {HEAD "optimizer: sgd\nfigures: [{kind: sensitivity, y: l}]\n", "4:11: a figure of kind sensitivity needs x"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, y_range: [2, 1]}]\n",
         "4:41: y_range must be [low, high]"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, log: z1}]\n", "4:37: log cannot be \"z1\""},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, name: a/b}]\n", "4:38: name \"a/b\" becomes a file name"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, name: a}, {kind: curves, y: l, name: a}]\n",
         "4:42: there is already a figure a"},
        {HEAD "optimizer: sgd\nfigures: [{kind: box, y: l}]\n", "4:11: a figure of kind box needs x"},
        {HEAD "optimizer: sgd\nfigures: [{kind: box, x: lr, y: l, log: x}]\n",
         "4:41: a figure of kind box has categories along x, which have no scale: log may be y"},
        {HEAD "optimizer: sgd\nfigures: [{kind: strip, x: lr, y: l, x_range: [0, 1]}]\n",
         "4:47: a figure of kind strip has no x_range"},
        {HEAD "optimizer: sgd\nfigures: [{kind: strip, x: lr, y: l, band: sem}]\n",
         "4:44: a figure of kind strip has no band"},
        {HEAD "optimizer: sgd\nfigures: [{kind: scatter, y: l}]\n", "4:11: a figure of kind scatter needs x"},
        {HEAD "optimizer: sgd\nfigures: [{kind: tuning, y: l, x: lr}]\n", "4:35: x cannot be \"lr\""},
        {HEAD "optimizer: sgd\nfigures: [{kind: tuning, y: l, band: wide}]\n", "4:38: band cannot be \"wide\""},
        {HEAD "optimizer: sgd\nfigures: [{kind: tuning, y: l, confidence: 95}]\n", "4:44: confidence"},
        {HEAD "optimizer: sgd\nfigures: [{kind: curves, y: l, tau_max: 2}]\n",
         "4:41: a figure of kind curves has no tau_max"},
        {HEAD "optimizer: sgd\nfigures: [{kind: ranks, y: l, panels: lr}]\n",
         "4:39: a figure of kind ranks has no panels"},
        {HEAD "optimizer: sgd\nfigures: [{kind: ranks, y: l, x: lr}]\n", "4:34: a figure of kind ranks has no x"},
        {HEAD "optimizer: sgd\nfigures: [{kind: profile, y: l}]\n", "4:30: a figure of kind profile is of times"},
        {HEAD "optimizer: sgd\nfigures: [{kind: ranks, y: l, select: {best: 2, over: lr}}]\n",
         "4:39: a figure of kind ranks compares the best of each method: best must be 1"},
        {HEAD "optimizer: sgd\nfigures: [{kind: ranks, y: l, lines: lr, select: {over: lr}}]\n",
         "4:57: over: lambda cannot be in the panels or lines of the figure too"},
        {HEAD "optimizer: sgd\nmetrics: {loss: up}\n", "4:17: the direction of a metric cannot be \"up\""},
        {HEAD "optimizer: sgd\nmetrics: [loss]\n", "4:10: metrics must be a mapping"},
        /* files */
        {"", "1:1: there is no study in this file"},
        {"# nothing\n", "1:1: there is no study in this file"},
        {"---\n---\n", "1:1: there is no study in this file"},
        {"defaults: {}\n", "1:1: there is no study in this file"},
        {"just words\n", "1:1: a spec must be a mapping"},
        {"- study: s\n", "1:1: a spec must be a mapping"},
        {"studies: []\n", "1:10: studies must be a list of studies"},
        {"studies: [a]\n", "1:11: a study must be a mapping"},
        {"studies: [{study: s, "
         "task: {problem: theta30}, optimizer: sgd}]\nseeds: 1\n",
         "2:1: beside studies and defaults there can be no seeds"},
        {"defaults: 3\n---\n" HEAD "optimizer: sgd\n", "1:11: defaults must be a mapping"},
        {"defaults: {}\n---\ndefaults: {}\n" HEAD "optimizer: sgd\n", "3:11: defaults were already given"},
        {"defaults: {study: a}\n---\n" HEAD "optimizer: sgd\n", "1:12: defaults cannot have the key study"},
        /* YAML itself */
        {"study: s\ntask: {problem: theta30\noptimizer: sgd\n",
         "3:10: did not find expected ',' or '}' while parsing a flow mapping that began in line 2, column 7"},
        {"study: s\n\ttask: {problem: theta30}\n", "2:1: "},
        {"study: s\ntask:\n\tproblem: theta30\n", "3:1: found character that cannot start any token"},
        {"study: s\ntask: \"open\n",
         "3:1: found unexpected end of stream while scanning a quoted scalar that began in line 2, column 7"},
        {"study: s\ntask: *nothing\n", "2:7: there is no anchor &nothing before this alias"},
        {"study: s\ntask: &a [*a]\n", "2:11: the alias *a contains itself"},
        {"study: !!str s\n", "1:8: the tag tag:yaml.org,2002:str is not supported"},
        {"study: s\ntask: !mine {problem: theta30}\n", "2:7: the tag !mine is not supported"},
        {"study: s\ntask: {<<: 3}\n", "2:12: << merges mappings"},
        {"study: \"a\\0b\"\n", "1:8: this text contains a NUL"},
        {"study: \"\x01\"\n", "1:9: "},
        /* an expression without settings is judged even where another value is wrong */
        {HEAD "optimizer: {name: theopoula, lambda: 1/0, beta: -1}\n",
         "3:38: lambda from \"1/0\": lambda is inf, but must be"},
        {HEAD "optimizer: {name: theopoula, lambda: 0/0, beta: -1}\n",
         "3:38: lambda from \"0/0\": the result is not a number"},
        {HEAD "optimizer: {name: theopoula, lambda: 1/0, beta: -1}\n", "3:49: beta is -1"},
        {"%YAML 3.0\n---\nstudy: s\n", "1:1: found incompatible YAML document"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        refused(cases[i].text, cases[i].complaint);
    assert_int_equal(wrong_complaints, 0);
}

/* Bytes that are no text. */
static void bad_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        const char *complaint;
    } cases[] = {
        {"study: s\nta\xFFsk: 1\n", 18, "spec.yaml:2:3: byte 11 (0xFF) is not UTF-8"},
        {"study: \xC3\xA9\xC3\n", 12, "spec.yaml:1:9: byte 9 (0xC3) is not UTF-8"},
        {"study: \xED\xA0\x80\n", 11, "spec.yaml:1:8: byte 7 (0xED) is not UTF-8"},
        {"study: s\0\n", 10, "spec.yaml:1:9: byte 8 is a NUL"},
        {"\xFF\xFEs\0t\0", 6, "spec.yaml:1:1: the file is UTF-16; save it as UTF-8"},
        {"\xFE\xFF\0s\0t", 6, "spec.yaml:1:1: the file is UTF-16; save it as UTF-8"},
        {"", 0, "spec.yaml:1:1: there is no study in this file"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pl_text problems = {0};
        refused_bytes(cases[i].bytes, cases[i].length, &problems);
        if (!strstr(pl_text(&problems), cases[i].complaint))
            fail_msg("wanted: %s\ngot:\n%s", cases[i].complaint, pl_text(&problems));
        pl_text_release(&problems);
    }
}

/* All complaints at once, in the order of the file, and not more than a screen or two. */
static void everything_is_said(void **state)
{
    (void)state;
    const char
        text[] = "study: s/t\n"
                 "task: {problem: theta30, iterations: 0x10, record: -1}\n"
                 "optimizer: {name: theopoula, lambda: [1_000, 0.1, 1e-1], lr: 010, epsilom: 1, epsilon: \"lamda\"}\n"
                 "seeds: [1, 1]\n"
                 "tables: [{value: 3}]\n";
    static const char *const wanted[] = {
        "spec.yaml:1:8: ",  "spec.yaml:2:38: ", "spec.yaml:2:52: ", "spec.yaml:3:39: ", "spec.yaml:3:51: ",
        "spec.yaml:3:58: ", "spec.yaml:3:67: ", "spec.yaml:3:88: ", "spec.yaml:4:12: ", "spec.yaml:5:18: ",
    };
    struct pl_text problems = {0};
    refused_bytes(text, strlen(text), &problems);
    const char *line = pl_text(&problems);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        if (strncmp(line, wanted[i], strlen(wanted[i])))
            fail_msg("wanted %s at\n%s\nof\n%s", wanted[i], line, pl_text(&problems));
        line = strchr(line, '\n') + 1;
    }
    assert_string_equal(line, "");
    pl_text_release(&problems);

    struct pl_text many = {0};
    pl_text_add(&many, HEAD "optimizer: sgd\ntables:\n");
    for (int i = 0; i < 130; i++)
        pl_text_addf(&many, "  - {value: loss, oops%d: 1}\n", i);
    refused_bytes(pl_text(&many), many.length, &problems);
    size_t lines = 0;
    for (const char *c = pl_text(&problems); *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 51);
    assert_non_null(strstr(pl_text(&problems), "spec.yaml:54:19: "));
    assert_null(strstr(pl_text(&problems), "spec.yaml:55:19: "));
    assert_non_null(strstr(pl_text(&problems), "and 80 more\n"));
    pl_text_release(&problems);
    pl_text_release(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_values),
        cmocka_unit_test(bad_specs),
        cmocka_unit_test(bad_bytes),
        cmocka_unit_test(everything_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
