# A busy node tells one process after the other to end: a program that heard of it a second before its task did has not failed.
cluster --room 4000
cat >first.yaml <<'END'
study: first
task: {command: [sh, -c, 'if [ -e again ]; then echo loss=1; exit; fi; touch again; echo $$ >process; while :; do sleep 0.05; done']}
END
start attached poula sweep first.yaml --on slurm --db first.db --time 10m; attached=$started
wait_for 100 has_lines process 1
kill "$(cat process)"
sleep 1
expect 0 scancel --signal=TERM --batch "$(squeue -h -r -o %i)"
finish attached 0 "$attached"
equal "$(sql first.db "SELECT group_concat(number || outcome || ' ' || coalesce(reason, ''), ', ') FROM attempts")" \
    "1interrupted its task was told to end, 2finished " attempts
settled first.db
