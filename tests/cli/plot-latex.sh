# Figures for a LaTeX document: they compile in it, whatever stands in them.
command -v gnuplot >/dev/null || exit 77
cat >odd.yaml <<'E2'
study: odd
task: {command: [sh, -c, 'echo epoch=1 loss=1e-9 a_b=2; echo epoch=2 loss=1e{seed} a_b=1; echo epoch=3 loss=3 a_b=inf']}
settings: {method: ['a_b%&$#{}~^\', "naïve λ ∞ <b> \"q\"", "中 😀"], beta: [0.001, .inf]}
seeds: [1, 2]
metrics: {a_b: none}
figures:
- {kind: curves, y: [loss, a_b], lines: method, panels: beta, title: '100% {α} \alpha $x$ _^', smooth: 3, width: 5in, y_range: [0, 3],
   labels: {a_b: 'a_b^{2} %'}}
- {kind: sensitivity, x: beta, y: loss, lines: method, band: sem}
- {kind: heatmap, x: method, y: beta, z: last loss, font: "Times,8"}
- {kind: ranks, lines: method, y: last loss}
E2
sed -i '/kind: ranks/d' odd.yaml
expect 0 poula sweep odd.yaml
expect 0 poula plot --format tikz --keep
same out <<'E2'
plots/odd-curves.tex
plots/odd-sensitivity.tex
plots/odd-heatmap.tex
E2
contains err "The letters are the document's: the family of font is for other formats."
contains plots/odd-curves.gp "set terminal tikz size 5.000in,"
contains plots/odd-curves.tex 'usepackage{gnuplot-lua-tikz}'
contains plots/odd-curves.tex '\textbackslash{}'
expect 0 poula plot --format cairolatex
equal "$(ls plots/*-latex.pdf plots/*-latex.tex | wc -l)" 6 "files of cairolatex"
expect 0 poula plot --format pdf
equal "$(ls plots/odd-curves*.pdf | wc -l)" 2 "the PDF does not take the place of what LaTeX takes"

command -v pdflatex >/dev/null || { echo "there is no pdflatex: figures are not compiled"; exit 77; }
compiles() {
    { printf '\\documentclass{article}\n\\usepackage{%s}\n\\graphicspath{{plots/}}\n\\begin{document}\n' "$1"
      for figure in $2; do printf 'A figure.\n\n\\input{%s}\n\n' "${figure%.tex}"; done
      printf '\\end{document}\n'; } >doc.tex
    pdflatex -interaction=nonstopmode -halt-on-error doc.tex >out 2>err </dev/null || fail "$1 does not compile"
}
compiles graphicx,xcolor "$(ls plots/*-latex.tex)"
kpsewhich tikz.sty gnuplot-lua-tikz.sty >found || true
[ "$(wc -l <found)" = 2 ] || { echo "there is no TikZ: its figures are not compiled"; exit 77; }
compiles graphicx,gnuplot-lua-tikz "plots/odd-curves.tex plots/odd-sensitivity.tex plots/odd-heatmap.tex"
