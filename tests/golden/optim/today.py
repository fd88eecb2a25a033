"""Rules of optimizers that came later than those in make, each from the text of docs/optimizers.md."""
import math

from matrices import Muon, Shampoo, Soap
from rule import Rule, mean, norm, over, sign


class Sgdw(Rule):
    def start(self):
        self.decoupled = True

    def tensor(self, k, theta, g):
        mu, b = self.h.get("momentum", 0.0), self.m[k]
        for i, x in enumerate(g):
            if mu:
                b[i] = x if self.t == 1 else mu * b[i] + (1 - self.h.get("dampening", 0.0)) * x
                x = x + mu * b[i] if self.h.get("nesterov") else b[i]
            theta[i] -= self.rate * x


class NAdam(Rule):
    def start(self):
        self.product = 1.0
        self.decoupled = self.decoupled or self.variant == "nadamw"

    def tensor(self, k, theta, g):
        t, psi, (c1, c2) = self.t, self.h.get("momentum_decay", 4e-3), self.corrections()
        m, v = self.moments(k, g)
        now, later = (self.b1 * (1 - 0.5 * 0.96 ** (s * psi)) for s in (t, t + 1))
        if k == 0:
            self.product *= now
        for i, x in enumerate(g):
            size = math.sqrt(v[i] / c2) + self.eps
            if self.variant == "nadamw":
                theta[i] -= self.rate / c1 * mean(self.b1, m[i], x) / size
            else:
                theta[i] -= self.rate * ((1 - now) / (1 - self.product) * x + later / (1 - self.product * later) * m[i]) / size


class Lion(Rule):
    def start(self):
        self.decoupled = True

    def tensor(self, k, theta, g):
        m = self.m[k]
        for i, x in enumerate(g):
            theta[i] -= self.rate * sign(mean(self.b1, m[i], x))
            m[i] = mean(self.b2, m[i], x)


class Signum(Rule):
    def start(self):
        self.decoupled = self.h.get("weight_decouple", True)

    def tensor(self, k, theta, g):
        m = self.m[k]
        for i, x in enumerate(g):
            m[i] = mean(self.h.get("momentum", 0.9), m[i], x)
            theta[i] -= self.rate * sign(m[i])


class Adadelta(Rule):
    def tensor(self, k, theta, g):
        rho, eps, v, u = self.h.get("rho", 0.9), self.h.get("eps", 1e-6), self.v[k], self.m[k]
        for i, x in enumerate(g):
            v[i] = mean(rho, v[i], x * x)
            d = math.sqrt(u[i] + eps) / math.sqrt(v[i] + eps) * x
            u[i] = mean(rho, u[i], d * d)
            theta[i] -= self.rate * d


class Adamax(Rule):
    def tensor(self, k, theta, g):
        m, top = self.m[k], self.top[k]
        for i, x in enumerate(g):
            m[i] = mean(self.b1, m[i], x)
            top[i] = max(self.b2 * top[i], abs(x) + self.eps)
            theta[i] -= self.rate / (1 - self.b1 ** self.t) * m[i] / top[i]


class Rprop(Rule):
    def start(self):
        etas, sizes = self.h.get("etas", [0.5, 1.2]), self.h.get("step_sizes", [1e-6, 50])
        self.shrink, self.grow = self.h.get("shrink", etas[0]), self.h.get("grow", etas[1])
        self.least, self.most = self.h.get("step_min", sizes[0]), self.h.get("step_max", sizes[1])
        self.steps = self.zeros(self.rate)

    def tensor(self, k, theta, g):
        before, steps = self.m[k], self.steps[k]
        for i, x in enumerate(g):
            z = x * before[i]
            factor = self.grow if z > 0 else self.shrink if z < 0 else 1
            steps[i] = min(max(steps[i] * factor, self.least), self.most)
            x = 0.0 if z < 0 else x
            theta[i] -= steps[i] * sign(x)
            before[i] = x


class Lamb(Rule):
    def l2(self):
        return False

    def scales(self):
        return False

    def step(self, theta, grads, noise):
        limit = self.h.get("max_grad_norm", 1.0)
        size = norm([x for g in grads for x in g])
        self.scale = max(1, size / limit) if limit and self.variant != "published" else 1
        Rule.step(self, theta, grads, noise)

    def tensor(self, k, theta, g):
        h, m, v, (c1, c2), published = self.h, self.m[k], self.v[k], self.corrections(), self.variant == "published"
        d1, d2 = (c1, c2) if h.get("bias_correction", True) and not published else (1, 1)
        u = []
        for i, x in enumerate(g):
            x /= self.scale
            m[i] = mean(self.b1, m[i], x) if h.get("grad_averaging", True) else self.b1 * m[i] + x
            v[i] = mean(self.b2, v[i], x * x)
            u.append(m[i] / d1 / (math.sqrt(v[i] / d2) + h.get("eps", 1e-6)) + (0 if self.decoupled else self.w * theta[i]))
        if self.decoupled:
            theta[:] = [x * (1 - self.rate * self.w) for x in theta]
        a, b = norm(theta), norm(u)
        a = min(a, h.get("clamp_value", 10)) if published else a
        ratio = a / b if a and b else 1
        ratio = min(ratio, 1) if h.get("trust_clip") else ratio
        if not published and self.w == 0 and not h.get("always_adapt"):
            ratio = 1
        if h.get("debias"):
            ratio *= math.sqrt(c2) / c1
        for i in range(len(theta)):
            theta[i] -= self.rate * ratio * u[i]


class Lars(Rule):
    def l2(self):
        return False

    def tensor(self, k, theta, g):
        h, mu, b = self.h, self.h.get("momentum", 0.0), self.m[k]
        if self.w or h.get("always_adapt"):
            p, q = norm(theta), norm(g)
            r = h.get("trust_coeff", 0.001) * p / (q + self.w * p + h.get("eps", 1e-8)) if p and q else 1
            r = min(r / self.rate, 1) if h.get("trust_clip") else r
            g = [r * (x + self.w * y) for x, y in zip(g, theta)]
        for i, x in enumerate(g):
            if mu:
                b[i] = x if self.t == 1 else mu * b[i] + (1 - h.get("dampening", 0.0)) * x
                x = x + mu * b[i] if h.get("nesterov") else b[i]
            theta[i] -= self.rate * x


class Adafactor(Rule):
    def l2(self):
        return False

    def start(self):
        self.rows, self.columns = {}, {}

    def factored(self, k, h, q):
        """The estimate of h, a list in row-major order, from means over its last two dimensions."""
        rows, columns = self.shapes[k][-2:]
        count = len(h) // (rows * columns)
        r, c = self.rows.setdefault(k, [0.0] * count * rows), self.columns.setdefault(k, [0.0] * count * columns)
        e = [0.0] * len(h)
        for b in range(count):
            at = lambda i, j: (b * rows + i) * columns + j
            for i in range(rows):
                r[b * rows + i] = mean(1 - q, r[b * rows + i], sum(h[at(i, j)] for j in range(columns)) / columns)
            for j in range(columns):
                c[b * columns + j] = mean(1 - q, c[b * columns + j], sum(h[at(i, j)] for i in range(rows)) / rows)
            middle = sum(r[b * rows:(b + 1) * rows]) / rows
            middle = middle if self.variant == "published" else max(middle, self.floor)
            for i in range(rows):
                for j in range(columns):
                    e[at(i, j)] = r[b * rows + i] * c[b * columns + j] / middle
        return e

    def tensor(self, k, theta, g):
        h, t, published = self.h, self.t, self.variant == "published"
        eps = h.get("eps", [1e-30 if published else 2.0 ** -52, 1e-3])
        self.floor, least = (h.get("epsilon", 1e-30 if published else 2.0 ** -52), h.get("epsilon2", 1e-3)) \
            if not isinstance(eps, list) else eps
        q = t ** h.get("decay_rate", h.get("beta2_decay", -0.8))
        size = max(least, norm(theta) / math.sqrt(len(theta)))
        squares = [x * x + (self.floor if published else 0) for x in g]
        if len(self.shapes[k]) > 1:
            e = self.factored(k, squares, q)
        else:
            e = self.v[k] = [mean(1 - q, a, b) for a, b in zip(self.v[k], squares)]
        e = e if published else [max(x, self.floor ** 2) for x in e]
        u = [a / math.sqrt(b) for a, b in zip(g, e)]
        clip = max(1, norm(u) / math.sqrt(len(u)) / h.get("clip_threshold", h.get("d", 1.0)))
        if not published:
            rate, decay = size * min(self.rate, 1 / math.sqrt(t)), self.rate * self.w
        else:
            rate = self.rate
            if h.get("relative_step", True):
                rate = min(1e-6 * t if h.get("warmup_init") else 1e-2, 1 / math.sqrt(t))
            rate *= size if h.get("scale_parameter", True) else 1
            decay = rate * self.w
        u = [rate * x / clip for x in u]
        if published and h.get("beta1"):
            u = self.m[k] = [mean(h["beta1"], a, b) for a, b in zip(self.m[k], u)]
        for i in range(len(theta)):
            theta[i] = (1 - decay) * theta[i] - u[i]


class ScheduleFree(Rule):
    def start(self):
        self.z, self.x, self.largest, self.total = None, None, 0.0, 0.0

    def step(self, theta, grads, noise):
        h = self.h
        self.t += 1
        adam = self.name.endswith("adamw")
        b = self.b1 if adam else h.get("momentum", 0.9)
        if self.t == 1:
            self.z, self.x = [list(y) for y in theta], [list(y) for y in theta]
        warm = h.get("warmup_steps", 0)
        a = self.rate * (min(1, self.t / warm) if warm else 1)
        self.largest = max(self.largest, a)
        q = self.t ** h.get("r", 0.0) * self.largest ** h.get("weight_lr_power", 2.0)
        self.total += q
        c = q / self.total if self.total else 0
        for k, (y, g) in enumerate(zip(theta, grads)):
            z, x, v = self.z[k], self.x[k], self.v[k]
            for i, p in enumerate(g):
                if adam:
                    v[i] = mean(self.b2, v[i], p * p)
                    p = p / (math.sqrt(v[i] / (1 - self.b2 ** self.t)) + self.eps)
                z[i] -= a * (p + self.w * y[i])
                x[i] = (1 - c) * x[i] + c * z[i]
                y[i] = (1 - b) * z[i] + b * x[i]
        self.extra["average"] = [list(x) for x in self.x]


class Prodigy(Rule):
    def start(self):
        self.d = self.most = self.d0 = self.h.get("d0", 1e-6)
        self.numerator, self.s, self.first = 0.0, self.zeros(), None

    def step(self, theta, grads, noise):
        h, d = self.h, self.d
        decoupled = h.get("decouple", True)
        self.first = self.first or [list(t) for t in theta]
        self.t += 1
        c1, c2 = self.corrections()
        b3 = self.h.get("beta3") or math.sqrt(self.b2)
        a = d * self.rate * (math.sqrt(c2) / c1 if h.get("use_bias_correction") else 1)
        way = size = 0.0
        for k, (t, g) in enumerate(zip(theta, grads)):
            for i, x in enumerate(g):
                x += 0 if decoupled else self.w * t[i]
                way += x * (self.first[k][i] - t[i])
                self.m[k][i] = self.b1 * self.m[k][i] + (1 - self.b1) * d * x
                self.v[k][i] = self.b2 * self.v[k][i] + (1 - self.b2) * d * d * x * x
                self.s[k][i] = b3 * self.s[k][i] + d / self.d0 * (d if h.get("safeguard_warmup") else a) * x
                size += abs(self.s[k][i])
        self.extra["d"] = self.d
        if not size:
            self.t -= 1
            return
        self.numerator = b3 * self.numerator + d / self.d0 * a * way
        estimate = h.get("d_coef", 1.0) * self.numerator / size
        grown = max(d, estimate) if d == self.d0 else d
        self.most = max(self.most, estimate)
        self.d = min(self.most, grown * h.get("growth_rate", math.inf))
        self.extra["d"] = self.d
        for t, m, v in zip(theta, self.m, self.v):
            for i in range(len(t)):
                t[i] *= 1 - self.w * a if decoupled else 1
                t[i] -= a * over(m[i], math.sqrt(v[i]) + self.d * self.eps)


class Adopt(Rule):
    def scales(self):
        return self.t > 1

    def tensor(self, k, theta, g):
        exponent, m, v = self.h.get("clip_exp", 0.25), self.m[k], self.v[k]
        for i, x in enumerate(g):
            if self.t == 1:
                v[i] = x * x
                continue
            n = x / max(math.sqrt(v[i]), self.h.get("eps", 1e-6))
            limit = (self.t - 1) ** exponent if exponent is not None else math.inf
            m[i] = mean(self.b1, m[i], min(max(n, -limit), limit))
            theta[i] -= self.rate * m[i]
            v[i] = mean(self.b2, v[i], x * x)


class AdEMAMix(Rule):
    def start(self):
        self.decoupled = self.h.get("weight_decouple", True)

    def tensor(self, k, theta, g):
        h, t, ramp, (c1, c2) = self.h, self.t, self.h.get("t_alpha_beta3"), self.corrections()
        alpha, b3 = h.get("alpha", 5.0), self.b3 if self.b3 is not None else 0.9999
        slow = b3
        if ramp:
            s = min(1, t / ramp)
            alpha *= s
            if t < ramp:
                slow = min(b3, math.exp(1 / ((1 - s) / math.log(self.b1) + s / math.log(b3))))
        m, v = self.moments(k, g)
        for i, x in enumerate(g):
            n = self.top[k] = self.top[k] if self.t > 1 or i else [0.0] * len(g)
            n[i] = mean(slow, n[i], x)
            theta[i] -= self.rate * (m[i] / c1 + alpha * n[i]) / (math.sqrt(v[i] / c2) + self.eps)

    def moments(self, k, g):
        for i, x in enumerate(g):
            self.m[k][i] = mean(self.b1, self.m[k][i], x)
            self.v[k][i] = mean(self.b2, self.v[k][i], x * x)
        return self.m[k], self.v[k]


class Adan(Rule):
    def l2(self):
        return False

    def start(self):
        self.before = {}
        if "betas" not in self.h and "beta1" not in self.h:
            self.b1, self.b2, self.b3 = (b or c for b, c in zip((self.b1, self.b2, self.b3), (0.98, 0.92, 0.99)))

    def tensor(self, k, theta, g):
        m, d, v, old = self.m[k], self.top[k], self.v[k], self.before.get(k, g)
        c1, c2, c3 = (1 - b ** self.t for b in (self.b1, self.b2, self.b3))
        for i, x in enumerate(g):
            q = x - old[i]
            m[i], d[i] = mean(self.b1, m[i], x), mean(self.b2, d[i], q)
            v[i] = mean(self.b3, v[i], (x + self.b2 * q) ** 2)
            u = (m[i] / c1 + self.b2 * d[i] / c2) / (math.sqrt(v[i] / c3) + self.eps)
            decay = self.rate * self.w
            theta[i] = (1 - decay) * theta[i] - self.rate * u if self.h.get("no_prox") else (theta[i] - self.rate * u) / (1 + decay)
        self.before[k] = list(g)


class Sghmc(Rule):
    def step(self, theta, grads, noise):
        h = self.h
        self.t += 1
        friction, beta = h.get("friction", 0.1), h.get("beta", 1e10)
        sigma = math.sqrt(2 * (friction - h.get("noise_estimate", 0.0)) * self.rate / beta)
        for k, t in enumerate(theta):
            for i in range(len(t)):
                u = (1 - friction) * self.m[k][i] - self.rate * (grads[k][i] + self.w * t[i])
                self.m[k][i] = u + (sigma * noise[k][i] if noise else 0)
                t[i] += self.m[k][i]


class Psgld(Rule):
    def step(self, theta, grads, noise):
        h = self.h
        for k, t in enumerate(theta):
            for i in range(len(t)):
                g = grads[k][i] + self.w * t[i]
                self.v[k][i] = mean(h.get("alpha", 0.99), self.v[k][i], g * g)
                d = 1 / (h.get("eps", 1e-5) + math.sqrt(self.v[k][i]))
                xi = noise[k][i] if noise else 0
                t[i] += math.sqrt(2 * self.rate * d / h.get("beta", 1e10)) * xi - self.rate * d * g


class Formula(Rule):
    """Python reads the formulas: only powers and one name are spelled otherwise there."""
    FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "exp", "log", "tanh")}
    FUNCTIONS.update(abs=abs, min=min, max=max, sign=sign)

    def start(self):
        tame = self.h.get("tame", "1 + sqrt(lambda)*abs(g)")
        boost = self.h.get("boost", "1 + sqrt(lambda)/(epsilon + abs(g))")
        update = self.h.get("update", f"theta - lambda*g*({boost})/({tame}) + sqrt(2*lambda/beta)*xi")
        states = [text.split("=") for text in self.h.get("state", "").split(";") if text.strip()]
        code = lambda text: compile(text.strip().replace("^", "**").replace("lambda", "rate"), text, "eval")
        self.update, self.states = code(update), {name.strip(): code(text) for name, text in states}
        self.kept = {name: self.zeros() for name in self.states}

    def step(self, theta, grads, noise):
        self.t += 1
        every = {"t": self.t, "rate": self.rate, "epsilon": self.eps, "beta": self.h.get("beta", 1e14),
                 "norm_theta": norm([x for t in theta for x in t]), "norm_g": norm([x for g in grads for x in g])}
        for k, t in enumerate(theta):
            for i in range(len(t)):
                names = {**self.FUNCTIONS, **every, "theta": t[i], "g": grads[k][i], "xi": noise[k][i]}
                old = {name: self.kept[name][k][i] for name in self.states}
                new = {name: eval(text, {**names, **old}) for name, text in self.states.items()}
                t[i] = eval(self.update, {**names, **new})
                for name, value in new.items():
                    self.kept[name][k][i] = value


RULES = {"adadelta": Adadelta, "adafactor": Adafactor, "adamax": Adamax, "adan": Adan, "ademamix": AdEMAMix, "adopt": Adopt,
         "formula": Formula, "lamb": Lamb, "lars": Lars, "lion": Lion, "muon": Muon, "nadam": NAdam, "prodigy": Prodigy, "psgld": Psgld,
         "rprop": Rprop, "schedule_free_adamw": ScheduleFree, "schedule_free_sgd": ScheduleFree, "sgdw": Sgdw, "sghmc": Sghmc,
         "shampoo": Shampoo, "signum": Signum, "soap": Soap}
