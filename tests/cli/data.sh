# poula data: what is there, checking, fetching from a server of our own, importing.
server=
stop_server() { [ -z "$server" ] || kill "$server" 2>/dev/null || true; server=; }
trap stop_server EXIT
serve() { # FILE OPTIONS...: $url afterwards
    stop_server
    rm -f port
    "$SERVE" "$1" port requests $(shift; echo "$@") &
    server=$!
    wait_for 10 test -s port
    url=http://127.0.0.1:$(cat port)/file
}
fetch() { poula data fetch cifar10 --url "$url" "$@"; }
archive=data/cifar-10-binary.tar.gz

expect 0 poula data list
contains out "cifar10       missing"
contains out "glyphs        built in: 10000 + 2000 images of 10 classes"
expect 0 poula data list --format csv
contains out "name,dataset,state,origin,classes,train,test,shape,bytes,path,sha256,note"
contains out "cifar100,cifar100,missing"
expect 0 poula data verify
contains out "glyphs: 10000 training and 2000 test images of 10 classes"
contains out "as on every machine"
[ ! -e data ] || fail "looking made a folder"
expect 1 poula data verify cifar10
contains err "poula data fetch cifar10"
expect 1 poula data verify nothing
expect 2 poula data
expect 2 poula data lsit
expect 2 poula data list x
expect 2 poula data list --url x
expect 2 poula data fetch
expect 2 poula data fetch glyphs
contains err "nothing to fetch"
expect 2 poula data fetch nothing
expect 2 poula data fetch cifar10 --sha256 abc
contains err "64 hexadecimal digits"
expect 2 poula data fetch cifar10 cifar100 --url http://127.0.0.1/

# ---- fetch
head -c 2000000 /dev/urandom >file
sha=$(sha256sum file | cut -d' ' -f1)
serve file
expect 0 fetch --sha256 $sha
cmp file $archive || fail "not the file that was served"
equal "$(cat requests)" all requests
equal "$(ls data)" cifar-10-binary.tar.gz "files in data"
expect 0 fetch --sha256 $sha
contains out "already"
equal "$(cat requests)" all "requests after the file was there"
expect 2 fetch
contains err "is there already, but is another file"
contains err $sha
cmp file $archive || fail "a file of the user's was touched"

# Nothing is kept of a file that is not the right one, nor of an answer that is no file.
rm -r data
expect 1 fetch
contains err "have the SHA-256 $sha"
contains err "must be c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
equal "$(ls data)" "" "files after a wrong checksum"
url=${url%/file}/moved
expect 0 fetch --sha256 $sha
cmp file $archive || fail "not the file after a redirection"
rm -r data
serve file status=404
expect 1 fetch --sha256 $sha
contains err "answers 404"
equal "$(ls data)" "" "files after 404"
stop_server
expect 1 fetch --sha256 $sha
contains err "cannot fetch http://127.0.0.1"
expect 1 poula data fetch cifar10 --url file:///etc/passwd
equal "$(ls data)" "" "files without a server"

# A cut connection is taken up again where it ended, now or by the next command.
serve file cut=500000 cuts=1
expect 0 fetch --sha256 $sha
cmp file $archive || fail "not the file after a cut"
equal "$(tr '\n' ' ' <requests)" "all 500000 " "requests after a cut"
rm -r data
serve file cut=150000
expect 1 fetch --sha256 $sha
contains err "keeps the 1500000 bytes"
equal "$(ls data)" cifar-10-binary.tar.gz.part "what a failure keeps"
serve file
expect 0 fetch --sha256 $sha
equal "$(cat requests)" 1500000 "requests of the next command"
cmp file $archive || fail "not the file after a second command"

# What an earlier attempt left may be of another file, too long, or of no use to this server.
for left in "head -c 700000 /dev/zero" "head -c 3000000 /dev/zero" "cat file"; do
    rm -r data && mkdir data
    $left >$archive.part
    expect 0 fetch --sha256 $sha
    cmp file $archive || fail "not the file after: $left"
done
serve file norange
rm -r data && mkdir data
head -c 700000 file >$archive.part
expect 0 fetch --sha256 $sha
cmp file $archive || fail "not the file from a server without ranges"

# A full disk, and two at once.
serve file
rm -r data
(ulimit -f 1000; expect 1 fetch --sha256 $sha)
contains err "cannot write $archive.part"
[ -s $archive.part ] || fail "a full disk lost what had come"
expect 1 env POULA_PATIENCE=0.5 flock $archive.part "$POULA" data fetch cifar10 --url "$url" --sha256 $sha
contains err "another process is fetching"
[ -s $archive.part ] || fail "the part of another process was removed"
expect 0 fetch --sha256 $sha
cmp file $archive || fail "not the file after a full disk"

# D3: two at once give one whole copy, fetched once. A server that cuts and cannot continue, that says it begins elsewhere than
# it was asked to, or that is gone in the middle, is asked a few times, with pauses.
rm -r data
serve file slow=100
start first poula data fetch cifar10 --url "$url" --sha256 $sha; first=$started
wait_for 10 test -s $archive.part
start second poula data fetch cifar10 --url "$url" --sha256 $sha; second=$started
finish first 0 "$first"
finish second 0 "$second"
cmp file $archive || fail "not the file after two at once"
equal "$(cat requests)" all "requests of two at once"
equal "$(ls data)" cifar-10-binary.tar.gz "files after two at once"
for how in "norange cut=600000" "lie cut=600000 cuts=1" "cut=0"; do
    rm -r data
    serve file $how
    case $how in lie*) code=0 ;; *) code=1 ;; esac
    expect $code fetch --sha256 $sha
    [ "$(wc -l <requests)" -le 10 ] || fail "$how: $(wc -l <requests) requests"
    [ $code = 1 ] || cmp file $archive || fail "not the file after: $how"
done
serve file # for what follows
expect 0 fetch --sha256 $sha
expect 1 poula data verify cifar10
contains err "cifar-10-binary.tar.gz"
stop_server

# ---- a set in CIFAR-10's layout: black images of class 0
rm -r data && mkdir -p data made/cifar-10-batches-bin
head -c 30730000 /dev/zero >made/cifar-10-batches-bin/test_batch.bin
for i in 1 2 3 4 5; do
    ln made/cifar-10-batches-bin/test_batch.bin made/cifar-10-batches-bin/data_batch_$i.bin
done
printf '%s\n' airplane automobile bird cat deer dog frog horse ship truck "" >made/cifar-10-batches-bin/batches.meta.txt
tar -C made --hard-dereference -cf - cifar-10-batches-bin | gzip -1 >$archive
expect 0 poula data list
contains out "cifar10       unchecked: $archive"
expect 0 poula data verify cifar10
contains out "50000 training and 10000 test images of 10 classes"
contains out "not the official set"
expect 0 poula data list
contains out "cifar10       ready, unofficial: 50000 + 10000 images of 10 classes, 32 x 32, data/cifar10.images, 184."
contains out "none of its files has the published SHA-256"
# Training says so, and records it.
cat >quick.yaml <<'EOF'
study: quick
task: {dataset: cifar10, subset: 64, test_subset: 32, valid: 16, model: cnn, width: 2, depth: 1, batch: 32, epochs: 1}
optimizer: {name: sgd, lambda: 0.01}
seeds: [1]
EOF
expect 0 poula sweep quick.yaml
contains err "not the official set"
equal "$(sql results/poula.db "SELECT count(*) FROM session WHERE data LIKE 'cifar10 % unofficial'")" 1 "the verdict in the database"
# An altered cache is found and replaced while its source is there, and refused when that is gone.
poke() { printf '\377' | dd of=data/cifar10.images bs=1 seek=100000000 conv=notrunc 2>/dev/null; }
poke
expect 0 poula data verify cifar10
contains out "a cache that differed was replaced"
expect 0 poula data verify cifar10
lacks out "replaced"
# D9: training looks, too: it makes the cache anew, or refuses it; what is recorded of the data is true.
data_of() { sql "$1" "SELECT data FROM session ORDER BY id DESC LIMIT 1"; }
poke
expect 0 poula sweep quick.yaml --db poked.db
equal "$(data_of poked.db)" "$(data_of results/poula.db)" "the checksum that is recorded"
expect 0 poula data verify cifar10
lacks out "replaced"
rm $archive
expect 0 poula data verify cifar10
poke
expect 1 poula data verify cifar10
contains err "data/cifar10.images was altered"
expect 1 poula sweep quick.yaml --db flipped.db
contains err "data/cifar10.images was altered"
expect 1 poula run quick.yaml
contains out "data/cifar10.images was altered"
# Unpacked, cut.
mv made/cifar-10-batches-bin data/
rm data/cifar-10-batches-bin/data_batch_4.bin
head -c 30000000 /dev/zero >data/cifar-10-batches-bin/data_batch_4.bin
expect 1 poula sweep quick.yaml --db other.db
contains err "data_batch_4.bin has 30000000 bytes, but must have 30730000"
rm -r data
sed 's/cifar10,/cifar100,/' quick.yaml >missing.yaml
expect 1 poula sweep missing.yaml --db other.db
contains err "poula data fetch cifar100"

# ---- import
red=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4ISeHFTEMLQkAkL9BAc9woTwAAAAASUVORK5CYII=
blue=iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mOQkzuBFTEMLQkAO79BAQ68oXkAAAAASUVORK5CYII=
mkdir -p own/red own/blue
for i in 1 2 3 4 5 6 7 8 9 10; do
    echo $red | base64 -d >own/red/$i.png
    echo $blue | base64 -d >own/blue/$i.png
done
expect 2 poula data import own
expect 2 poula data import glyphs own
expect 2 poula data import own nowhere
expect 2 poula data import own own --size 4
expect 2 poula data import own own --test 1
echo broken >own/red/11.png
expect 1 poula data import own own
contains err "own/red/11.png: it is neither PNG nor JPEG"
[ ! -e data ] || fail "a failed import left something"
expect 0 poula data import own own --size 16 --test 0.3 --skip-unreadable
contains err "own/red/11.png"
contains out "own: 15 training and 5 test images of 2 classes" # the broken one was to be the sixth
expect 0 poula data list --format json
contains out '"name": "own", "dataset": "folder", "state": "ready"'
cat >own.yaml <<'EOF'
study: own
task: {dataset: folder, images: own, model: cnn, width: 4, depth: 2, batch: 7, epochs: 10}
optimizer: {name: adam, lambda: 0.01}
seeds: [1]
EOF
expect 0 poula sweep own.yaml
equal "$(sql results/poula.db "SELECT max(value) FROM best WHERE metric = 'test_accuracy'")" 1.0 "accuracy on red and blue"
(ulimit -f 8; expect 1 poula data import full own --skip-unreadable)
contains err "cannot write data/full.images"
equal "$(ls data)" own.images "files after a full disk"
# D4: a set that was there survives a full disk, a name that is no text, and a kill at any moment.
before=$(sha256sum <data/own.images)
(ulimit -f 8; expect 1 poula data import own own --skip-unreadable)
mkdir -p latin/x "latin/$(printf 'caf\351')"
cp own/red/1.png latin/x/
for class in latin/caf*; do cp own/blue/1.png "$class/"; done
expect 2 poula data import own latin
contains err 'caf\xe9 in latin cannot name a class'
equal "$(sha256sum <data/own.images)" "$before" "a set that could not be replaced"
for delay in 0.001 0.003 0.01; do
    timeout -s KILL $delay "$POULA" data import own own --size 256 --skip-unreadable >killed 2>&1 || true
    expect 0 poula data verify own # the old one, or the whole new one
done
rm -f data/own.images.*
expect 0 poula data import own own --size 16 --test 0.3 --skip-unreadable
expect 0 poula data verify
contains out "own: 15 training"

# D7: splits by the names that people give them, and what is left out of them is said.
picture() { mkdir -p "$(dirname "$1")" && echo $red | base64 -d >"$1"; }
for class in red blue; do
    for i in 1 2 3; do
        picture faces/Training/$class/$i.png
    done
    picture faces/Testing/$class/1.png
    picture faces/val/$class/1.png
    picture flat/train/$class/1.png
    picture flat/train/$class/2.png
    picture flat/test/$class.png
done
echo bmp >faces/Training/red/1.bmp
expect 0 poula data import faces faces
contains out "faces: 6 training, 2 validation and 2 test images of 2 classes"
contains err "splits of faces: training Training, validation val, test Testing"
contains err "1 .bmp (faces/Training/red/1.bmp)"
expect 0 poula data list
contains out "faces         ready: 6 + 2 + 2 images of 2 classes"
expect 0 poula data import flat flat
contains err "flat/test is not used: it holds 2 files but no folders of classes, so nothing says what they show"
contains err "there are no test images"
sed 's/images: own/images: faces/' own.yaml >faces.yaml
expect 0 poula sweep faces.yaml --db faces.db
equal "$(sql faces.db "SELECT count(*) > 0 FROM best WHERE metric = 'valid_accuracy'")" 1 "validation of an imported set"
sed -i 's/epochs/valid: 1, epochs/' faces.yaml
expect 2 poula sweep faces.yaml --db faces.db
contains err "the set has 2 validation images of its own"

# D10: a set in a form that is not read is named, and the one that is.
mkdir others
for name in cifar-10-python.tar.gz cifar-10-batches-py cifar-10-matlab.tar.gz; do
    mkdir others/$name
    echo "study: c
task: {dataset: cifar10, model: cnn, epochs: 1}
optimizer: {name: sgd, lambda: 1}" >c.yaml
    expect 1 poula sweep c.yaml --data others
    contains err "others/$name is there, but that is the version for Python or Matlab, and only the binary one, cifar-10-binary.tar.gz, can be read"
    rmdir others/$name
done
