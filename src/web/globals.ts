/** What a web worker lacks of Node's globals, or has in another form. esbuild.js puts these in their place. */
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
