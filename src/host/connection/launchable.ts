import type { HostErrorOptions } from '../../base/errors';
import { phrase } from '../../base/phrase';
import type { ServerDefinition } from '../definition/definition';
import type { ServerEntry } from '../settings';

/** Why a server can't even be tried. */
type Obstacle = Readonly<Pick<HostErrorOptions, 'code' | 'reason' | 'remedy'>>;

/** The entry to launch, or the obstacle that is known before any question is asked. In web windows: `src/web`. */
export function launchable({ entry, problems }: ServerDefinition): { readonly entry: ServerEntry } | Obstacle {
  const problem = problems.find(({ severity }) => severity === 'error');
  if (entry && !problem) return { entry };
  return { code: 'INVALID_SETTINGS', reason: problem?.message ?? phrase('its settings entry is invalid') };
}
