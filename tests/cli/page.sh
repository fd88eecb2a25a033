# The page of a study as one file: what is in it, that it needs nothing else, and that texts of others stay texts.
cat >spec.yaml <<'EOF'
study: study
description: "<script>alert(1)</script> & co"
task: {command: [sh, -c, "for e in 1 2 3; do echo epoch=$e acc=0.$e'{seed}'; done; echo '<i>log</i>' >&2; [ {depth} != 3 ]"]}
settings: {way: ["<img src=x onerror=alert(1)>", plain], depth: [1, 3]}
seeds: [1, 2]
tables:
- {rows: way, columns: depth, value: best acc, title: "</caption><script>alert(2)</script>"}
figures:
- {kind: curves, x: epoch, y: acc, lines: way, title: "</svg><script>alert(3)</script>"}
- {kind: sensitivity, x: depth, y: acc, lines: way}
- {kind: heatmap, x: depth, y: way, z: acc}
EOF
expect 1 poula sweep spec.yaml --quiet
expect 0 poula report --format html
cp out page.html
expect 0 poula report --format html --out again.html
equal "$(wc -c <out)" 0 "bytes beside the file"
sed 's/Made on [^<]*//' page.html >one; sed 's/Made on [^<]*//' again.html >two; cmp one two || fail "two pages differ"

# One script and one style, both of the program; nothing is fetched; no element or attribute is anybody else's.
equal "$(grep -o '<script' page.html | wc -l)" 1 scripts
sed 's,http://www.w3.org/2000/svg,,' page.html >rest # a name, which nobody fetches
for never in '<img src=x' '<iframe' '<link' 'http://' 'https://' '<script>alert' '<i>log' 'src="' '@import' 'url('; do
    sed 's,url(#study-,,' rest >plain # clips of the page itself
    lacks plain "$never"
done
contains page.html "default-src 'none'"
contains page.html '&#60;script&#62;alert(1)&#60;/script&#62; &#38; co'
contains page.html '&#60;img src=x onerror=alert(1)&#62;'
contains page.html '&#60;i&#62;log&#60;/i&#62;'
contains page.html '<caption>'
contains page.html '8 runs, 4 finished, 4 failed'
contains page.html 'poula sweep spec.yaml'
contains page.html "$(sha256sum <spec.yaml | cut -c1-64)" # as the database has the spec
contains page.html '<b title="the best of its task">'

# The values of the figures are those of the database: means over two seeds at three epochs.
contains page.html '&#34;m&#34;:[0.115,0.215,0.315]'

# Tables alone, and one table, are elements for another page.
expect 0 poula report --format html --table
lacks out '<html'
contains out '<table>'
expect 0 poula report --format html --rows way --columns depth --value acc
lacks out '<html'
expect 0 poula query "SELECT '<x>' AS \"<y>\", NULL AS n, 1.5 AS r" --format html
contains out '<th scope="col">&#60;y&#62;</th>'
contains out '<td>&#60;x&#62;</td>'
contains out '<i>NULL</i>'

# Conditions hold for figures too, and a study without figures and tables has its main metric.
expect 0 poula report --format html --where way=plain
lines() { sed -n '/id="study-1-figure-1"/,/<\/figure>/p' "$1" | grep -c '<g class="line'; }
equal "$(lines page.html) $(lines out)" "4 2" "lines of the panels"
cat >bare.yaml <<'EOF'
study: bare
task: {command: [echo, "epoch=1 acc=0.{seed}"]}
seeds: [1, 2]
EOF
expect 0 poula sweep bare.yaml --quiet
expect 0 poula report --format html
contains out '<table>'
contains out 'class="lines"'

# Large studies: 200 runs of 500 epochs.
cat >large.yaml <<'EOF'
study: large
task: {problem: theta30, iterations: 500, record: 500}
optimizer: {name: theopoula, lambda: [0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02, 0.01], epsilon: [1, 0.5, 0.1, 0.01], beta: 1e10}
seeds: {from: 1, to: 5}
tables:
- {rows: lambda, columns: epsilon, value: best loss}
figures:
- {kind: curves, x: iteration, y: loss, lines: lambda, panels: epsilon}
- {kind: trajectories, x: iteration, y: theta, lines: lambda, panels: epsilon}
- {kind: curves, x: iteration, y: loss}
- {kind: heatmap, x: lambda, y: epsilon, z: loss}
EOF
expect 0 poula sweep large.yaml --quiet
expect 0 poula report --format html --out large.html
[ "$(wc -c <large.html)" -le 2000000 ] || fail "the page of 200 runs x 500 epochs has $(wc -c <large.html) bytes"
[ "$(wc -c <large.html)" -ge 800000 ] || fail "it has $(wc -c <large.html) bytes: its curves are not there"
[ "$(grep -c 'class="mean"' large.html)" -ge 80 ] || fail "it lacks lines"
contains large.html "&#34;x&#34;:[0,1,2,3,"
