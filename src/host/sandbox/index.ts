/** What confining programs takes. A bundle of its own (esbuild.js), loaded with the first that may be confined. */

export { SandboxAttempts } from './attempts';
export { confine, whyUnable } from './confine';
export { sandboxFor } from './sandbox';
