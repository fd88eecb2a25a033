#!/usr/bin/python3
"""What `poula bench train --model awd_lstm` is compared with: the same training steps written for PyTorch.

Prints the fields of `poula bench train --format json` that two programs can share. The model is
train_language_torch.py's, with every dropout. A step takes the next window of a text with the state that the one before
left, runs forward and backward with the penalties on the last layer's output and on its change, clips the gradient and
moves the parameters by TheoPouLa.
"""
import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

from peer_torch import TheoPouLa, memory_mb
from train_language_torch import AWDLSTM

CLIP, AR, TAR = 0.01, 2, 1 # poula's side clips to the same norm, so that every gradient is scaled
WINDOWS = 8


class Training:
    def __init__(self, args):
        self.model = AWDLSTM(args.words, layers=args.layers).train()
        self.optimizer = TheoPouLa(self.model.parameters(), lr=30, eps=100, beta=1e10)
        self.text = torch.randint(0, args.words, (WINDOWS * args.bptt + 1, args.batch))
        self.bptt, self.batch, self.row = args.bptt, args.batch, 0
        self.begin()

    def begin(self):
        self.row = 0
        self.state = self.model.state(self.batch)

    def step(self):
        """Returns the cross-entropy and when the gradient was ready."""
        if self.row + self.bptt >= len(self.text):
            self.begin()
        tokens, labels = (self.text[self.row + i:self.row + i + self.bptt] for i in (0, 1))
        self.row += self.bptt
        self.optimizer.zero_grad(set_to_none=True)
        logits, raw, dropped, self.state = self.model(tokens, self.state)
        result = F.cross_entropy(logits.flatten(0, 1), labels.flatten())
        loss = result.item()
        result = result + AR * dropped.pow(2).mean() + TAR * (raw[1:] - raw[:-1]).pow(2).mean()
        result.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        ready = time.monotonic()
        self.optimizer.step()
        return loss, ready


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--words", type=int, default=10000)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--bptt", type=int, default=70)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=1, help="steps before those that are timed")
    return parser.parse_args()


def main():
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    before = memory_mb("VmRSS")
    training = Training(args)
    parameters = sum(p.numel() for p in training.model.parameters())
    steps, updates, computing, loss = [], [], [], math.nan
    for number in range(args.warm_up + args.steps):
        begun, computed_before = time.monotonic(), time.process_time()
        loss, ready = training.step()
        ended = time.monotonic()
        if number >= args.warm_up:
            steps.append(ended - begun)
            computing.append(time.process_time() - computed_before)
            updates.append(ended - ready)

    step = statistics.median(steps)
    print(json.dumps({
        "program": "torch " + torch.__version__, "model": "awd_lstm", "optimizer": "theopoula", "batch": args.batch,
        "bptt": args.bptt, "words": args.words, "layers": args.layers, "threads": torch.get_num_threads(),
        "steps": args.steps, "parameters": parameters, "tokens_per_second": args.batch * args.bptt / step,
        "optimizer_ns_per_parameter": 1e9 * statistics.median(updates) / parameters,
        "peak_memory_mb": memory_mb("VmHWM"), "memory_mb_before_the_model": before,
        "step_seconds": step, "step_seconds_least": min(steps), "step_cpu_seconds": statistics.median(computing),
        "loss": loss if math.isfinite(loss) else None,
    }))


if __name__ == "__main__":
    main()
