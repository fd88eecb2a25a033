# Finished networks go on to more epochs, and come to what one that is trained at once comes to.
cat >net.yaml <<'END'
studies:
- study: images
  task: {dataset: glyphs, train_images: 300, test_images: 60, valid: 60, batch: 24, epochs: 3, model: cnn, width: 4, depth: 2,
         keep_checkpoint: true}
  schedule: {decay: 0.5, every: 2, warmup: 1}
  optimizer: {name: adam, lambda: 0.003}
  seeds: [1, 2]
- study: text
  task: {dataset: markov, train_tokens: 1000, valid_tokens: 300, test_tokens: 200, model: awd_lstm, nlayers: 1, emsize: 8, nhid: 8,
         bptt: 20, batch: 4, test_batch: 4, epochs: 3, keep_checkpoint: true}
  schedule: {anneal: polynomial}
  optimizer: {name: theopoula, lambda: 10, epsilon: 1, beta: 1e8}
END
sed 's/epochs: 3/epochs: 5/' net.yaml >more.yaml
sed 's/epochs: 3/epochs: 7/' net.yaml >most.yaml
curves="SELECT key, metric, epoch, printf('%!.20g', value) FROM curves JOIN runs USING (run) WHERE epochs = 7
    AND metric NOT LIKE 'seconds%' AND metric NOT LIKE '%_per_second' ORDER BY key, metric, epoch"
expect 0 poula sweep most.yaml --db whole.db --jobs 1
expect 0 poula sweep net.yaml --jobs 1
expect 0 poula sweep more.yaml --extend --jobs 1
contains err "3 runs go on from the end of a shorter one"
expect 0 poula sweep most.yaml --extend --jobs 1
contains out "images: 2 finished"
equal "$(sql results/poula.db "SELECT count(*) FROM runs AS r JOIN runs AS o ON o.key = r.extends WHERE r.epochs = 7 AND o.epochs = 5 AND o.seed = r.seed")" \
    3 "runs that say from which they went on"
equal "$(sql results/poula.db "SELECT DISTINCT source_epoch FROM run WHERE source IS NOT NULL ORDER BY 1" | tr '\n' ' ')" "3.0 5.0 " "since when"
contains_log() { sql results/poula.db "SELECT log FROM attempts WHERE run = (SELECT max(run) FROM runs WHERE epochs = 7)"; }
case "$(contains_log)" in *"goes on from a checkpoint in epoch 6"*) ;; *) fail "the run did not go on" ;; esac
sql whole.db "$curves" >whole
sql results/poula.db "$curves" >extended
[ -s whole ] || fail "there are no values"
cmp whole extended || fail "the runs that went on differ from those that were trained at once"
expect 0 poula verify --all

# Not without a checkpoint, and not where the learning rate declines over the whole run.
sed 's/, *keep_checkpoint: true//; s/^ *keep_checkpoint: true}/         width: 4}/; s/width: 4, depth: 2,/depth: 2,/' net.yaml >none.yaml
sed 's/epochs: 3/epochs: 4/' none.yaml >none4.yaml
expect 0 poula sweep none.yaml --db none.db --jobs 1
expect 0 poula sweep none4.yaml --db none.db --extend --jobs 1
contains err "0 runs go on"
contains err "kept no checkpoint of its end"
sed 's/schedule: {.*/schedule: {anneal: cosine}/' net.yaml >cosine.yaml
sed 's/epochs: 3/epochs: 4/' cosine.yaml >cosine4.yaml
expect 0 poula sweep cosine.yaml --db none.db --jobs 1
expect 0 poula sweep cosine4.yaml --db none.db --extend --jobs 1
contains err "3 cannot: the learning rate declines"
