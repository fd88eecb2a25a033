#!/usr/bin/env python3
"""Prints tests/unit/theory_values.h: the constants of the convergence proof of TheoPouLa in plain arithmetic.

Everything here is an ordinary number (mpmath has no limit on exponents), written down from the paper's table of
constants and proofs; the program computes with logarithms instead. Needs python3-mpmath; no test runs it.
"""
from mpmath import *

NAMES = """lambda_max A B R L_R L_H L_h M_0 A_2 A_q A_2q A_2r1 A_2l c_bar_2 c_tilde_2 c_bar_4 c_tilde_4 c_dot_0 c_dot_1
phi_bar epsilon c_hat C_0 C_tilde_1 C_bar_1 C_bar_2 C_bar_3 z_1 z_2 C_1 C_2 C_3 C_4 C_5 r_1 R_0 K C_6 C_7 W_1 W_2
risk""".split()


def least_M_0(lam, eta, d, r):
    """f(s) >= eta sqrt(lambda) (1 - sqrt(lambda) eta) from there on, eq:flambda."""
    def lacking(s):
        return (eta*sqrt(lam)*(1 - sqrt(lam)*eta) + 2*sqrt(d)/s*(sqrt(lam) + lam*sqrt(lam))
                - 2*eta*lam*s**(2*r)/(1 + sqrt(lam)*s**(2*r)) + 4*lam*d*(1 + lam**2)/s**2 + 2*lam*eta**2)
    low, high = mpf(10)**-9, mpf(10)**30
    for _ in range(500):
        middle = sqrt(low*high)
        low, high = (low, middle) if lacking(middle) <= 0 else (middle, high)
    return high


def integral_of_exp_square(x):
    """The integral from 0 to x of exp(s^2); far out by its asymptotic series."""
    if x < 30:
        return sqrt(pi)/2*erfi(x)
    series, term, k = mpf(0), 1/(2*x), 0
    while abs(term) > abs(series)*mpf(10)**-40 and k < 200:
        series += term
        term *= (2*k + 1)/(2*x*x)
        k += 1
    return exp(x*x)*series


def one_less_exp(x):
    return x if x < mpf(10)**-60 else -expm1(-x)


def constants(d, q, r, rho, L_G, eta, beta, lam, n, X_rho, X_2rho, K1, K2, K4, start, M_0=None, Z=None):
    d, q, r, rho, L_G, eta, beta, n = map(mpf, (d, q, r, rho, L_G, eta, beta, n))
    l, e2 = 2*r + 1, eta**2
    binomial_8l_4l = gamma(8*l + 1)/gamma(4*l + 1)**2
    lambda_max = min(mpf(1), 1/(4*e2), 1/(2**14*e2*binomial_8l_4l**2))
    lam = lambda_max if lam is None else mpf(lam)
    M_0 = least_M_0(lam, eta, d, r) if M_0 is None else mpf(M_0)

    A = 2**q*(1 + K1)
    B = 3*(2**(q + 1)*(1 + K1))**(q + 2)/eta**(q + 1)
    R = inf if r == 0.5 else max((2**(3*(q - 1) + 1)*L_G*X_rho/eta)**(1/(2*r - 1)), (2**q*L_G*X_rho/eta)**(1/(2*r)))
    L_R = L_G*X_rho*(1 if q == 1 else (1 + 2*R)**(q - 1))
    L_H = L_G + 8*r*eta
    L_h = L_H*X_rho

    def A_(p):
        p = int(ceil(p))
        M = max(M_0, 1, 4*d/((2 - eta)*eta), 2*sqrt(d)/(eta*(2 - eta)), mpf(2)**(2*p - 2)*p*(2*p - 1)*d/(eta*beta))
        D = lambda k: mpf(2)**(k - 1)*((2*sqrt(M))**k*(K1*(1 + M**q) + d + 2*eta*M**l)**(mpf(k)/2)
                                       + (8*d + 2*e2*M**2)**k)
        return (e2*M**(2*p) + M**(2*p)*fsum(binomial(p, k)*D(k) for k in range(1, p + 1))
                + mpf(2)**(2*p - 3)*p*(2*p - 1)*(2*d*M**(2*p - 2)/beta*fsum(binomial(p, k)*D(k) for k in range(p))
                                                 + 2/beta*(2/beta)**(p - 1)*d**p*fac2(2*p - 1)))
    A_2, A_q, A_2q, A_2r1, A_2l = A_(2), A_(q), A_(2*q), A_(l), A_(2*l)

    v = lambda p: (1 + mpf(1)/3 + 4*B/(3*A) + 4*d/(3*A*beta) + 4*(p - 2)/(3*A*beta))**(mpf(p)/2)  # v_p(M_bar_p)
    c_bar_2, c_tilde_2 = A/2, mpf(3)/2*A*v(2)
    c_bar_4, c_tilde_4 = A*4/4, mpf(3)/4*A*4*v(4)
    c_dot_0 = 2*sqrt(4*c_tilde_2*(1 + c_bar_2)/c_bar_2 - 1)
    c_dot_1 = 2*sqrt(c_tilde_2/c_bar_2 - 1)
    a, b = sqrt(beta*L_R/8), sqrt(8/(beta*L_R))
    phi_bar = 1/(sqrt(8*beta*pi/L_R)*c_dot_0*exp((c_dot_0*a + b)**2))
    integral = (integral_of_exp_square(a*c_dot_1 + b) - integral_of_exp_square(b))/a
    epsilon = min(mpf(1), 1/(4*c_tilde_2*sqrt(2*beta*pi/L_R)*integral))
    c_hat = 2*(1 + c_dot_0)*exp(beta*L_R*c_dot_0**2/8 + 2*c_dot_0)/epsilon
    C_0 = min(phi_bar, c_bar_2, 4*c_tilde_2*c_bar_2*epsilon)/2

    C_tilde_1 = 2**mpf(2.5)*sqrt(16*d**2 + eta**4*(start(4) + A_2/e2) + 3*d**2/beta**2)
    C_bar_1 = (L_H**2*2**(2*rho + mpf(5)/2)*3**(2*l)/L_R*(1 + X_2rho)
               * sqrt((1 + 2*start(4*l) + 2*A_2l/e2)*(16*d**2 + eta**4*(start(4) + A_2/e2) + 3*d**2/beta**2)))
    C_bar_2 = 12*sqrt(K2*(1 + start(2*q) + A_q/e2) + d + e2*(start(4*r + 2) + A_2r1/e2))
    C_bar_3 = 18/L_R*(8*K4*(1 + start(4*q) + A_2q/e2) + d + e2*(start(4*r + 2) + A_2r1/e2))
    step = sqrt(exp(3*L_R)*(C_bar_1 + C_bar_2 + C_bar_3))
    V_4 = 2*start(4) + 2 + 2*A_2/e2
    z_1 = c_hat*step/one_less_exp(C_0)*(1 + sqrt(V_4) + sqrt(V_4 + c_tilde_4/c_bar_4))
    z_2 = sqrt(one_less_exp(C_0)*z_1)/one_less_exp(C_0/2)
    Z_2, Z_4r2 = Z if Z else (3*v(2) - 1, 3*v(4*r + 2))
    C_1 = z_1 + step
    C_2 = c_hat*(1 + (1 + start(2)) + (1 + Z_2))
    C_3 = step + z_2
    C_4 = sqrt(2*C_2)
    C_5 = C_0/2

    r_1 = 2**(2*r)*K1 + eta
    R_0 = max(sqrt(B/A), sqrt(2*d/(beta*L_h)))
    K = L_h*(1 + 4*R_0)**l
    C_6 = r_1 + r_1*2**(2*r)/(2*r + 2)*(sqrt(start(4*r + 2) + A_2r1/e2) + sqrt(Z_4r2))
    C_7 = d/2*log(K*e/A*(B/d*beta + 1)) + log(2)

    W_1 = C_1*sqrt(lam) + C_2*exp(-C_0*lam*n)
    W_2 = C_3*lam**(mpf(1)/4) + C_4*exp(-C_5*lam*n)
    risk = C_6*W_2 + C_7/beta
    return locals()


def cases():
    # d=2 q=1 r=0.5 rho=1 L_G=1 eta=0.5 beta=1 lambda=2^-50 n=1000 M_0=2^26, X = 0, theta_0 = 0
    mp.dps = 60
    nothing = lambda p: mpf(0)
    yield constants(2, 1, 0.5, 1, 1, 0.5, 1, mpf(2)**-50, 1000, mpf(1), mpf(0), mpf(1), mpf(1), mpf(1), nothing,
                    M_0=mpf(2)**26)
    # the defaults: the toy example, |X| uniform on (0, 2), theta_0 = 5; exp(10^488) needs many digits
    mp.dps = 700
    growth = lambda p: (mpf(3)**(p + 1) - 1)/(2*(p + 1))  # E (1 + |X|)^p
    yield constants(1, 29, 14.5, 1, 34, mpf("5e-4"), mpf(10)**10, None, 10**6, growth(1), mpf(4)/3, 34*growth(1),
                    mpf(34)**2*growth(2), mpf(34)**4*growth(4), lambda p: mpf(5)**p)
    # d=3 q=2.2 r=1.3 rho=2 L_G=2 eta=0.1 beta=4 lambda=1e-21 n=1e5, |X| = 1/2, |G(0, x)| = 1/4,
    # theta_0 = (0.3, 0.3, 0.3), E|Z|^2 = 2, E|Z|^(4r+2) = 900
    mp.dps = 60
    K = lambda k: (2*mpf(1.5)**2 + mpf(1)/4)**k
    yield constants(3, mpf("2.2"), mpf("1.3"), 2, 2, mpf("0.1"), 4, mpf("1e-21"), 10**5, mpf(1.5)**2, mpf(0.5)**4, K(1),
                    K(2), K(4), lambda p: (sqrt(mpf(3))*mpf("0.3"))**p, Z=(mpf(2), mpf(900)))


columns = [[nstr(log(case[name]), 24) if case[name] != inf else "INFINITY" for name in NAMES] for case in cases()]
print("/* Printed by tests/golden/theory/reference.py, which has the formulas and the inputs of the three cases: natural\n"
      " * logarithms of the constants. */")
print("static const struct theory_values {\n    const char *name;\n    long double ln[3];\n} theory_values[] = {")
for i, name in enumerate(NAMES):
    print('    {"%s", {%s}},' % (name, ", ".join(c[i] if c[i] == "INFINITY" else c[i] + "L" for c in columns)))
print("};")
