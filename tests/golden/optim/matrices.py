"""Rules that look at tensors as matrices, each from the text of docs/optimizers.md."""
import math

from rule import Rule, dot, mean, norm, over


def times(a, b):
    columns = list(zip(*b))
    return [[dot(row, column) for column in columns] for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


def eigen(h):
    """Eigenvalues and eigenvectors (as rows) of a symmetric matrix, largest first, by Jacobi's rotations."""
    n, a = len(h), [list(row) for row in h]
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(60):
        for p in range(n):
            for q in range(p + 1, n):
                if not a[p][q]:
                    continue
                angle = 0.5 * math.atan2(2 * a[p][q], a[q][q] - a[p][p])
                c, s = math.cos(angle), math.sin(angle)
                for row in a:
                    row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                a[p], a[q] = [c * x - s * y for x, y in zip(a[p], a[q])], [s * x + c * y for x, y in zip(a[p], a[q])]
                v[p], v[q] = [c * x - s * y for x, y in zip(v[p], v[q])], [s * x + c * y for x, y in zip(v[p], v[q])]
    order = sorted(range(n), key=lambda i: -a[i][i])
    return [a[i][i] for i in order], [v[i] for i in order]


class Sides(Rule):
    """Tensors by their sides: a dimension first, the rest flattened."""

    def unfold(self, k, side, x):
        shape = self.shapes[k] or [1]
        n, inner = shape[side], math.prod(shape[side + 1:])
        rest = range(len(x) // (n * inner))
        return [[x[(o * n + i) * inner + j] for o in rest for j in range(inner)] for i in range(n)]

    def fold(self, k, side, matrix):
        shape = self.shapes[k] or [1]
        n, inner = shape[side], math.prod(shape[side + 1:])
        return [matrix[i][o * inner + j] for o in range(len(matrix[0]) // inner) for i in range(n) for j in range(inner)]

    def along(self, k, side, m, x):
        return self.fold(k, side, times(m, self.unfold(k, side, x)))

    def gram(self, k, side, x):
        matrix = self.unfold(k, side, x)
        return [[dot(a, b) for b in matrix] for a in matrix]

    def sides(self, k, vectors):
        shape = self.shapes[k] or [1]
        most = self.h.get("max_precondition_dim", 10000)
        return [i for i, n in enumerate(shape) if n <= most and (vectors or len(shape) > 1)]


class Shampoo(Sides):
    def start(self):
        self.p, self.roots = {}, {}

    def l2(self):
        return False

    def scales(self):
        return False

    def tensor(self, k, theta, g):
        h, t, n = self.h, self.t, len(self.shapes[k]) or 1
        mu, every, eps = h.get("momentum", 0.0), h.get("preconditioning_compute_steps", 1), h.get("matrix_eps", 1e-6)
        if mu and t > 1:
            g = [(1 - mu) * x + mu * b for x, b in zip(g, self.m[k])]
        if self.decoupled:
            theta[:] = [x * (1 - self.rate * self.w) for x in theta]
        else:
            g = [x + self.w * y for x, y in zip(g, theta)]
        u = g
        for side in self.sides(k, True):
            size = (self.shapes[k] or [1])[side]
            p = self.p.setdefault((k, side), [[eps * (i == j) for j in range(size)] for i in range(size)])
            gram = self.gram(k, side, g)
            p = self.p[k, side] = [[a + b for a, b in zip(x, y)] for x, y in zip(p, gram)]
            if t % every == 0 if h.get("first_root", "early") == "late" else (t - 1) % every == 0:
                values, v = eigen(p)
                scaled = [[x * max(l, eps) ** (-1 / (2 * n)) for x in row] for l, row in zip(values, v)]
                self.roots[k, side] = times(transposed(v), scaled)
            root = self.roots.get((k, side), [[0.0] * size] * size)
            u = self.along(k, side, root, u)
        self.m[k] = u
        for i in range(len(theta)):
            theta[i] -= self.rate * u[i]


class Soap(Sides):
    def start(self):
        self.p, self.q = {}, {}
        self.sb = self.h.get("shampoo_beta")
        self.sb = self.b2 if self.sb is None else self.sb

    def l2(self):
        return False

    def rotated(self, k, x, back=False):
        for side in self.sides(k, self.h.get("precondition_1d")):
            q = self.q[k, side]
            x = self.along(k, side, transposed(q) if back else q, x)
        return x

    def learn(self, k, g):
        for side in self.sides(k, self.h.get("precondition_1d")):
            gram = self.gram(k, side, g)
            keep = self.sb if self.t > 1 else 0
            old = self.p.get((k, side), gram)
            p = self.p[k, side] = [[keep * a + (1 - self.sb) * b for a, b in zip(x, y)] for x, y in zip(old, gram)]
            if self.t == 1:
                self.q[k, side] = eigen(p)[1]
            elif (self.t - 1) % self.h.get("precondition_frequency", 10) == 0:
                q = self.q[k, side]
                power = times(q, p)
                order = sorted(range(len(q)), key=lambda i: -dot(q[i], power[i]))
                v = self.unfold(k, side, self.v[k])
                self.v[k] = self.fold(k, side, [v[i] for i in order])
                rows = []
                for i in order:
                    row = power[i]
                    for _ in range(2):
                        for other in rows:
                            share = dot(other, row)
                            row = [a - share * b for a, b in zip(row, other)]
                    rows.append([a / norm(row) for a in row])
                self.q[k, side] = rows

    def tensor(self, k, theta, g):
        h = self.h
        if self.t > 1:
            n = self.t - 1
            self.m[k] = [mean(self.b1, a, b) for a, b in zip(self.m[k], g)]
            self.v[k] = [mean(self.b2, a, b * b) for a, b in zip(self.v[k], self.rotated(k, g))]
            u = [over(a, math.sqrt(b) + self.eps) for a, b in zip(self.rotated(k, self.m[k]), self.v[k])]
            u = self.rotated(k, u, True)
            if h.get("normalize_gradient"):
                size = norm(u) / math.sqrt(len(u)) + self.eps
                u = [x / size for x in u]
            rate = self.rate * (math.sqrt(1 - self.b2 ** n) / (1 - self.b1 ** n) if h.get("correct_bias", True) else 1)
            for i in range(len(theta)):
                theta[i] = (1 - self.rate * self.w) * (theta[i] - rate * u[i])
        self.learn(k, g)


class Muon(Rule):
    def l2(self):
        return False

    def tensor(self, k, theta, g):
        h, m = self.h, self.m[k]
        if len(self.shapes[k]) < 2:
            return self.adamw(k, theta, g)
        mu, rows = h.get("momentum", 0.95), self.shapes[k][0]
        columns = len(g) // rows
        for i, x in enumerate(g):
            m[i] = mean(mu, m[i], x)
        x = [mean(mu, b, a) for a, b in zip(g, m)] if h.get("nesterov", True) else list(m)
        x = [x[i * columns:(i + 1) * columns] for i in range(rows)]
        x = transposed(x) if rows > columns else x
        size = max(norm([a for row in x for a in row]), h.get("eps", 1e-7))
        x = [[a / size for a in row] for row in x]
        default = [3.4445, -4.775, 2.0315]
        p, q, s = h.get("ns_coefficients") or [h.get(f"ns_coefficient{i + 1}", c) for i, c in enumerate(default)]
        for _ in range(int(h.get("ns_steps", 5))):
            y = times(x, transposed(x))
            z = [[q * a + s * b for a, b in zip(u, v)] for u, v in zip(y, times(y, y))]
            x = [[p * a + b for a, b in zip(u, v)] for u, v in zip(x, times(z, x))]
        x = transposed(x) if rows > columns else x
        f = {"original": math.sqrt(max(1, rows / columns)), "match_rms_adamw": 0.2 * math.sqrt(max(rows, columns)),
             "spectral_unclamped": math.sqrt(rows / columns)}[h.get("adjust_lr_fn", "original")]
        for i, a in enumerate(a for row in x for a in row):
            theta[i] = (1 - self.rate * h.get("weight_decay", 0.1)) * theta[i] - self.rate * f * a

    def adamw(self, k, theta, g):
        h, m, v = self.h, self.m[k], self.v[k]
        b1, b2 = h.get("adamw_betas", [h.get("adamw_beta1", 0.9), h.get("adamw_beta2", 0.95)])
        rate = h.get("adamw_lr", 1e-3) * self.rate / self.first_rate
        for i, x in enumerate(g):
            m[i], v[i] = mean(b1, m[i], x), mean(b2, v[i], x * x)
            size = math.sqrt(v[i] / (1 - b2 ** self.t)) + h.get("adamw_eps", 1e-8)
            theta[i] = theta[i] * (1 - rate * h.get("adamw_weight_decay", 0.0)) - rate / (1 - b1 ** self.t) * m[i] / size
