// Finds the browser that shows the VS Code server's workbench, or installs it where that can be done quietly.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { run } from './processes';

/** The first has no interface of its own, which takes an eighth of the processor time less. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** What Playwright needs to start the browser. */
export type BrowserLocation = { executablePath: string } | { channel: 'chrome' };

/**
 * `CHROMIUM_PATH`, else Chrome or Chromium on the PATH, else, as root on Debian or Ubuntu, the distribution's package.
 * @throws Error that says what to install.
 */
export async function chromium(): Promise<BrowserLocation> {
  const found = locate();
  if (found) return found;
  if (await installWithApt(['chromium-headless-shell', ...(hasFonts() ? [] : ['fonts-dejavu-core'])])) {
    const installed = locate();
    if (installed) return installed;
  }
  throw new Error('No browser found. Install Chromium or Google Chrome, or set CHROMIUM_PATH to its executable.');
}

function locate(): BrowserLocation | undefined {
  const executablePath = process.env.CHROMIUM_PATH ?? onPath(...names);
  if (executablePath) return { executablePath };
  // Chrome is never on the PATH there; Playwright knows where it is.
  if (process.platform === 'darwin' || process.platform === 'win32') return { channel: 'chrome' };
  return undefined;
}

/** As root on Debian or Ubuntu. False elsewhere. */
export async function installWithApt(packages: string[]): Promise<boolean> {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return false;
  console.error(`Installing ${packages.join(' and ')} with apt-get …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const started = Date.now();
  await run('apt-get', ['update'], { env, timeoutMs: 180_000 });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, timeoutMs: 600_000 });
  console.error(`Installed ${packages.join(' and ')} in ${((Date.now() - started) / 1000).toFixed(0)} s.`);
  return true;
}

function hasFonts(): boolean {
  const folder = '/usr/share/fonts';
  return (
    fs.existsSync(folder) && fs.readdirSync(folder, { recursive: true }).some(file => /\.(ttf|otf)$/.test(String(file)))
  );
}

/** The first of these programs that is on the PATH. */
export function onPath(...programs: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return programs
    .flatMap(program => folders.flatMap(folder => endings.map(ending => path.join(folder, program + ending))))
    .find(file => fs.existsSync(file));
}
