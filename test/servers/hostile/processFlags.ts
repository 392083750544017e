import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Flag, plain, withNumber, withText } from './flag';

/** A fixture that refuses to die is still to end some day, should a test forget it. */
const longestLifeMs = 10 * 60_000;

/** Faults of the process: how it starts, ends, and what it leaves behind. */
export const processFlags: Readonly<Record<string, Flag>> = {
  'exit-at-start': withNumber('code', 'write three lines to stderr and exit', ({ beforeOpen }, code) => {
    beforeOpen.push(() => {
      console.error('Starting the hostile fixture\nError: missing API_KEY\n    set it in the environment');
      process.exit(code);
    });
  }),
  'slow-start': withNumber('ms', 'read and write nothing for so long', ({ beforeOpen }, ms) => {
    beforeOpen.push(() => delay(ms));
  }),
  'dead-start': withText('file', 'write the file where it is missing, and then read and write nothing', (its, file) => {
    its.beforeOpen.push(async () => {
      if (existsSync(file)) return;
      writeFileSync(file, '');
      await delay(longestLifeMs);
    });
  }),
  stderr: withNumber('n', 'write n lines to stderr at the start', ({ beforeOpen }, n) => {
    beforeOpen.push(() => {
      for (let i = 1; i <= n; i++) console.error(`stderr line ${i}`);
    });
  }),
  writes: withText('file', 'write to the file at the start', ({ beforeOpen }, file) => {
    beforeOpen.push(() => {
      try {
        writeFileSync(file, 'changed');
      } catch (error) {
        console.error(error);
      }
    });
  }),
  reaches: withText(
    'hosts',
    'ask the proxy for these hosts each second, one after another',
    ({ beforeOpen }, hosts) => {
      beforeOpen.push(() => {
        const { hostname, port } = new URL(process.env.HTTP_PROXY ?? '');
        const reach = ([host, ...others]: readonly string[]) =>
          host && get({ hostname, port, path: `http://${host}/`, agent: false }, () => reach(others));
        setInterval(() => reach(hosts.split(',')), 1_000);
      });
    },
  ),
  'ignore-sigterm': plain('stay alive on SIGTERM', ({ beforeOpen }) => {
    beforeOpen.push(() => void process.on('SIGTERM', () => console.error('hostile: ignoring SIGTERM')));
  }),
  'ignore-stdin-end': plain('stay alive when stdin ends', behaviour => {
    behaviour.exitOnStdinEnd = false;
    behaviour.beforeOpen.push(() => void setTimeout(() => process.exit(0), longestLifeMs));
  }),
  grandchild: plain('fork a sleeping process that holds stdout; its pid goes to stderr', ({ beforeOpen }) => {
    beforeOpen.push(() => {
      const script = `setTimeout(() => {}, ${longestLifeMs})`;
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'inherit', 'ignore'] });
      child.unref();
      console.error(`grandchild ${child.pid}`);
    });
  }),
};
