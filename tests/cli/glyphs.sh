# glyphs is what its description says: too hard for a linear model, easy for a small convolutional network.
cat >glyphs.yaml <<'END'
defaults:
  task: {dataset: glyphs, batch: 100, epochs: 4, augment: false}
  schedule: {decay: 0.1, every: 3}
  seeds: [1]
studies:
- study: linear
  task: {model: layers, layers: [linear classes]}
  optimizer: {name: adam, lambda: [1e-4, 1e-3]}
- study: cnn
  task: {model: cnn}
  optimizer: {name: adam, lambda: 5e-3}
END
[ "$SLOW" = 0 ] || sed -i 's/epochs: 4/epochs: 1, train_images: 4000/' glyphs.yaml
expect 0 poula sweep glyphs.yaml --jobs 2
best() { sql results/poula.db "SELECT max(value) ${2-} FROM best JOIN runs USING (run) WHERE metric = 'test_accuracy' AND runs.model = '$1'"; }
equal "$(best layers '< 0.6')" 1 "a linear model below 60% ($(best layers))"
[ "$SLOW" = 1 ] || equal "$(best cnn '> 0.9')" 1 "a small network above 90% ($(best cnn))"
