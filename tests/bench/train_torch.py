#!/usr/bin/python3
"""What docs/faithfulness.md compares training with: VGG11 on CIFAR-10 by TheoPouLa, written for PyTorch.

Prints one line for each batch (--steps) or each epoch: its number and the loss, or the loss and the test accuracy.
Weights are exchanged with poula as safetensors files.
"""
import argparse
import json
import math
import os
import struct

import numpy
import torch
from torch.nn import functional as F

from peer_torch import TheoPouLa, VGG11, normalised

PADDING = 4


def read_images(folder, names):
    """The official binary files: a label's byte, then 3072 bytes of an image."""
    rows = [numpy.fromfile(os.path.join(folder, name), numpy.uint8).reshape(-1, 3073) for name in names]
    rows = torch.from_numpy(numpy.concatenate(rows))
    return rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0].long()


def augmented(images):
    """Moved by up to 4 pixels with zeros beyond the edge, and every other one mirrored."""
    count = len(images)
    padded = F.pad(images, [PADDING] * 4)
    down, right = torch.randint(0, 2 * PADDING + 1, (2, count))
    rows = (down[:, None] + torch.arange(32))[:, None, :, None]
    columns = torch.arange(32).repeat(count, 1)
    mirrored = torch.rand(count) < 0.5
    columns[mirrored] = columns[mirrored].flip(1)
    columns = (right[:, None] + columns)[:, None, None, :]
    return padded[torch.arange(count)[:, None, None, None], torch.arange(3)[None, :, None, None], rows, columns]


def save(model, path):
    header, data = {}, b""
    for name, tensor in model.state_dict().items():
        if tensor.dtype != torch.float32:
            continue # counters of batches
        values = tensor.contiguous().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def load(model, path):
    with open(path, "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    header.pop("__metadata__", None)
    state = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F32", entry["dtype"]
        state[name] = torch.from_numpy(numpy.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).copy())
    missing = model.load_state_dict(state, strict=False)
    assert not missing.unexpected_keys and all(k.endswith("num_batches_tracked") for k in missing.missing_keys), missing


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = sum((model(normalised(images[i:i + 500])).argmax(1) == labels[i:i + 500]).sum().item()
                    for i in range(0, len(images), 500))
    model.train()
    return right / len(images)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="folder of data_batch_1.bin and its like")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.5)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=0, help="only so many batches, in the order of the files")
    parser.add_argument("--augment", action="store_true")
    parser.add_argument("--lambda", type=float, default=0.1, dest="rate")
    parser.add_argument("--decay", type=float, default=1, help="what the learning rate is multiplied by ...")
    parser.add_argument("--every", type=int, default=1, help="... after every so many epochs")
    parser.add_argument("--epsilon", type=float, default=0.1)
    parser.add_argument("--beta", type=float, default=math.inf)
    parser.add_argument("--weight-decay", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("torch", "torch-double"), default="torch")
    parser.add_argument("--weights", help="begin with these instead of drawn ones")
    parser.add_argument("--save", help="write the initial weights here and end")
    parser.add_argument("--evaluate", action="store_true", help="only print the test accuracy of --weights")
    return parser.parse_args()


def train_batch(model, optimizer, images, labels):
    optimizer.zero_grad(set_to_none=True)
    values = normalised(images).to(next(model.parameters()).dtype)
    loss = F.cross_entropy(model(values), labels)
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    model = VGG11(args.width, args.dropout).train()
    if args.weights:
        load(model, args.weights)
    if args.save:
        save(model, args.save)
        return
    if args.precision == "torch-double":
        model.double()
    images, labels = read_images(args.data, [f"data_batch_{i}.bin" for i in range(1, 6)])
    test = read_images(args.data, ["test_batch.bin"])
    if args.evaluate:
        print(f"{accuracy(model, *test):.4f}")
        return
    optimizer = TheoPouLa(model.parameters(), args.rate, args.epsilon, args.beta, args.weight_decay)
    for step in range(args.steps):
        at = slice(step * args.batch, (step + 1) * args.batch)
        print(f"epoch={step + 1} batch_loss={train_batch(model, optimizer, images[at], labels[at]):.9g}", flush=True)
    for epoch in range(0 if args.steps else args.epochs):
        optimizer.param_groups[0]["lr"] = args.rate * args.decay ** (epoch // args.every)
        total, order = 0, torch.randperm(len(images))
        for batch in order.split(args.batch):
            chosen = augmented(images[batch]) if args.augment else images[batch]
            total += train_batch(model, optimizer, chosen, labels[batch]) * len(batch)
        print(f"epoch={epoch + 1} train_loss={total / len(images):.9g} test_accuracy={accuracy(model, *test):.4f}", flush=True)


if __name__ == "__main__":
    main()
