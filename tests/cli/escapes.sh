# B5: tables for LaTeX and Markdown keep every text, by the rules that pdfLaTeX and GitHub were seen to follow.
cat >spec.yaml <<'EOF'
study: cases
task: {command: [echo, "epoch=1 test_acc=0.5"]}
settings:
  name_of: ["a_b", "50%", "R&D", "#1", "$x$", "{curly}", "tilde~", "caret^2", 'back\slash', "<less>", "λ=0.1", "café", "中文", "→",
    'quote"s', "a|b", "--dash", "*star*", "[x]", "line\nbreak", "&amp;", "?`", " lead", "trail ", "a  b"]
  kind: ["[1]", "*2", "-"]
tables:
- {rows: name_of, value: best test_acc, title: "100% _real_ & {true} #1 $5 ~ ^ \\ λ 中 [x] --", where: {kind: "*2"}}
- {columns: kind, value: best test_acc, where: {name_of: "a_b"}}
- {rows: kind, columns: name_of, value: best test_acc}
EOF
expect 0 poula sweep spec.yaml --quiet
expect 0 poula report --format latex
# A line that begins with [ or * belongs to the \\ or rule before it, and LaTeX takes it away or stops.
! grep -n '^ *[[*]' out || fail "a row begins with [ or *"
! grep -n '[^\\][#~^]' out | grep -v poulachar || fail "a special character is bare"
equal "$(grep -c '^{\[}x{\]} & ' out)" 1 "rows of [x]"
for row in 'a\_b' '50\%' 'R\&D' '\#1' '\$x\$' '\{curly\}' 'tilde\textasciitilde{}' 'caret\textasciicircum{}2' \
    'back\textbackslash{}slash' '\textless{}less\textgreater{}' '\ensuremath{\lambda}=0.1' 'café' \
    '\poulachar{中文}{U+4E2D U+6587}' '\ensuremath{\rightarrow}' "quote{''}s" 'a\textbar{}b' '-{}-dash' '{*}star{*}' \
    'line\textbackslash{}nbreak' '\&amp;' '?\`{}' '\mbox{ }lead' 'trail\mbox{ }' 'a \mbox{ }b'; do
    contains out "$row & "
done
contains out '\caption{100\% \_real\_ \& \{true\} \#1 \$5 \textasciitilde{} \textasciicircum{} \textbackslash{} \ensuremath{\lambda} \poulachar{中}{U+4E2D} {[}x{]} -{}- (cases)'
contains out '\multicolumn{1}{c}{{[}1{]}} & \multicolumn{1}{c}{{*}2} & '
# pdfLaTeX would stop at characters that it does not know; the definition and its note stand where a table has such.
equal "$(grep -c '^\\providecommand{\\poulachar}' out)" 2 "definitions of poulachar"
equal "$(sed 's/\\poulachar{[^}]*}//g' out | LC_ALL=C grep -c '[^ -~]' || true)" "$(sed 's/\\poulachar{[^}]*}//g' out | grep -c café)"

expect 0 poula report --format markdown
for cell in 'a\_b' '\*star\*' '\[x\]' '\#1' '\$x\$' '\<less\>' 'tilde\~' 'back\\slash' 'a\|b' 'line<br>break' '\&amp;' '?\`' \
    '&nbsp;lead' 'trail&nbsp;' 'a &nbsp;b' '中文' '\--dash'; do
    contains out "| $cell "
done
equal "$(awk -F'[^\\\\][|]' '/^[|] (50%|R|café)/ {print NF}' out | sort -u)" 3 "cells of a row"
