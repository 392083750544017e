/**
 * What `dist/host.js` hands out: that which needs the SDK or zod, and the little that comes with it anyway. Whatever else of
 * `index.ts` a program uses, it has a copy of.
 */

export { readBounded } from '../base/readBounded';
export { McpHost } from './host';
export { fillInputs, fingerprint, settingsReading } from './settings';
export { resolveDefinitions } from './settings/definitions';
export { loginShellPath } from './transport/shellPath';
export { outputProblem } from './validation/outputProblem';
export { schemaProblem } from './validation/validate';
