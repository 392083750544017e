/** Node globals that a web worker lacks, or has in another form. esbuild.js injects these. */
export { Buffer } from './buffer';
export { webFetch as fetch } from './fetch';
export { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from './timers';

import { setImmediate } from './timers';

export const process = {
  /** Tells windows apart in what they write. */
  pid: Math.floor(Math.random() * 2 ** 31),
  platform: 'web',
  arch: 'web',
  versions: { node: 'none' },
  /** Where `${env:…}` finds nothing. */
  env: {} as Record<string, string | undefined>,
  nextTick: (run: () => void) => setImmediate(run),
};
