import type { HostErrorCode } from '../../base/errors';
import type { ServerDefinition } from '../definition';
import type { ServerEntry } from '../settings';

/** Why a server can't even be tried. */
export interface Obstacle {
  readonly code: HostErrorCode;
  readonly reason: string;
  readonly remedy?: string;
}

/** What is to be launched, or what stands in its way before anybody is asked anything. In web windows: `src/web`. */
export function launchable({ entry, problems }: ServerDefinition): { readonly entry: ServerEntry } | Obstacle {
  if (entry) return { entry };
  const problem = problems.find(({ severity }) => severity === 'error');
  return { code: 'INVALID_SETTINGS', reason: problem?.message ?? 'its settings entry is invalid' };
}
