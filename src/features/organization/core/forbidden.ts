import type { Forbidden } from '../../trust';

/** What a managed file can forbid, each by its name and `false`. */
export const FORBIDDABLE = [
  'alwaysAllow',
  'sampling',
  'codeMode',
  'shareWithAgents',
] as const satisfies readonly Forbidden[];
