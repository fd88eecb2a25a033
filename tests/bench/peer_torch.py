#!/usr/bin/python3
"""What `poula bench train` is compared with: the same training steps written for PyTorch.

Prints the fields of `poula bench train --format json` that two programs can share. Models and their parameters' order
are poula's: VGG11 with batch norm, ResNet34 and DenseNet121 for images of 3x32x32. A step turns stored bytes into
normalised values, runs forward and backward, and moves the parameters by TheoPouLa (Lim and Sabanis,
arXiv:2105.13937) with its Gaussian noise.
"""
import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

CLASSES = 10


class VGG11(nn.Module):
    """Simonyan and Zisserman's column A with batch norm, and two hidden layers; width is that of the first stage."""

    def __init__(self, width=64, dropout=0.5):
        super().__init__()
        layers, channels = [], 3
        for stage in (1, "M", 2, "M", 4, 4, "M", 8, 8, "M", 8, 8, "M"):
            if stage == "M":
                layers.append(nn.MaxPool2d(2))
                continue
            convolution = nn.Conv2d(channels, stage * width, 3, padding=1)
            nn.init.normal_(convolution.weight, 0, math.sqrt(2 / (9 * stage * width)))
            nn.init.zeros_(convolution.bias)
            layers += [convolution, nn.BatchNorm2d(stage * width), nn.ReLU(inplace=True)]
            channels = stage * width
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(
            nn.Dropout(dropout), nn.Linear(channels, channels), nn.ReLU(inplace=True),
            nn.Dropout(dropout), nn.Linear(channels, channels), nn.ReLU(inplace=True), nn.Linear(channels, CLASSES))

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def vgg11():
    return VGG11()


class BasicBlock(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut = nn.Sequential()
        if stride != 1 or before != width:
            self.shortcut = nn.Sequential(nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(y)) + self.shortcut(x), inplace=True)


def resnet34():
    layers, channels = [nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            layers.append(BasicBlock(channels, width, stride if i == 0 else 1))
            channels = width
    return nn.Sequential(*layers, nn.AvgPool2d(4), nn.Flatten(), nn.Linear(512, CLASSES))


class DenseLayer(nn.Module):
    def __init__(self, before, growth):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(before)
        self.conv1 = nn.Conv2d(before, 4 * growth, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(4 * growth)
        self.conv2 = nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, x):
        y = self.conv1(F.relu(self.bn1(x), inplace=True))
        return torch.cat([self.conv2(F.relu(self.bn2(y), inplace=True)), x], 1)


def densenet121(growth=32):
    channels = 2 * growth
    layers = [nn.Conv2d(3, channels, 3, padding=1, bias=False)]
    for i, depth in enumerate((6, 12, 24, 16)):
        if i:
            layers += [nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
                       nn.Conv2d(channels, channels // 2, 1, bias=False), nn.AvgPool2d(2)]
            channels //= 2
        for _ in range(depth):
            layers.append(DenseLayer(channels, growth))
            channels += growth
    return nn.Sequential(*layers, nn.BatchNorm2d(channels), nn.ReLU(inplace=True), nn.AvgPool2d(4), nn.Flatten(),
                         nn.Linear(channels, CLASSES))


class TheoPouLa(torch.optim.Optimizer):
    """theta <- theta - lr tame(G) + sqrt(2 lr / beta) xi; tame(G) = G (1 + s / (eps + |G|)) / (1 + s |G|), s^2 = lr."""

    def __init__(self, parameters, lr=0.1, eps=1e-8, beta=1e14, weight_decay=0):
        super().__init__(parameters, {"lr": lr, "eps": eps, "beta": beta, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            rate, eps = group["lr"], group["eps"]
            root, sigma = math.sqrt(rate), math.sqrt(2 * rate / group["beta"])
            for theta in group["params"]:
                gradient = theta.grad.add(theta, alpha=group["weight_decay"]) if group["weight_decay"] else theta.grad
                size = gradient.abs()
                boost = (size + eps).reciprocal_().mul_(root).add_(1)
                theta.addcdiv_(boost.mul_(gradient), size.mul_(root).add_(1), value=-rate)
                if sigma:
                    theta.add_(torch.randn_like(theta), alpha=sigma)


def normalised(stored):
    """Bytes of images [n][3][height][width] as float values of about mean 0 and deviation 1 over CIFAR-10."""
    mean = torch.tensor((0.4914, 0.4822, 0.4465)).view(3, 1, 1)
    deviation = torch.tensor((0.2023, 0.1994, 0.2010)).view(3, 1, 1)
    return stored.float().div_(255).sub_(mean).div_(deviation)


def memory_mb(field):
    """A line of /proc/self/status, in 1e6 bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return 1024 * int(line.split()[1]) / 1e6
    return math.nan


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=("vgg11", "resnet34", "densenet121"), default="vgg11")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=1, help="steps before those that are timed")
    parser.add_argument("--channels-last", action="store_true", help="keep images in NHWC order")
    return parser.parse_args()


def main():
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    before = memory_mb("VmRSS")
    layout = torch.channels_last if args.channels_last else torch.contiguous_format
    model = globals()[args.model]().to(memory_format=layout).train()
    optimizer = TheoPouLa(model.parameters())
    parameters = sum(p.numel() for p in model.parameters())
    stored = torch.randint(0, 256, (args.batch, 3, 32, 32), dtype=torch.uint8)
    labels = torch.randint(0, CLASSES, (args.batch,))

    def forward():
        return F.cross_entropy(model(normalised(stored).contiguous(memory_format=layout)), labels)

    steps, updates, computing, loss = [], [], [], math.nan
    for number in range(args.warm_up + args.steps):
        begun, computed_before = time.monotonic(), time.process_time()
        optimizer.zero_grad(set_to_none=True)
        result = forward()
        loss = result.item()
        result.backward()
        computed = time.monotonic()
        optimizer.step()
        ended = time.monotonic()
        if number >= args.warm_up:
            steps.append(ended - begun)
            computing.append(time.process_time() - computed_before)
            updates.append(ended - computed)

    step = statistics.median(steps)
    print(json.dumps({
        "program": "torch " + torch.__version__, "model": args.model, "optimizer": "theopoula", "batch": args.batch,
        "threads": torch.get_num_threads(), "steps": args.steps, "parameters": parameters,
        "images_per_second": args.batch / step,
        "optimizer_ns_per_parameter": 1e9 * statistics.median(updates) / parameters,
        "peak_memory_mb": memory_mb("VmHWM"), "memory_mb_before_the_model": before,
        "step_seconds": step, "step_seconds_least": min(steps), "step_cpu_seconds": statistics.median(computing),
        "loss": loss if math.isfinite(loss) else None,
    }))


if __name__ == "__main__":
    main()
