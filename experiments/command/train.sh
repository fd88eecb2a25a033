#!/bin/sh
# A trainer for experiments/command.yaml that needs only sh and awk: fits y = a x + b to noisy points by stochastic
# gradient descent and prints the loss after every epoch, as docs/command-tasks.md asks for.
# usage: train.sh LAMBDA NOISE SEED EPOCHS
set -eu
if [ $# -ne 4 ]; then
    echo "usage: train.sh LAMBDA NOISE SEED EPOCHS" >&2
    exit 2
fi
export LC_ALL=C # a decimal point, not a comma
exec awk -v lambda="$1" -v noise="$2" -v seed="$3" -v epochs="$4" '
function normal() { # by twelve uniform draws, near enough
    s = -6
    for (k = 0; k < 12; k++) s += rand()
    return s
}
BEGIN {
    srand(seed)
    points = 64
    for (i = 0; i < points; i++) {
        x[i] = 4 * rand() - 2
        y[i] = 2 * x[i] - 1 + noise * normal()
    }
    a = b = 0
    for (epoch = 1; epoch <= epochs; epoch++) {
        for (i = 0; i < points; i++) {
            j = int(points * rand())
            error = a * x[j] + b - y[j]
            a -= lambda * error * x[j]
            b -= lambda * error
        }
        loss = 0
        for (i = 0; i < points; i++) loss += (a * x[i] + b - y[i])^2 / (2 * points)
        printf "epoch=%d loss=%.9g distance=%.9g\n", epoch, loss, sqrt((a - 2)^2 + (b + 1)^2)
        fflush()
        if (loss - loss != 0) break # an overflow: reported as inf or nan, and the end of it
    }
}'
