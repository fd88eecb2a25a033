"""What the rules of make and today.py have in common."""
import math


def number(x):
    """Of JSON, which has no infinities; words are words."""
    try:
        return float(x) if isinstance(x, str) else x
    except ValueError:
        return x


def plain(x):
    """For JSON, which has no infinities."""
    if isinstance(x, list):
        return [plain(y) for y in x]
    if isinstance(x, float) and not math.isfinite(x):
        return "nan" if x != x else "inf" if x > 0 else "-inf"
    return x


def norm(x):
    return math.sqrt(sum(v * v for v in x))


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def over(x, y):
    """x / y as IEEE has it."""
    if y:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x)


def sign(x):
    return (x > 0) - (x < 0)


def mean(b, old, new):
    return b * old + (1 - b) * new


def decayed(g, theta, w):
    return [a + w * b for a, b in zip(g, theta)] if w else list(g)


class Rule:
    def __init__(self, golden):
        self.h = h = {k: number(v) for k, v in golden["hyperparameters"].items() if k != "betas"}
        betas = golden["hyperparameters"].get("betas", [])
        self.b1, self.b2, self.b3 = (list(betas) + [h.get("beta1", 0.9), h.get("beta2", 0.999), h.get("beta3")][len(betas):])
        self.shapes = golden["shapes"]
        self.variant = golden.get("variant")
        self.name = golden["optimizer"]
        self.t = 0
        self.rate = self.first_rate = h["lr"] if "lr" in h else h.get("lambda", golden.get("lr_per_step", [None])[0])
        self.w = h.get("weight_decay", 0.0)
        self.decoupled = any(h.get(k) for k in ("decouple", "weight_decouple", "decoupled", "decoupled_weight_decay",
                                                "decoupled_decay"))
        self.eps = h.get("eps", h.get("epsilon", 1e-8))
        n = [math.prod(s) if s else 1 for s in self.shapes]
        self.zeros = lambda value=0.0: [[value] * k for k in n]
        self.m, self.v, self.top = self.zeros(), self.zeros(), self.zeros()
        self.extra = {}
        self.start()

    def start(self):
        pass

    def step(self, theta, grads, noise):
        self.t += 1
        for k in range(len(theta)):
            if self.decoupled and self.scales():
                theta[k][:] = [x * (1 - self.rate * self.w) for x in theta[k]]
            self.tensor(k, theta[k], decayed(grads[k], theta[k], self.w if self.l2() else 0))

    def l2(self):
        return not self.decoupled

    def scales(self):
        """Is the decoupled decay theta scaled before anything else?"""
        return True

    def corrections(self):
        return 1 - self.b1 ** self.t, 1 - self.b2 ** self.t

    def moments(self, k, g):
        m, v, top = self.m[k], self.v[k], self.top[k]
        for i, x in enumerate(g):
            m[i] = self.b1 * m[i] + (1 - self.b1) * x
            v[i] = self.b2 * v[i] + (1 - self.b2) * x * x
            top[i] = max(top[i], v[i])
        return m, top if self.ams() else v

    def ams(self):
        return self.h.get("amsgrad", False) or self.h.get("amsbound", False)
