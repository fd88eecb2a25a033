#!/usr/bin/python3
"""Measures poula beside the same program for PyTorch, in turns, so that neighbours on the machine disturb both alike.

Called by tools/bench. Prints what was measured and the target beside it, and judges nothing.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGES, TEXT = ("vgg11", "resnet34", "densenet121"), "awd_lstm"
MODELS = IMAGES + (TEXT,)
LAYERS = (1, 3)
# How many times the examples per second of the better PyTorch are aimed at (with two threads, and for language models by
# layers and threads), and how much of its memory.
TARGETS = {("vgg11", "fast"): 6.0, ("resnet34", "fast"): 4.5, ("densenet121", "fast"): 5.0,
           (1, 2): 2.5, (1, 1): 2.2, (3, 2): 1.9, (3, 1): 1.8}
TARGET_MEMORY, TARGET_MEMORY_TEXT, TARGET_JOBS = 1.2, 1.0, 1.9
SAME = ("parameters", "batch", "bptt", "words") # of what all programs train


def say(text):
    print(text, file=sys.stderr, flush=True)


def started(command, cpus=None):
    """A process that prints JSON, pinned to a list of cores where one is given."""
    if cpus:
        command = ["taskset", "-c", ",".join(map(str, cpus))] + command
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def answer(process):
    text, _ = process.communicate()
    if process.returncode:
        sys.exit(f"bench: '{' '.join(process.args)}' ended with {process.returncode}")
    return json.loads(text)


def spread(values):
    values = list(values)
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def pythons(bench2):
    """The interpreters whose PyTorch is measured: Debian's, and that of the newest wheel where it is installed."""
    found = {"debian": "/usr/bin/python3"}
    if os.path.exists(bench2):
        found["wheel"] = bench2
    else:
        say("the newest PyTorch is not installed (tools/deps --install bench2): Debian's alone is compared")
    return found


class Bench:
    def __init__(self, args):
        self.args = args
        self.cores = sorted(os.sched_getaffinity(0))
        self.pythons = pythons(args.bench2)

    def poula(self, model, threads, *rest, steps=None):
        return [self.args.poula, "bench", "train", "--model", model, "--threads", str(threads), "--steps",
                str(steps or self.args.steps), "--format", "json", *rest]

    def images(self, model, threads, precision, steps=None):
        return self.poula(model, threads, "--batch", str(self.args.batch), "--precision", precision, steps=steps)

    def peers(self, program, threads, *rest):
        return {kind: ["env", f"OPENBLAS_NUM_THREADS={threads}", "CUDA_VISIBLE_DEVICES=", python,
                       os.path.join(HERE, program), "--threads", str(threads), "--steps", str(self.args.steps), *rest]
                for kind, python in self.pythons.items()}

    def in_turns(self, what, commands):
        """Runs every program once a round, each round beginning with another one. Returns what they printed."""
        runs, kinds = {kind: [] for kind in commands}, list(commands)
        for number in range(self.args.rounds):
            say(f"{what}, round {number + 1} of {self.args.rounds}")
            first = number % len(kinds)
            for kind in kinds[first:] + kinds[:first]:
                runs[kind].append(answer(started(commands[kind])))
        same = {tuple(run.get(field) for field in SAME) for done in runs.values() for run in done}
        if len(same) != 1:
            sys.exit(f"bench: the programs' {what} differ: {same}")
        return runs

    def row(self, runs, kind, rate, fixed):
        """What a poula program reached beside the PyTorch that was faster."""
        done = runs[kind]
        peer = max(self.pythons, key=lambda name: statistics.median(run[rate] for run in runs[name]))

        def middle(of, field):
            return statistics.median(run[field] for run in runs[of])

        programs = {"poula": kind} | {name: name for name in self.pythons}
        ratios = {name: spread(a[rate] / b[rate] for a, b in zip(done, runs[name])) for name in self.pythons}
        return fixed | {
            "program": {name: runs[of][0].get("program", "poula") for name, of in programs.items()}, "peer": peer,
            rate: {name: spread(run[rate] for run in runs[of]) for name, of in programs.items()},
            "step_seconds": {name: spread(run["step_seconds"] for run in runs[of]) for name, of in programs.items()},
            "step_cpu_seconds": {name: spread(run["step_cpu_seconds"] for run in runs[of])
                                 for name, of in programs.items()},
            "ratios": ratios, "ratio": ratios[peer],
            "cpu_ratio": middle(peer, "step_cpu_seconds") / middle(kind, "step_cpu_seconds"),
            "gflops": middle(kind, "gflops"), "peak_gflops": max(run["peak_gflops"] for run in done),
            "optimizer_ns_per_parameter": {name: middle(of, "optimizer_ns_per_parameter")
                                           for name, of in programs.items()},
            "peak_memory_mb": {name: middle(of, "peak_memory_mb") for name, of in programs.items()},
            "memory_ratio": middle(kind, "peak_memory_mb") / middle(peer, "peak_memory_mb"),
        }

    def compare(self, model):
        threads = self.args.threads
        commands = {kind: self.images(model, threads, kind) for kind in ("fast", "exact")}
        commands |= self.peers("peer_torch.py", threads, "--model", model, "--batch", str(self.args.batch))
        runs = self.in_turns(model, commands)
        return [self.row(runs, kind, "images_per_second", {
            "model": model, "precision": kind, "threads": threads, "ratio_target": TARGETS.get((model, kind)),
            "memory_ratio_target": TARGET_MEMORY}) for kind in ("fast", "exact")]

    def compare_text(self, layers, threads):
        """A language model with so many layers, poula and PyTorch in turns."""
        commands = {"poula": self.poula(TEXT, threads, "--layers", str(layers))}
        commands |= self.peers("peer_text.py", threads, "--layers", str(layers))
        runs = self.in_turns(f"{TEXT} with {layers} layers, {threads} threads", commands)
        first = runs["poula"][0]
        return self.row(runs, "poula", "tokens_per_second", {
            "model": TEXT, "layers": layers, "threads": threads, "batch": first["batch"], "bptt": first["bptt"],
            "words": first["words"], "ratio_target": TARGETS.get((layers, threads)),
            "memory_ratio_target": TARGET_MEMORY_TEXT})

    def jobs(self, model):
        """One one-thread job, then two at once, each on a core of its own, in turns; None on a single core."""
        if len(self.cores) < 2:
            return None
        command = self.images(model, 1, "fast", steps=2 * self.args.steps)
        one, two = [], []
        for number in range(self.args.rounds):
            say(f"{model}, one and two jobs of one thread, round {number + 1} of {self.args.rounds}")
            one.append(answer(started(command, self.cores[:1]))["images_per_second"])
            pair = [started(command, [core]) for core in self.cores[:2]]
            two.append(sum(answer(process)["images_per_second"] for process in pair))
        return {"model": model, "one_job": statistics.median(one), "two_jobs": statistics.median(two),
                "ratio": statistics.median(b / a for a, b in zip(one, two)), "ratio_target": TARGET_JOBS}

    def optimizer(self):
        say("optimizer steps")
        return [answer(started([self.args.poula, "bench", "optim", "--params", "10M", "--threads", str(threads),
                                "--format", "json"]))[0] for threads in sorted({1, self.args.threads})]

    def sweep(self):
        say("a sweep and tables")
        return answer(started([self.args.poula, "bench", "sweep", "--format", "json"]))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return os.uname().machine


def measure(args):
    bench = Bench(args)
    result = {"processor": processor(), "cores": len(bench.cores), "threads": args.threads, "batch": args.batch,
              "steps": args.steps, "rounds": args.rounds, "isa": os.environ.get("POULA_ISA"),
              "load_before": os.getloadavg()[0]}
    if result["load_before"] > 0.5:
        say(f"the load is {result['load_before']:.1f}: other programs disturb what is measured")
    images = [model for model in args.models if model != TEXT]
    result["training"] = [row for model in images for row in bench.compare(model)]
    result["text"] = [bench.compare_text(layers, threads) for layers in LAYERS for threads in sorted({1, args.threads})
                      if TEXT in args.models]
    result["jobs"] = [row for row in (bench.jobs(model) for model in images[:1 if args.quick else 2]) if row]
    result["optimizer"] = bench.optimizer()
    result["isa"] = result["optimizer"][0]["isa"]
    if not args.quick:
        result["sweep"] = bench.sweep()
    result["load_after"] = os.getloadavg()[0]
    return result


def target(value, sign):
    return "" if value is None else f"{sign}{value:g}"


def show_rows(rows, rate, what, unit):
    """For each program of a row its rate, the time of a step by the clock and in processor time, and memory; then what
    poula reached beside the better PyTorch."""
    print(f"{what:24} {'program':15} {unit:>9} {'least':>8} {'most':>8} {'ms':>8} {'CPU ms':>8} {'least':>8} {'most':>8} "
          f"{'update':>7} {'MB':>6}")
    for row in rows:
        for name, rates in row[rate].items():
            step, cpu = row["step_seconds"][name], row["step_cpu_seconds"][name]
            if name != "poula" and row.get("precision") == "exact":
                continue # stands above
            program = row["program"][name].split("+")[0] + ("" if name != row["peer"] or len(row["ratios"]) == 1 else " *")
            print(f"{named(row) if name == 'poula' else '':24} {program:15} {rates['median']:9.1f} {rates['least']:8.1f} "
                  f"{rates['most']:8.1f} {1e3 * step['median']:8.1f} {1e3 * cpu['median']:8.1f} {1e3 * cpu['least']:8.1f} "
                  f"{1e3 * cpu['most']:8.1f} {row['optimizer_ns_per_parameter'][name]:7.2f} "
                  f"{row['peak_memory_mb'][name]:6.0f}")
    print(f"\n{what:24} {'ratio':>6} {'least':>6} {'most':>6} {'target':>6} {'CPU':>6} {'GFLOP/s':>8} {'of peak':>8} "
          f"{'part':>5} {'memory':>7} {'target':>6}")
    for row in rows:
        ratio = row["ratio"]
        print(f"{named(row):24} {ratio['median']:6.2f} {ratio['least']:6.2f} {ratio['most']:6.2f} "
              f"{target(row['ratio_target'], '>='):>6} {row['cpu_ratio']:6.2f} {row['gflops']:8.1f} "
              f"{row['peak_gflops']:8.1f} {row['gflops'] / row['peak_gflops']:5.2f} {row['memory_ratio']:7.2f} "
              f"{target(row['memory_ratio_target'], '<='):>6}")


def named(row):
    if row["model"] == TEXT:
        return f"layers {row['layers']}, threads {row['threads']}"
    return f"{row['model']} {row['precision']}"


def show_training(result):
    print(f"\nforward, backward and TheoPouLa's step, batch {result['batch']}, float, {result['threads']} threads; "
          f"medians and extremes of {result['rounds']} rounds of {result['steps']} steps")
    show_rows(result["training"], "images_per_second", "model", "images/s")


def show_text(result):
    first = result["text"][0]
    print(f"\ntraining {first['model']}, {first['batch']} columns of {first['bptt']} tokens, {first['words']} words, "
          f"float; medians and extremes of {result['rounds']} rounds of {result['steps']} steps")
    show_rows(result["text"], "tokens_per_second", "model", "tokens/s")


def show_rest(result):
    if result["jobs"]:
        print(f"\njobs of one thread, each on a core of its own\n"
              f"{'model':12} {'one job':>9} {'two jobs':>9} {'ratio':>6} {'target':>6}   images/s")
    for row in result["jobs"]:
        print(f"{row['model']:12} {row['one_job']:9.1f} {row['two_jobs']:9.1f} {row['ratio']:6.2f} "
              f"{target(row['ratio_target'], '>='):>6}")
    print(f"\n{'update':12} {'threads':>9} {'ns':>9} {'stream':>6}   for each parameter, and what memory allows")
    for row in result["optimizer"]:
        print(f"{row['optimizer']:12} {row['threads']:9} {row['ns_per_parameter']:9.2f} {row['stream']:6.2f}")
    if "sweep" in result:
        sweep = result["sweep"]
        print(f"\nsweep        {sweep['runs']} runs of the toy example, {sweep['jobs']} jobs: "
              f"{sweep['runs_per_second']:.0f} runs/s, database {sweep['database_mb']:.1f} MB")
        for name in ("million", "curves"):
            table = sweep["table_" + name]
            print(f"table        {table['runs']} runs of {table['epochs']} epochs: {table['seconds']:.2f} s")


def show(result):
    print(f"{result['processor']}, {result['cores']} cores, {result['isa']}; load {result['load_before']:.1f} before, "
          f"{result['load_after']:.1f} after")
    if result["training"]:
        show_training(result)
    if result["text"]:
        show_text(result)
    if result["training"] or result["text"]:
        print("*: the faster PyTorch, beside which the ratios are. CPU: its processor time for a step in poula's, which "
              "depends less on\nwhat else runs; waiting in a loop counts. update: ns for each parameter. GFLOP/s: 2 "
              "operations for each multiply-add,\n3 passes as long as the forward one; Winograd and what dropout leaves "
              "out need fewer.")
    show_rest(result)


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--poula", default="build/poula", help=argparse.SUPPRESS)
    parser.add_argument("--bench2", default="build-bench2/bin/python", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="one round of two steps, and no sweep")
    parser.add_argument("--models", default=",".join(MODELS), help="which, separated by commas (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))), help="default: 2")
    parser.add_argument("--batch", type=int, default=128, help="images of a step (default: 128); a text has 20 columns of 70 tokens")
    parser.add_argument("--rounds", type=int, help="how often each program runs (default: 3)")
    parser.add_argument("--steps", type=int, help="timed steps of each run (default: 5)")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    args = parser.parse_args()
    args.models = args.models.split(",")
    for model in args.models:
        if model not in MODELS:
            parser.error(f"there is no model {model} in this comparison; there are: {' '.join(MODELS)}")
    for name in ("threads", "batch", "rounds", "steps"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            parser.error(f"--{name} must be at least 1")
    args.rounds = args.rounds or (1 if args.quick else 3)
    args.steps = args.steps or (2 if args.quick else 5)
    return args


def main():
    args = arguments()
    result = measure(args)
    if args.format == "json":
        print(json.dumps(result, indent=1))
    else:
        show(result)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
