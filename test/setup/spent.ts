import * as fs from 'node:fs';

/**
 * What this process has spent so far on windows and on waiting, in milliseconds: the difference over a file of tests is in its
 * report. Waiting is that of `waitFor` and of Playwright's locators, outside the start of windows.
 */
export const spent = { windows: 0, windowMs: 0, waitingMs: 0 };

/** Counts as waiting what `work` takes. */
export async function waiting<T>(work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work();
  } finally {
    spent.waitingMs += performance.now() - started;
  }
}

/** Counts the start of a window, with all that it waits for. */
export async function openingWindow<T>(open: () => Promise<T>): Promise<T> {
  const { waitingMs } = spent;
  const started = performance.now();
  try {
    return await open();
  } finally {
    spent.windows++;
    spent.windowMs += performance.now() - started;
    spent.waitingMs = waitingMs;
  }
}

const TICKS_PER_SECOND = 100;

/**
 * Milliseconds of a processor that this process and everything that it has started, as far as it is still below it, has taken. On
 * other systems than Linux: this process alone.
 */
export function processorMs(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name in parentheses may itself hold anything. Times: its own, and those of children that have ended.
      const [, text = ''] = /^.*\) (.*)$/s.exec(fs.readFileSync(`/proc/${name}/stat`, 'latin1')) ?? [];
      const fields = text.split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && isBelow(parent);
  };
  const ticks = [...processes].reduce((sum, [pid, its]) => sum + (isBelow(pid) ? its.ticks : 0), 0);
  return (ticks / TICKS_PER_SECOND) * 1_000;
}
