"""A headless Chromium, spoken to over its debugging pipe; nothing but Python's own library."""
import base64, json, os, shutil, subprocess, tempfile, time


def find():
    for name in ('chromium', 'chromium-browser', 'google-chrome'):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Chrome:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix='poula-chrome-')
        read_end, self.commands = os.pipe()
        self.answers, write_end = os.pipe()

        def as_three_and_four():
            os.dup2(read_end, 103), os.dup2(write_end, 104)
            os.dup2(103, 3), os.dup2(104, 4)
        self.process = subprocess.Popen(
            [program, '--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe', '--no-first-run',
             '--disable-dev-shm-usage', f'--user-data-dir={self.folder}', 'about:blank'],
            preexec_fn=as_three_and_four, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_end), os.close(write_end)
        self.number, self.rest, self.session, self.errors = 0, b'', None, []
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        while b'\0' not in self.rest:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise SystemExit('the browser has ended')
            self.rest += more
        line, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(line)
        what, p = message.get('method'), message.get('params', {})
        if what == 'Runtime.exceptionThrown':
            self.errors.append(json.dumps(p['exceptionDetails'])[:500])
        elif what == 'Log.entryAdded' and p['entry']['level'] == 'error' and 'favicon' not in p['entry'].get('url', ''):
            self.errors.append(p['entry']['text'])
        elif what == 'Runtime.consoleAPICalled' and p['type'] in ('error', 'assert'):
            self.errors.append(json.dumps(p['args'])[:500])
        elif what == 'Page.javascriptDialogOpening':
            self.errors.append('a dialog opened: ' + p['message'])
        return message

    def call(self, method, **params):
        self.number += 1
        call = {'id': self.number, 'method': method, 'params': params}
        if self.session:
            call['sessionId'] = self.session
        os.write(self.commands, json.dumps(call).encode() + b'\0')
        while True:
            message = self.message()
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message.get('result', {})

    def go(self, address):
        self.call('Page.navigate', url=address)
        self.wait('document.readyState === "complete" && location.href !== "about:blank"')

    def value(self, script):
        answer = self.call('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(f'{script}: {answer["exceptionDetails"]}')
        return answer['result'].get('value')

    def wait(self, script, seconds=30):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if self.value(f'Boolean({script})'):
                    return
            except RuntimeError: # the page is being replaced
                pass
            time.sleep(0.1)
        raise AssertionError(f'waited in vain for {script}')

    def size(self, width, height, mobile=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def scheme(self, name):
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': name}])

    def move(self, x, y):
        self.call('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def move_until(self, x, y, script):
        """Moves the pointer about a place until something is so: what has just been scrolled may not have been drawn."""
        for i in range(100):
            self.move(x + i % 2, y)
            if self.value(f'Boolean({script})'):
                return
            time.sleep(0.1)
        raise AssertionError(f'moved in vain for {script}')

    def press(self, key, code, text=''):
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text if kind == 'keyDown' else '')

    def write(self, text):
        self.call('Input.insertText', text=text)

    def picture(self, path):
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))
