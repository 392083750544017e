// Pages of apps, by the name of the tool that shows each.

/** Speaks with the host without any library. `said` is what it wrote down of what it received. */
const START = `
  const log = document.getElementById('log');
  const note = (what, value) => {
    const row = document.createElement('li');
    row.textContent = what + ' ' + JSON.stringify(value);
    log.append(row);
  };
  let last = 0;
  const open = new Map();
  const send = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method, params = {}) => new Promise(resolve => {
    const id = ++last;
    open.set(id, resolve);
    send({ id, method, params });
  });
  const dress = context => {
    for (const [name, value] of Object.entries(context?.styles?.variables ?? {}))
      document.documentElement.style.setProperty(name, value);
  };
  addEventListener('message', ({ data }) => {
    if (data.method === undefined) return open.get(data.id)?.(data.error ? { error: data.error } : data.result);
    note(data.method, data.params ?? {});
    if (data.id !== undefined) send({ id: data.id, result: {} });
    dress(data.params);
  });
  const begin = async () => {
    const appCapabilities = { availableDisplayModes: ['inline', 'fullscreen'] };
    const answer = await request('ui/initialize', {
      appInfo: { name: 'probe', version: '1' }, appCapabilities, protocolVersion: '2026-01-26',
    });
    note('initialized', answer);
    dress(answer.hostContext);
    send({ method: 'ui/notifications/initialized' });
  };
`;

const page = (script: string, head = ''): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>probe</title>${head}
<style>
  body { font: 13px var(--font-sans, sans-serif); color: var(--color-text-primary, black); background: var(--color-background-primary, white); }
  textarea { width: 100%; box-sizing: border-box; }
</style></head>
<body><h1>Probe</h1><form><textarea id="request" aria-label="Request"></textarea><button>Send</button></form><ol id="log"></ol>
<script>${START}
${script}</script></body></html>`;

/** Sends what is typed: a JSON object with \`method\` and \`params\`, and how many \`times\`. */
const PROBE = `
  document.querySelector('form').addEventListener('submit', async event => {
    event.preventDefault();
    const { method, params, notify, times = 1 } = JSON.parse(document.getElementById('request').value);
    if (notify) return send({ method, params });
    for (let n = 0; n < times; n++) void request(method, params).then(answer => note('answer ' + method, answer));
  });
  void begin();
`;

/** Pages that want more than they may have; each ends with a row \`tried …\`. */
export const pages: Readonly<Record<string, string>> = {
  board: page(PROBE),
  /** What the sandbox has to withhold. */
  escape: page(`${PROBE}
    const tried = {};
    const attempt = async (name, what) => {
      try { tried[name] = String(await what()); } catch (error) { tried[name] = 'refused ' + error.name; }
    };
    (async () => {
      await attempt('origin', () => self.origin);
      await attempt('api', () => typeof globalThis.acquireVsCodeApi);
      await attempt('parentApi', () => parent.acquireVsCodeApi);
      await attempt('parentDocument', () => parent.document);
      await attempt('topDocument', () => top.document);
      await attempt('storage', () => localStorage.length);
      await attempt('cookie', () => document.cookie);
      await attempt('fetch', () => fetch('https://example.com/'));
      await attempt('socket', () => new Promise((done, fail) => {
        const socket = new WebSocket('wss://example.com/');
        socket.onerror = () => fail(new DOMException('', 'SecurityError'));
        socket.onopen = () => done('open');
      }));
      await attempt('image', () => new Promise((done, fail) => {
        const image = new Image();
        image.onload = () => done('loaded');
        image.onerror = () => fail(new DOMException('', 'SecurityError'));
        image.src = 'https://example.com/pixel.png';
      }));
      await attempt('script', () => new Promise((done, fail) => {
        const script = document.createElement('script');
        script.onload = () => done('loaded');
        script.onerror = () => fail(new DOMException('', 'SecurityError'));
        script.src = 'https://example.com/a.js';
        document.body.append(script);
      }));
      await attempt('eval', () => eval('1 + 1'));
      await attempt('popup', () => window.open('https://example.com/') ?? 'null');
      await attempt('top', () => { top.location.href = 'https://example.com/'; return 'sent'; });
      await attempt('worker', () => new Promise((done, fail) => {
        const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])));
        worker.onmessage = () => done('ran');
        worker.onerror = () => fail(new DOMException('', 'SecurityError'));
      }));
      parent.postMessage({ type: 'ready' }, '*');
      top.postMessage({ command: 'onmessage', data: { type: 'ready' } }, '*');
      note('tried', tried);
    })();
  `),
  /** A declaration of its own that allows more changes nothing. */
  wide: page(
    `${PROBE}
    addEventListener('securitypolicyviolation', ({ effectiveDirective }) => note('blocked', effectiveDirective));
    fetch('https://example.com/').then(() => note('tried', 'fetched'), error => note('tried', 'refused ' + error.name));`,
    `<meta http-equiv="Content-Security-Policy" content="default-src * 'unsafe-inline'; connect-src *">`,
  ),
  flood: page(`${PROBE}
    note('tried', 'flood');
    let sent = 0;
    const timer = setInterval(() => {
      for (let n = 0; n < 1000; n++) send({ method: 'notifications/message', params: { level: 'info', data: 'flood ' + sent++ } });
      if (sent >= 20000) clearInterval(timer);
    }, 20);
  `),
  slow: page(PROBE),
  /** Tells an address, which it reads from its input, what it is told at its end. */
  farewell: page(`${PROBE}
    let address;
    addEventListener('message', ({ data, source }) => {
      address ??= data.params?.arguments?.title;
      if (data.method !== 'ui/resource-teardown' || source !== parent) return;
      fetch(address, { method: 'POST', body: data.method, mode: 'no-cors', keepalive: true });
    });
  `),
  /** Has no style of its own. */
  plainest: `<!doctype html><title>plain</title><p id="log">Black on white, with the margin of a browser</p>`,
  /** Wants to be elsewhere before anybody has touched it, and in a mode that there is not. */
  restless: page(`${PROBE}
    addEventListener('message', async ({ data }) => {
      if (data.method !== 'ui/notifications/tool-result') return;
      const tried = [];
      for (const mode of ['inline', 'pip', 'poster']) tried.push(await request('ui/request-display-mode', { mode }));
      const modes = tried.map(({ mode, error }) => mode ?? error.code);
      note('tried', modes);
      send({ method: 'notifications/message', params: { level: 'info', data: 'tried ' + modes.join() } });
    });
  `),
  /** Takes the focus whenever it has it not. */
  greedy: page(`${PROBE}
    setInterval(() => document.getElementById('request').focus(), 50);
  `),
  silent: page(`note('tried', 'nothing');`),
  navigate: page(`${PROBE}
    note('tried', 'navigate');
    setTimeout(() => { location.href = 'data:text/html,<p>elsewhere</p>'; }, 50);
  `),
  loop: page(`${PROBE}
    note('tried', 'loop');
    setTimeout(() => { for (;;); }, 300);
  `),
  /** Speaks past the frame around it, after what is no message. */
  past: page(`${PROBE}
    for (const none of [new Map(), /x/u, new Uint8Array(9), Object('text')]) parent.postMessage(none, '*');
    note('tried', 'past');
    setInterval(() => { for (let n = 0; n < 500; n++) parent.parent.postMessage({ type: 'message', text: '{}' }, '*'); }, 50);
  `),
  large: page(`${PROBE}
    note('tried', 'large');
    send({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(30 * 1024 * 1024) } });
  `),
};
