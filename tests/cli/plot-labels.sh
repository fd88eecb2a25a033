# Labels of axes: what stands there is what was meant, whole, or cut and told.
command -v gnuplot >/dev/null || exit 77

# A percent sign is none of a format to gnuplot, which cuts what it formats after 49 bytes.
cat >percent.yaml <<'END'
study: percent
task: {command: [sh, -c, "echo loss={v}", "{p}"]}
settings:
  v: [1, 2, 3, 4]
  p: ["доля 5%", "обрезка 10%1", "前10%的样本按损失排序然后余弦衰减到最后的值", "5% ^_a ^_b ^_c ^_d"]
zip: [v, p]
END
texts() { sed 's/<[^>]*>//g' "$1" | sed 's/^[ \t]*//'; }
expect 0 poula sweep percent.yaml --db percent.db
for kind in "sensitivity --x p --y loss" "box --x p --y loss" "heatmap --x p --y v --z loss" "parallel --x p,v --y loss"; do
    expect 0 poula plot --db percent.db --kind $kind --format svg
    texts "$(cat out)" >shown
    for label in "доля 5%" "обрезка 10%1" "前10%的样本按损失排序然后余弦衰减到最后的值" "5% ^_a ^_b ^_c ^_d"; do
        grep -qxF "$label" shown || fail "$kind: no label $label"
    done
    ! command -v xmllint >/dev/null || xmllint --noout "$(cat out)" || fail "$kind: the SVG is no XML"
done
for format in tikz cairolatex; do
    expect 0 poula plot --db percent.db --kind sensitivity --x p --y loss --format $format
    contains "$(cat out)" '\poulachar{доля}{U+0434 U+043E U+043B U+044F} 5\symbol{37}}'
    contains "$(cat out)" '10\symbol{37}1}'
    contains "$(cat out)" 'U+540E U+7684 U+503C}}'
    contains "$(cat out)" '5\symbol{37} \textasciicircum{}\_a \textasciicircum{}\_b \textasciicircum{}\_c \textasciicircum{}\_d}'
done
for format in png pdf; do # where no font is asked for the letters
    expect 0 poula plot --db percent.db --kind sensitivity --x p --y loss --format $format --keep
    ! grep -q '^set xtics.*\\045"' plots/percent-sensitivity.gp || fail "a percent sign stands for itself in $format"
    equal "$(grep -o '{\\134\\060\\064\\065}\|\\173\\134\\060\\064\\065\\175' plots/percent-sensitivity.gp | wc -l)" 4 "percent signs in $format"
done
# Letters that no font has are written by their numbers at the axes of parallel coordinates too.
expect 0 poula plot --db percent.db --kind parallel --x p,v --y loss --keep
! grep -q "No font on this machine has U+524D" err || lacks plots/percent-parallel.gp 前
expect 0 poula plot --db percent.db --kind sensitivity --x p --y loss --terminal dumb
contains out "доля 5%"
lacks out "%%"
sed 's/^study: .*/study: wide/; s/"доля 5%"/"50% данных, перемешанных вновь"/' percent.yaml >wide.yaml
expect 0 poula sweep wide.yaml --db wide.db
expect 0 poula plot --db wide.db --kind sensitivity --x p --y loss --terminal dumb
iconv -f utf-8 -t utf-8 out >/dev/null || fail "a letter is cut in two"
contains out "50% данных, перемешанных"

# A label that is too long is cut, is told apart from one that begins alike, and a note has it whole.
cat >long.yaml <<'END'
study: long
task: {command: [sh, -c, "echo loss={v}", "{p}"]}
settings:
  v: [1, 2, 3]
  p: ["a very long name of something_one", "a very long name of something_two", short]
zip: [v, p]
END
expect 0 poula sweep long.yaml --db long.db
for kind in "sensitivity --x p --y loss" "strip --x p --y loss" "box --x p --y loss" "heatmap --x v --y p --z loss" "parallel --x p,v --y loss"; do
    expect 0 poula plot --db long.db --kind $kind --format svg
    contains err 'Labels that are too long for an axis are cut: "a very long name of something_one", "a very long name of something_two".'
    texts "$(cat out)" >shown
    for label in "a very long name of som…, 1" "a very long name of som…, 2" short; do
        grep -qxF "$label" shown || fail "$kind: no label $label"
    done
done
expect 0 poula plot --db long.db --kind heatmap --x p --y v --z loss --keep
contains plots/long-heatmap.dat 'a very long name of something\_one'

# Beside a scale of colours is room for its labels and for its name.
cat >wide-scale.yaml <<'END'
study: scale
task: {command: [sh, -c, 'echo loss=$0 validation/mean_absolute_percentage_error_of_all_sensors_after_calibration_and_smoothing=$0', "{v}", "{k}"]}
settings: {v: [-123456.7891, -123456.7892, -123456.7893], k: 1}
END
expect 0 poula sweep wide-scale.yaml --db scale.db
room() { awk '/^set terminal/ { sub(/.* size /, ""); width = $0 + 0 } /^set colorbox/ { split($5, o, ","); split($8, s, ","); print int((1 - o[1] - s[1]) * width) }' "$1"; }
for kind in "heatmap --x v --y k --z loss" "scatter --x k --z v --y loss" "parallel --x v,k --y loss"; do
    expect 0 poula plot --db scale.db --kind $kind --keep --format svg
    [ "$(room "plots/scale-${kind%% *}.gp")" -gt 140 ] || fail "$kind: $(room "plots/scale-${kind%% *}.gp") of 96 dots an inch beside the scale"
done

# The name of an axis is broken into lines where it is longer than the picture, and smaller.
long=validation/mean_absolute_percentage_error_of_all_sensors_after_calibration_and_smoothing
named() { sed -n "s/^set $1 \"\\([^\"]*\\)\".*/\\1/p" "$2" | head -n 1 | sed 's/\\012/|/g'; }
expect 0 poula plot --db scale.db --kind sensitivity --x v --y $long --keep --name tall
equal "$(named ylabel plots/tall.gp)" "best validation/mean absolute percentage error|of all sensors after calibration and smoothing" "name of y"
expect 0 poula plot --db scale.db --kind heatmap --x v --y k --z $long --keep --name low
equal "$(named cblabel plots/low.gp)" "best validation/mean absolute|percentage error of all sensors|after calibration and smoothing" "name of the scale"
contains plots/low.gp "offset 1,0 font '"
expect 0 poula plot --db scale.db --kind sensitivity --x v --y loss --labels "v=$(echo $long $long | tr _ ' ')" --keep --width 4in --name x
equal "$(named xlabel plots/x.gp | tr -cd '|' | wc -c)" 2 "breaks of the name of x"
expect 0 poula plot --db scale.db --kind sensitivity --x v --y $long --keep --width 3.25in --height 1.3in --name tiny
contains err "The name of the y axis is cut, since the figure is smaller than it is: \"best $(echo $long | tr _ ' ')\"."
expect 0 poula plot --db scale.db --kind sensitivity --x v --y loss --keep --name short
equal "$(grep '^set ylabel' plots/short.gp)" 'set ylabel "best loss" offset -0.4,0 rotate' "a short name"
sed 's/^study: .*/study: paged/' wide-scale.yaml >paged.yaml
printf 'figures: [{kind: heatmap, x: v, y: k, z: loss}, {kind: scatter, x: k, z: v, y: loss}]\n' >>paged.yaml
expect 0 poula sweep paged.yaml --db paged.db
expect 0 poula report --db paged.db --format html --out page.html
grep -o '<text class="tick" x="[0-9.]*" y="[0-9.]*">[^<]*1234[^<]*' page.html | sed 's/.* x="\([0-9.]*\)".*>/\1 /' >ticks
[ -s ticks ] || fail "no labels of a scale in the page"
awk '{ gsub(/−/, "-"); if ($1 + 6.2 * length($2) > 440) exit 1 }' ticks || fail "labels of a scale leave the picture"

# A figure's name becomes a file name, on the command line as in a spec; slopes are numbers.
for name in "" a/b ../up .hidden -x "a b" "$(printf '%0101d' 0)"; do
    expect 2 poula plot --db scale.db --kind sensitivity --x v --y loss --name="$name" --out named
    contains err "becomes a file name: it must be at most 100 letters, digits, _, - and ., and begin with neither . nor -"
done
for slopes in inf 0.5,-inf 1e999 nan; do
    expect 2 poula plot --db scale.db --kind sensitivity --x v --y loss --slopes="$slopes" --out named
    contains err "--slopes is '$slopes', but must be up to 5 finite numbers, like 0.5,0.25"
done
[ ! -e named ] || fail "a refused figure left a folder"
sed 's/^study: .*/study: inf/' wide-scale.yaml >inf.yaml
printf 'figures: [{kind: sensitivity, x: v, y: loss, slopes: [.inf]}]\n' >>inf.yaml
expect 2 poula sweep inf.yaml --dry-run
contains err "slopes is inf, but must be a number"
expect 0 poula plot --db scale.db --kind sensitivity --x v --y loss --name naïve-1.b_C
[ -s plots/naïve-1.b_C.png ] || fail "a legal name"
