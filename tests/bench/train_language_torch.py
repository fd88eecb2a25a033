#!/usr/bin/python3
"""What docs/faithfulness.md compares language models with: AWD-LSTM (Merity, Keskar and Socher 2018) on a text, for PyTorch.

Prints one line for each epoch: its number, and the perplexities of training, validation and test.
"""
import argparse
import math
import os
import random
import zipfile

import torch
from torch import nn
from torch.nn import functional as F

from peer_torch import TheoPouLa


def kept(p, *shape):
    """A mask: 0 with probability p, otherwise 1 / (1 - p)."""
    return torch.empty(*shape).bernoulli_(1 - p).div_(1 - p)


class AWDLSTM(nn.Module):
    """Layers of sizes emsize, nhid, .., nhid, emsize; the decoder's matrix is the embedding's."""

    def __init__(self, words, emsize=400, nhid=1150, layers=1, dropoute=0.1, dropouti=0.4, dropouth=0.25, dropout=0.4, wdrop=0.5):
        super().__init__()
        self.dropoute, self.dropouti, self.dropouth, self.dropout, self.wdrop = dropoute, dropouti, dropouth, dropout, wdrop
        self.embedding = nn.Parameter(torch.empty(words, emsize).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(words))
        sizes = [emsize] + [nhid] * (layers - 1) + [emsize]
        self.lstms = nn.ModuleList([nn.LSTM(a, b) for a, b in zip(sizes, sizes[1:])])

    def state(self, batch):
        return [(torch.zeros(1, batch, l.hidden_size), torch.zeros(1, batch, l.hidden_size)) for l in self.lstms]

    def forward(self, tokens, state):
        """Logits, the last layer's output before and after dropout, and the new state."""
        table = self.embedding * kept(self.dropoute, len(self.embedding), 1) if self.training else self.embedding
        x, states = F.embedding(tokens, table), []
        if self.training:
            x = x * kept(self.dropouti, 1, *x.shape[1:])
        for i, lstm in enumerate(self.lstms):
            recurrent = lstm.weight_hh_l0
            if self.training:
                recurrent = recurrent * kept(self.wdrop, *recurrent.shape)
            raw, h, c = torch._VF.lstm(x, state[i], [lstm.weight_ih_l0, recurrent, lstm.bias_ih_l0, lstm.bias_hh_l0], True, 1, 0.0,
                                       self.training, False, False)
            states.append((h.detach(), c.detach()))
            p = self.dropouth if i + 1 < len(self.lstms) else self.dropout
            x = raw * kept(p, 1, *raw.shape[1:]) if self.training else raw
        return F.linear(x, self.embedding, self.bias), raw, x, states


def read_splits(path):
    """Numbers by first appearance; every line ends in <eos>."""
    number, splits = {}, []
    archive = zipfile.ZipFile(path)
    for split in ("train", "valid", "test"):
        name, = [n for n in archive.namelist() if n.endswith(split + ".txt")]
        lines = archive.read(name).decode().split("\n")[:-1]
        words = [w for line in lines for w in line.split() + ["<eos>"]]
        splits.append(torch.tensor([number.setdefault(w, len(number)) for w in words]))
    return len(number), splits


def columns(tokens, batch):
    rows = len(tokens) // batch
    return tokens[:rows * batch].view(batch, rows).t().contiguous()


def perplexity(model, text, bptt):
    model.eval()
    total, state = 0, model.state(text.shape[1])
    with torch.no_grad():
        for start in range(0, len(text) - 1, bptt):
            end = min(start + bptt, len(text) - 1)
            logits, _, _, state = model(text[start:end], state)
            total += (end - start) * F.cross_entropy(logits.flatten(0, 1), text[start + 1:end + 1].flatten()).item()
    model.train()
    return math.exp(total / (len(text) - 1))


def train_epoch(model, optimizer, text, args):
    total, start, state = 0, 0, model.state(args.batch)
    while start < len(text) - 2:
        base = args.bptt if random.random() < 0.95 else args.bptt / 2
        length = max(5, int(random.gauss(base, 5)))
        end = min(start + length, len(text) - 1)
        optimizer.param_groups[0]["lr"] = args.rate * length / args.bptt
        optimizer.zero_grad(set_to_none=True)
        logits, raw, dropped, state = model(text[start:end], state)
        loss = F.cross_entropy(logits.flatten(0, 1), text[start + 1:end + 1].flatten())
        total += loss.item() * (end - start)
        penalty = args.ar * dropped.pow(2).mean()
        if end - start > 1:
            penalty = penalty + args.tar * (raw[1:] - raw[:-1]).pow(2).mean()
        (loss + penalty).backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        start = end
    return math.exp(total / start)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="archive with the three files")
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--emsize", type=int, default=400)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--valid-batch", type=int, default=10)
    parser.add_argument("--test-batch", type=int, default=1)
    parser.add_argument("--bptt", type=int, default=70)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--optimizer", choices=("sgd", "theopoula"), default="sgd")
    parser.add_argument("--lambda", type=float, default=10, dest="rate")
    parser.add_argument("--epsilon", type=float, default=100)
    parser.add_argument("--beta", type=float, default=1e10)
    parser.add_argument("--weight-decay", type=float, default=1.2e-6)
    parser.add_argument("--clip", type=float, default=0.25)
    parser.add_argument("--ar", type=float, default=2)
    parser.add_argument("--tar", type=float, default=1)
    parser.add_argument("--seed", type=int, default=141)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main():
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    words, (train, valid, test) = read_splits(args.data)
    train, valid, test = columns(train, args.batch), columns(valid, args.valid_batch), columns(test, args.test_batch)
    model = AWDLSTM(words, args.emsize, layers=args.layers).train()
    if args.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), args.rate, weight_decay=args.weight_decay)
    else:
        optimizer = TheoPouLa(model.parameters(), args.rate, args.epsilon, args.beta, args.weight_decay)
    for epoch in range(args.epochs):
        reached = train_epoch(model, optimizer, train, args)
        print(f"epoch={epoch + 1} train_perplexity={reached:.9g} valid_perplexity={perplexity(model, valid, args.bptt):.9g} "
              f"test_perplexity={perplexity(model, test, args.bptt):.9g}", flush=True)


if __name__ == "__main__":
    main()
