#!/usr/bin/env python3
"""The page of a study and the pages of poula serve in a real browser: no error in its console, hostile texts stay texts, tables sort,
lines switch off, values under the pointer are those of the database, a phone's width is enough, dark is dark, a filter can be typed, a
curve grows by itself. $POULA_PICTURES: a folder for pictures of what was seen."""
import os, pathlib, signal, subprocess, sys, tempfile, time

import chrome

poula = os.environ['POULA']
program = chrome.find()
if not program:
    print('not run: Chromium is not installed (tools/deps --install browser)')
    sys.exit(77)

HOSTILE = '<img src=x onerror=alert(1)>'
SPEC = '''
study: hostile
description: "<script>alert('description')</script> & more"
task:
  command: [sh, -c, "for e in 1 2 3 4; do echo epoch=$e acc=0.$e'{seed}' loss=$((9-e)); done; echo '<b>bold log</b>' >&2; [ {depth} != 3 ]"]
settings: {way: ["<img src=x onerror=alert(1)>", "\\"'><svg onload=alert(2)>", plain], depth: [1, 2, 3]}
seeds: [1, 2, 3]
tables:
- {rows: way, columns: depth, value: best acc, title: "</caption><script>alert(3)</script>"}
figures:
- {kind: curves, x: epoch, y: acc, lines: way, panels: depth, title: "</svg><script>alert(4)</script>"}
- {kind: heatmap, x: depth, y: way, z: acc}
- {kind: sensitivity, x: depth, y: acc, lines: way}
'''
SLOW = '''
study: slow
task: {command: [sh, -c, "for e in $(seq 1 400); do echo epoch=$e loss=0.$((999-e)); sleep 0.2; done"]}
seeds: [7]
'''


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(got, want, what):
    check(got == want, f'{what}: got {got!r}, want {want!r}')


def run(*words):
    subprocess.run([poula, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def picture(browser, name):
    folder = os.environ.get('POULA_PICTURES')
    if folder:
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        browser.picture(f'{folder}/{name}.png')


def no_errors(browser, where):
    equal(browser.errors, [], f'errors of {where}')


def check_report(browser, folder):
    run('report', '--format', 'html', '--out', 'page.html')
    browser.size(1200, 900)
    browser.go(f'file://{folder}/page.html')
    equal(browser.value('document.querySelectorAll("img, script:not(:last-of-type), svg[onload], b b").length'), 0, 'elements of others')
    check(HOSTILE in browser.value('document.body.innerText'), 'the hostile name is shown as text')
    check("<script>alert('description')</script> & more" in browser.value('document.body.innerText'), 'so is the description')
    check('<b>bold log</b>' in browser.value('document.querySelector("details pre").textContent'), 'and the log')
    equal(browser.value('document.querySelectorAll("figure svg.lines").length'), 4, 'panels with lines')
    equal(browser.value('Array.from(document.querySelectorAll("table"), (t) => Boolean(t.caption && t.tHead)).includes(false)'), False,
          'tables without a caption or headings')
    equal(browser.value('Array.from(document.querySelectorAll("figure svg[role=img]"), (s) => '
                        's.getAttribute("aria-labelledby").split(" ").every((i) => document.getElementById(i).textContent)).includes(false)'),
          False, 'figures without a title or a description')

    # A click sorts, another one the other way round.
    texts = '(() => Array.from(document.querySelector("table").tBodies[0].rows, (r) => Number(r.cells[1].dataset.value || -1)))()'
    click = 'document.querySelector("table thead tr:last-child th:nth-child(2) button").click()'
    browser.value(click)
    up = browser.value(texts)
    browser.value(click)
    equal(browser.value(texts), sorted(up, reverse=True), 'sorted downwards')
    equal(up, sorted(up), 'sorted upwards')

    # A line is switched off in every panel, and its value is under the pointer no more.
    hidden = 'document.querySelectorAll("figure .line.off").length'
    browser.value('document.querySelector("figure .legend input").click()')
    equal(browser.value(hidden), 3, 'lines that are off')
    browser.value('document.querySelector("figure .legend input").click()')
    equal(browser.value(hidden), 0, 'lines that are off again')
    browser.value('document.querySelector("svg.lines").scrollIntoView({block: "center"})')
    box = browser.value('(() => { const b = document.querySelector("svg.lines").getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()')
    browser.move_until(box[0] + 0.95 * box[2], box[1] + 0.5 * box[3], 'document.querySelector(".tip")')
    mean = (0.41 + 0.42 + 0.43) / 3
    check(f'{mean:.2f} ± 0.01 (3 runs)' in browser.value('document.querySelector(".tip").innerText'), 'the mean of three seeds under the pointer')
    check(browser.value('(() => { const t = document.querySelector(".tip").getBoundingClientRect(), s = '
                        'document.querySelector("svg.lines").getBoundingClientRect(); return t.top >= s.top && t.bottom <= s.bottom })()'),
          'the values stand on the figure')
    browser.value('document.querySelector("svg.lines").focus()')
    browser.press('ArrowLeft', 37)
    browser.wait('document.querySelector(".tip").innerText.startsWith("3")')
    picture(browser, 'report')

    browser.size(390, 844, mobile=True)
    check(browser.value('document.scrollingElement.scrollWidth') <= 390, 'nothing stands beyond the width of a phone')
    picture(browser, 'report-phone')
    browser.size(1200, 900)
    light = browser.value('getComputedStyle(document.body).backgroundColor')
    browser.scheme('dark')
    check(browser.value('getComputedStyle(document.body).backgroundColor') != light, 'dark is another colour')
    picture(browser, 'report-dark')
    browser.scheme('light')
    no_errors(browser, 'the page of a study')


def check_serve(browser, address):
    browser.size(1200, 900)
    browser.go(address)
    browser.wait('document.querySelector("#live table")')
    for study in ('hostile', 'slow'):
        check(study in browser.value('document.getElementById("live").innerText'), f'study {study} is listed')
    browser.wait('/Sweeps at work/.test(document.getElementById("live").innerText)')
    picture(browser, 'serve')

    # A curve that grows without anybody's doing, while a line stays switched off.
    browser.value('Array.from(document.querySelectorAll("table a")).find((a) => /^run\\?/.test(a.getAttribute("href"))).click()')
    points = '(() => { const s = document.querySelector("svg.lines"); return s ? JSON.parse(s.dataset.panel).lines[0].m.length : 0 })()'
    browser.wait(f'{points} > 2')
    before = browser.value(points)
    browser.value('window.marked = true; document.querySelector("details").open = true')
    browser.wait(f'{points} > {before + 4}', 60)
    check(browser.value('window.marked'), 'the page was not loaded anew')
    check(browser.value('document.querySelector("details").open'), 'what was opened stays open')
    picture(browser, 'serve-run')

    # A filter is typed.
    browser.go(address + 'runs')
    equal(browser.value('document.querySelectorAll("#live tbody tr").length'), 28, 'runs')
    browser.value('document.querySelector("input[name=where]").focus()')
    browser.write('depth<3; seed=1')
    browser.press('Enter', 13, '\r')
    browser.wait('document.querySelectorAll("#live tbody tr").length === 6')
    check(HOSTILE in browser.value('document.body.innerText'), 'the hostile name stays a text in the table')
    browser.value('Array.from(document.querySelectorAll("thead a")).find((a) => a.textContent === "acc").click()')
    browser.wait('document.querySelector("[aria-sort=descending]")')
    picture(browser, 'serve-runs')

    browser.value('document.querySelectorAll("input[name=run]").forEach((b, i) => { b.checked = i === 0 || i === 5 })')
    browser.value('document.querySelector("form[action=compare] button").click()')
    browser.wait('document.querySelector(".differs")')
    check(browser.value('document.querySelectorAll("svg.lines").length') >= 2, 'curves side by side')
    picture(browser, 'serve-compare')

    browser.go(address + 'sql')
    browser.value('document.querySelector("textarea").value = "SELECT DISTINCT way FROM runs"; document.querySelector("form button").click()')
    browser.wait('document.querySelectorAll("#answer tbody tr").length === 4')
    check(HOSTILE in browser.value('document.getElementById("answer").innerText'), 'and in an answer')
    browser.go(address + 'study?name=hostile')
    browser.wait('document.querySelectorAll("figure svg.lines").length === 4')
    browser.size(390, 844, mobile=True)
    check(browser.value('document.scrollingElement.scrollWidth') <= 390, 'a study served is no wider than a phone')
    no_errors(browser, 'what is served')


def main():
    folder = tempfile.mkdtemp(prefix='poula-browser-')
    os.chdir(folder)
    os.environ['POULA_DB'] = f'{folder}/results.db'
    pathlib.Path('spec.yaml').write_text(SPEC)
    pathlib.Path('slow.yaml').write_text(SLOW)
    subprocess.run([poula, 'sweep', 'spec.yaml', '--quiet'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    browser = chrome.Chrome(program)
    started = []
    try:
        check_report(browser, folder)
        started.append(subprocess.Popen([poula, 'sweep', 'slow.yaml', '--quiet'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        started.append(subprocess.Popen([poula, 'serve'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))
        address = started[1].stdout.readline().strip()
        check(address.startswith('http://127.0.0.1:'), f'an address: {address!r}')
        time.sleep(1)
        check_serve(browser, address)
        started[1].send_signal(signal.SIGINT)
        equal(started[1].wait(10), 0, 'exit code of serve after Ctrl-C')
    finally:
        browser.close()
        for process in started:
            if process.poll() is None:
                process.terminate()
                process.wait(20)
        subprocess.run(['rm', '-rf', folder])


main()
