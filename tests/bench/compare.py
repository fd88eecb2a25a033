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
# Times PyTorch's images per second that are aimed at with two threads; and how much memory beside PyTorch's.
TARGETS = {("vgg11", "fast"): 4.0, ("resnet34", "fast"): 3.0, ("densenet121", "fast"): 3.0, ("vgg11", "exact"): 2.2}
TARGET_MEMORY, TARGET_JOBS = 1.2, 1.9
# Tokens per second of a language model, by layers and threads, and its memory beside PyTorch's.
TARGETS_TEXT = {(3, 1): 500, (1, 1): 2000, (3, 2): 850, (1, 2): 3500}
TARGET_TEXT_MEMORY = 1.0


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


class Bench:
    def __init__(self, args):
        self.args = args
        self.cores = sorted(os.sched_getaffinity(0))

    def poula(self, model, threads, precision="fast", steps=None):
        return [self.args.poula, "bench", "train", "--model", model, "--batch", str(self.args.batch), "--threads",
                str(threads), "--precision", precision, "--steps", str(steps or self.args.steps), "--format", "json"]

    def peer(self, program, threads, *rest):
        return ["env", f"OPENBLAS_NUM_THREADS={threads}", "/usr/bin/python3", os.path.join(HERE, program), "--threads",
                str(threads), "--steps", str(self.args.steps), *rest]

    def torch(self, model):
        return self.peer("peer_torch.py", self.args.threads, "--model", model, "--batch", str(self.args.batch))

    def in_turns(self, model):
        """Runs of fast, exact and PyTorch, round after round, and what becomes of them."""
        runs = {"fast": [], "exact": [], "torch": []}
        for number in range(self.args.rounds):
            say(f"{model}, round {number + 1} of {self.args.rounds}")
            for kind, done in runs.items():
                command = self.torch(model) if kind == "torch" else self.poula(model, self.args.threads, kind)
                done.append(answer(started(command)))
        sizes = {run["parameters"] for done in runs.values() for run in done}
        if len(sizes) != 1:
            sys.exit(f"bench: the programs' {model} differ: {sizes} parameters")
        return runs

    def compare(self, model):
        runs = self.in_turns(model)

        def middle(kind, field):
            return statistics.median(run[field] for run in runs[kind])

        rows = []
        for kind in ("fast", "exact"):
            ratios = [a["images_per_second"] / b["images_per_second"] for a, b in zip(runs[kind], runs["torch"])]
            rows.append({
                "model": model, "precision": kind, "threads": self.args.threads,
                "images_per_second": middle(kind, "images_per_second"),
                "torch_images_per_second": middle("torch", "images_per_second"),
                "cpu_ratio": middle("torch", "step_cpu_seconds") / middle(kind, "step_cpu_seconds"),
                "ratio": statistics.median(ratios), "ratios": ratios, "ratio_target": TARGETS.get((model, kind)),
                "gflops": middle(kind, "gflops"), "peak_gflops": max(run["peak_gflops"] for run in runs[kind]),
                "optimizer_ns_per_parameter": middle(kind, "optimizer_ns_per_parameter"),
                "torch_optimizer_ns_per_parameter": middle("torch", "optimizer_ns_per_parameter"),
                "peak_memory_mb": middle(kind, "peak_memory_mb"),
                "torch_peak_memory_mb": middle("torch", "peak_memory_mb"),
                "memory_ratio": middle(kind, "peak_memory_mb") / middle("torch", "peak_memory_mb"),
                "memory_ratio_target": TARGET_MEMORY,
            })
        return rows

    def compare_text(self, layers, threads):
        """A language model with so many layers, poula and PyTorch in turns."""
        commands = {"poula": [self.args.poula, "bench", "train", "--model", TEXT, "--layers", str(layers), "--threads",
                              str(threads), "--steps", str(self.args.steps), "--format", "json"],
                    "torch": self.peer("peer_text.py", threads, "--layers", str(layers))}
        runs = {"poula": [], "torch": []}
        for number in range(self.args.rounds):
            say(f"{TEXT} with {layers} layers, {threads} threads, round {number + 1} of {self.args.rounds}")
            for kind, command in commands.items():
                runs[kind].append(answer(started(command)))
        same = {tuple(run[field] for field in ("parameters", "batch", "bptt", "words")) for done in runs.values()
                for run in done}
        if len(same) != 1:
            sys.exit(f"bench: the programs' {TEXT} differ: {same}")

        def middle(kind, field):
            return statistics.median(run[field] for run in runs[kind])

        ratios = [a["tokens_per_second"] / b["tokens_per_second"] for a, b in zip(runs["poula"], runs["torch"])]
        return {"model": TEXT, "layers": layers, "threads": threads, "batch": runs["poula"][0]["batch"],
                "bptt": runs["poula"][0]["bptt"], "words": runs["poula"][0]["words"],
                "tokens_per_second": middle("poula", "tokens_per_second"),
                "tokens_per_second_target": TARGETS_TEXT.get((layers, threads)),
                "torch_tokens_per_second": middle("torch", "tokens_per_second"),
                "ratio": statistics.median(ratios), "ratios": ratios,
                "cpu_ratio": middle("torch", "step_cpu_seconds") / middle("poula", "step_cpu_seconds"),
                "step_seconds": middle("poula", "step_seconds"), "torch_step_seconds": middle("torch", "step_seconds"),
                "gflops": middle("poula", "gflops"), "peak_gflops": max(run["peak_gflops"] for run in runs["poula"]),
                "peak_memory_mb": middle("poula", "peak_memory_mb"),
                "torch_peak_memory_mb": middle("torch", "peak_memory_mb"),
                "memory_ratio": middle("poula", "peak_memory_mb") / middle("torch", "peak_memory_mb"),
                "memory_ratio_target": TARGET_TEXT_MEMORY}

    def jobs(self, model):
        """One one-thread job, then two at once, each on a core of its own, in turns; None on a single core."""
        if len(self.cores) < 2:
            return None
        command = self.poula(model, 1, steps=2 * self.args.steps)
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


def show_training(result):
    print(f"\nforward, backward and TheoPouLa's step, batch {result['batch']}, float, {result['threads']} threads; "
          f"medians of {result['rounds']} rounds of {result['steps']} steps\n"
          f"{'model':12} {'precision':9} {'images/s':>9} {'PyTorch':>9} {'ratio':>6} {'target':>6} {'CPU':>6} "
          f"{'GFLOP/s':>8} {'of peak':>8} {'MB':>7} {'PyTorch':>8} {'ratio':>6} {'target':>6}")
    for row in result["training"]:
        print(f"{row['model']:12} {row['precision']:9} {row['images_per_second']:9.1f} "
              f"{row['torch_images_per_second']:9.1f} {row['ratio']:6.2f} {target(row['ratio_target'], '>='):>6} "
              f"{row['cpu_ratio']:6.2f} {row['gflops']:8.1f} {row['peak_gflops']:8.1f} {row['peak_memory_mb']:7.0f} "
              f"{row['torch_peak_memory_mb']:8.0f} {row['memory_ratio']:6.2f} "
              f"{target(row['memory_ratio_target'], '<='):>6}")
    print("GFLOP/s: 2 operations for each multiply-add, 3 passes as long as the forward one; Winograd needs fewer.\n"
          "CPU: PyTorch's processor time for a step in poula's, which depends less on what else runs; waiting counts.")


def show_text(result):
    first = result["text"][0]
    print(f"\ntraining {first['model']}, {first['batch']} columns of {first['bptt']} tokens, {first['words']} words, "
          f"float; medians of {result['rounds']} rounds of {result['steps']} steps\n"
          f"{'layers':>6} {'threads':>7} {'tokens/s':>9} {'target':>7} {'PyTorch':>9} {'ratio':>6} {'CPU':>6} "
          f"{'ms':>8} {'GFLOP/s':>8} {'of peak':>8} {'MB':>7} {'PyTorch':>8} {'ratio':>6} {'target':>6}")
    for row in result["text"]:
        print(f"{row['layers']:6} {row['threads']:7} {row['tokens_per_second']:9.0f} "
              f"{target(row['tokens_per_second_target'], '>='):>7} {row['torch_tokens_per_second']:9.0f} "
              f"{row['ratio']:6.2f} {row['cpu_ratio']:6.2f} {1e3 * row['step_seconds']:8.1f} {row['gflops']:8.1f} "
              f"{row['peak_gflops']:8.1f} {row['peak_memory_mb']:7.0f} {row['torch_peak_memory_mb']:8.0f} "
              f"{row['memory_ratio']:6.2f} {target(row['memory_ratio_target'], '<='):>6}")


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
    for within in result["training"][:1]:
        print(f"{'in a step':12} {within['threads']:9} {within['optimizer_ns_per_parameter']:9.2f}          "
              f"({within['model']}; PyTorch {within['torch_optimizer_ns_per_parameter']:.2f})")
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
    show_rest(result)


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__.splitlines()[0])
    parser.add_argument("--poula", default="build/poula", help=argparse.SUPPRESS)
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
