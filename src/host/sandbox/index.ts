/** What confining programs takes. A bundle of its own (esbuild.js), loaded with the first that may be confined. */

export { SandboxAttempts } from './attempts';
export { confine, sandboxFor, whyUnable } from './confine';
