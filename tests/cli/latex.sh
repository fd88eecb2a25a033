# Tables compile in a real document, whatever stands in them; skipped where there is no pdflatex (tools/deps --install latex).
command -v pdflatex >/dev/null || { echo "there is no pdflatex: tables are not compiled"; exit 77; }
cat >trainer.sh <<'E'
[ "$1$2" != 'a_b%&$#{}~^\1' ] || exit 3
echo "accuracy=0.$((50 + $2)) loss=1e-$2 λ=0.1"
E
cat >odd.yaml <<'E'
study: odd_100%
task: {command: [sh, trainer.sh, "{method}", "{seed}"]}
settings: {method: ['a_b%&$#{}~^\', theopoula, "naïve 中 😀 <b> \"q\""], depth: [-1, 1e-9], beta: [.inf, 1e10]}
seeds: [1, 2, 3]
tables:
- {rows: method, columns: [beta, depth], value: accuracy, cell: mean ± ci95, unit: percent, label: tab:main, compare: {test: welch},
   labels: {theopoula: 'Theo_Pou{}La \x $', beta: "λ_β²", depth: "50% & more", 1e10: "10^10", accuracy: "accuracy ± %"}}
- {rows: [method, depth, beta], value: last loss, caption: 'Ours: {α} \alpha 100% ~ #1', label: tab:2}
- {rows: method, columns: [depth, beta], value: accuracy, cell: mean+-sem, where: {method: theopoula}}
- {rows: method, columns: [depth, beta], value: accuracy, cell: n}
E
sed -i 's/odd_100%/odd/' odd.yaml
expect 1 poula sweep odd.yaml
compiles() {
    cat >doc.tex <<'E'
\documentclass{article}
\usepackage{amsmath,booktabs}
\begin{document}
Tables~\ref{tab:main} and~\ref{tab:2}.
\input{tables}
\end{document}
E
    pdflatex -interaction=nonstopmode -halt-on-error doc.tex >out 2>err </dev/null || fail "$1 does not compile"
    pdflatex -interaction=nonstopmode -halt-on-error doc.tex >out 2>err </dev/null || fail "$1 does not compile twice"
    lacks out "multiply defined"
}
expect 0 poula report --format latex --out tables.tex
compiles "the declared tables"
lacks out "undefined"
for more in "--cell mean+-std --unit percent --value accuracy" "--cell median --rows method --value loss" \
    "--pairs --test welch --value accuracy" "--unit percent --value accuracy --label tab:main"; do
    expect 0 poula report --format latex --out tables.tex $more
    compiles "$more"
done
