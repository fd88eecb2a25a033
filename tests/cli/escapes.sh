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
contains out '\multicolumn{1}{c}{{[}1{]}} & \multicolumn{1}{c}{{*}2} & \multicolumn{1}{c}{-} ' # and no dash
# pdfLaTeX would stop at characters that it does not know; the definition and its note stand where a table has such.
equal "$(grep -c '^\\providecommand{\\poulachar}' out)" 2 "definitions of poulachar"
equal "$(sed 's/\\poulachar{[^}]*}//g' out | LC_ALL=C grep -c '[^ -~]' || true)" "$(sed 's/\\poulachar{[^}]*}//g' out | grep -c café)"

expect 0 poula report --format markdown
for cell in 'a\_b' '\*star\*' '\[x\]' '\#1' '\$x\$' '\<less\>' 'tilde\~' 'back\\slash' 'a\|b' 'line<br>break' '\&amp;' '?\`' \
    '&nbsp;lead' 'trail&nbsp;' 'a &nbsp;b' '中文' '\--dash'; do
    contains out "| $cell "
done
equal "$(awk -F'[^\\\\][|]' '/^[|] (50%|R|café)/ {print NF}' out | sort -u)" 3 "cells of a row"

# D11: names, values, titles, logs and reasons of a database or spec from somebody else never reach a terminal raw, wherever
# the output goes. They are hostile by their bytes: ESC, a C1 control, a bidirectional override, no UTF-8.
esc=$(printf '\033]0;x\007') c1=$(printf '\302\233') rtl=$(printf '\342\200\256') zero=$(printf '\342\200\213') bad=$(printf '\377')
harmless() { # FILE: no control but newline and tab, no turn, valid UTF-8; and what was hidden is shown
    ! LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" "$1" || fail "$1 has a control character"
    for raw in "$c1" "$rtl" "$zero"; do
        ! LC_ALL=C grep -nF "$raw" "$1" || fail "$1 has a raw character"
    done
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "$1 is no UTF-8"
}
hostile() { # CODE FILE COMMAND...: FILE shows that there was something
    code=$1 shown=$2; shift 2
    expect "$code" poula "$@"
    harmless out
    harmless err
    contains "$shown" 'x1b'
}
cat >plain.yaml <<'EOF'
study: plain
task: {command: [sh, -c, "echo hello; echo epoch=1 acc=0.{seed}; exit $(({seed} - 1))"]}
settings: {way: [north, south]}
seeds: [1, 2]
EOF
expect 1 poula sweep plain.yaml --quiet --db hostile.db
name="n$esc$c1$rtl$zero"
column=s$(sql hostile.db "SELECT id FROM setting_key WHERE key = 'way'")
sql hostile.db "UPDATE config SET settings = replace(settings, 'north', 'n\\u001b]0;x\\u0007$c1$rtl$zero'),
    $column = replace($column, 'north', '$name');
    UPDATE series SET name = 'acc$esc$rtl' WHERE name = 'acc';
    UPDATE attempt SET reason = 'why$esc$c1$rtl' WHERE outcome = 4;
    UPDATE attempt SET log = '${esc}log' || char(10) || '$rtl' || CAST(x'ff0a' AS TEXT);
    UPDATE session SET host = 'host$esc';
    UPDATE host SET name = 'host$esc', cpu = 'cpu$esc'"
failed=$(sql hostile.db "SELECT min(run) FROM attempt WHERE outcome = 4")
for format in text markdown latex; do
    hostile 0 out report --rows way --value "last acc$esc$rtl" --db hostile.db --format $format
done
expect 0 poula report --rows way --value "last acc$esc$rtl" --db hostile.db
contains out 'n\x1b]0;x\x07\u{9b}\u{202e}\u{200b}'
for format in text markdown; do
    hostile 0 out runs --all --db hostile.db --format $format
    hostile 0 out query "SELECT way, attempts.reason, log, 'x' AS 'a$esc' FROM runs JOIN attempts USING (run)" --db hostile.db --format $format
done
hostile 0 out show "$failed" --db hostile.db
contains out 'reason      why\x1b]0;x\x07\u{9b}\u{202e}'
contains out '\xff'
hostile 2 err report --rows "no$esc" --value "last acc" --db hostile.db
hostile 2 err runs --where "way=$name-" --db hostile.db
hostile 1 err report --db "none$esc.db"
hostile 2 err "frob$esc"
hostile 2 err sweep "none$esc.yaml"
hostile 0 out show metric "acc$esc"
# Data keeps its bytes.
expect 0 poula query "SELECT DISTINCT way FROM runs ORDER BY 1" --db hostile.db --format csv
printf 'way\n%s\nsouth\n' "$name" >wanted
cmp -s out wanted || fail "csv changed the bytes"

# A study with such a name, and a spec, a program and its lines.
sql hostile.db "UPDATE sweep SET study = 'st$esc$rtl'"
hostile 0 out query "SELECT study FROM studies" --db hostile.db
poula report --db hostile.db >out 2>err || true
harmless out
harmless err
cat >bad.yaml <<'END'
study: bad
task: {command: [sh, -c, "printf 'log \\033[31m\\n'; echo epoch=1 acc=0.5; exit {way}"], directory: "."}
settings: {way: ["0 #\x1b[2J\u202E"]}
tables: [{rows: way, value: last acc, title: "t\x1b[2J"}]
END
hostile 0 out sweep bad.yaml --dry-run --db b.db
expect 0 poula sweep bad.yaml --db b.db
harmless err
hostile 0 out report --db b.db
cat >wrong.yaml <<'END'
study: wrong
task: {problem: "theta\x1b[2J"}
"opti\u202Emizer": adam
END
hostile 2 err sweep wrong.yaml --db b.db
