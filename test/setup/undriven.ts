// A page that no test drives, in a Chromium of its own. Playwright makes Chromium report each message between the workbench and its
// server, which is a twentieth of what a window costs; this sends a few commands of the DevTools protocol over a pipe.
import * as fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { frugal } from './browser';
import { chromium } from './chromium';
import { spawnGroup, stopGroup } from './processes';

/** Keeps Chromium from throttling a page that is not visible, and from asking or reporting anything. */
const unseen = [
  ...['--headless', '--remote-debugging-pipe', '--window-size=1400,900', '--mute-audio', '--enable-logging=stderr'],
  ...['--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-ipc-flooding-protection'],
  ...['--disable-backgrounding-occluded-windows', '--disable-field-trial-config', '--disable-extensions'],
  ...['--disable-breakpad', '--disable-hang-monitor', '--disable-popup-blocking', '--disable-stack-profiler'],
  ...['--password-store=basic', '--use-mock-keychain', '--metrics-recording-only', '--no-default-browser-check'],
];

/** An answer or event of the DevTools protocol, with the fields used here. */
interface Message {
  id?: number;
  method?: string;
  result?: { targetId?: string; sessionId?: string; data?: string };
  error?: { message: string };
}

export interface UndrivenPage {
  /** Resolves when the page has crashed, or its browser has ended. */
  gone: Promise<void>;
  /** @returns a PNG. */
  screenshot(): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * @param profile a folder for the browser. @param log the file that gets what browser and page print.
 * @throws Error that says what to install.
 */
export async function openUndriven(url: string, profile: string, log: string): Promise<UndrivenPage> {
  const location = await chromium();
  if (!('executablePath' in location)) throw new Error('Set CHROMIUM_PATH to the executable of a Chromium.');
  const printed = fs.openSync(log, 'a');
  const browser = spawnGroup(
    location.executablePath,
    [...frugal, ...unseen, `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', printed, printed, 'pipe', 'pipe'] },
  );
  fs.closeSync(printed);
  const [, , , to, from] = browser.stdio as unknown as [null, null, null, Writable, Readable];
  const waiting = new Map<number, (message: Message) => void>();
  const gone = Promise.withResolvers<void>();
  for (const end of ['error', 'exit']) browser.once(end, gone.resolve);
  to.on('error', () => gone.resolve());

  let rest = '';
  from.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      if (message.method === 'Target.targetCrashed') gone.resolve();
      if (message.id !== undefined) waiting.get(message.id)?.(message);
    }
  });
  const ask = async (method: string, params: object, sessionId?: string): Promise<NonNullable<Message['result']>> => {
    const id = waiting.size;
    const answered = new Promise<Message>(resolve => waiting.set(id, resolve));
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const message = await Promise.race([answered, gone.promise]);
    if (!message?.result) throw new Error(`${method}: ${message?.error?.message ?? 'the browser has ended'}`);
    return message.result;
  };

  const close = () => stopGroup(browser);
  try {
    await ask('Target.setDiscoverTargets', { discover: true });
    const { targetId } = await ask('Target.createTarget', { url });
    const screenshot = async () => {
      const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
      const { data = '' } = await ask('Page.captureScreenshot', {}, sessionId);
      return Buffer.from(data, 'base64');
    };
    return { gone: gone.promise, screenshot, close };
  } catch (error) {
    await close();
    throw error;
  }
}
