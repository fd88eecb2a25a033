# kill -9 at random moments of whoever submits and attaches, of collectors, of tasks and their workers: whatever was killed, in the end every
# value is there with the bits of a local sweep, no run was finished twice, no array was submitted twice, and nothing is held.
# $POULA_KILLS kills (a few by default; 30 and more by hand), from $POULA_SEED.
kills=${POULA_KILLS:-12} seed=${POULA_SEED:-$(date +%s)}
echo "POULA_KILLS=$kills POULA_SEED=$seed"
unset POULA_KILLS POULA_SEED # poula knows no such variables
cluster --room 4000 --array-max 6 --cpus 4
cat >mixed.yaml <<'END'
studies:
- study: problems
  task: {problem: theta30, iterations: 3000, record: 20}
  optimizer: {name: [theopoula, adam], lambda: [0.1, 0.01]}
  seeds: {from: 1, to: 6}
- study: programs
  task: {command: [sh, -c, "for e in 1 2 3 4; do sleep 0.1; echo epoch=$e loss={seed}.$e; done"]}
  seeds: {from: 1, to: 12}
- study: images
  task: {dataset: glyphs, train_images: 300, test_images: 60, valid: 60, batch: 20, epochs: 6, model: mlp, dropout: 0.2,
         record_batches: 12, checkpoint_minutes: 0.0005}
  optimizer: {name: theopoula, lambda: 0.1, epsilon: 0.1, average: patience, average_after: 1}
  seeds: [1, 2]
END
expect 0 poula sweep mixed.yaml --db local.db --jobs 2
stub sbatch <<'END'
[ "$1" = --version ] && exec "$real" "$@"
job=$("$real" "$@") || exit
echo "$2" >>submitted
echo "$job"
END
state=$seed
draw() { # BELOW: in $drawn
    state=$(((state * 1103515245 + 12345) % 2147483648))
    drawn=$((state / 65536 % $1))
}
# Processes of tasks, which work in this folder: those that are told to, in a space that others share.
ours() { # PATTERN
    for process in $(pgrep -f "$1" || true); do
        [ "$(readlink "/proc/$process/cwd")" != "$(pwd -P)" ] || echo "$process"
    done
}
one_of() { echo "$2" | awk -v n="$1" 'NF { line[count++] = $0 } END { if (count) print line[n % count] }'; }
ended() { sql "$1" "SELECT run, number, started, seconds, worker FROM attempts WHERE outcome = 'finished'"; }

done=0 part=0
: >tally
while [ $done -lt "$kills" ]; do
    part=$((part + 1))
    db=killed$part.db
    : >submitted; : >seen
    left=1
    while [ $done -lt "$kills" ] && [ $left != 0 ]; do
        fast_clock 10
        start sweep on_slurm mixed.yaml $db --retry-failed --runs-per-task 3; sweep=$started
        while [ $done -lt "$kills" ] && ! gone "$sweep"; do
            draw 1000
            sleep "$(awk -v n="$drawn" 'BEGIN { print 0.05 + 1.5 * n / 1000 }')"
            draw 1000
            which=$drawn
            draw 8
            case $drawn in
            0 | 1 | 2) who=submitter victims=$(ours 'sweep mixed.yaml --on slurm') ;;
            3)
                who=collector
                "$POULA" runs --db $db >/dev/null 2>&1 & victims=$!
                "$POULA" jobs --db $db >/dev/null 2>&1 & victims="$victims $!"
                sleep 0.0$((which % 9 + 1)) ;;
            4 | 5) who=task victims=$(one_of $which "$(ours 'worker --orders')") ;;
            *) who=worker victims=$(one_of $which "$(ours 'poula worker$|/proc/self/exe worker$')") ;;
            esac
            [ -n "$victims" ] && kill -9 $victims 2>/dev/null || continue
            done=$((done + 1))
            echo $who >>tally
            [ ! -f $db ] || ended $db >>seen 2>/dev/null || true
        done
        left=0
        wait "$sweep" || left=$?
    done
    fast_clock 10
    [ $left = 0 ] || expect 0 on_slurm mixed.yaml $db --retry-failed --runs-per-task 3
    same_values local.db $db
    settled $db
    ended $db | sort >ended
    sort -u seen | comm -23 - ended >changed
    [ ! -s changed ] || fail "attempts that had finished were changed: $(head -n 3 changed)"
    equal "$(sort submitted | uniq -d)" "" "arrays that were submitted twice"
    expect 0 poula verify --database --db $db
done
echo "$done kills in $part databases: $(sort tally | uniq -c | tr -s ' \n' ' ')"
