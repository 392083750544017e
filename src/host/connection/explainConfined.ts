import { homedir } from 'node:os';
import { isWithin, realPlace } from '../../base/filePlace';
import { type Phrase, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import type { SandboxAttempts } from '../sandbox/attempts';

interface Explanation {
  readonly reason: Phrase | string;
  readonly remedy?: Phrase;
}

/**
 * Explains the failure of a confined program: the file that it wanted last and its sandbox hides, or else that it is confined,
 * since it may lack a file, a host or a variable.
 * @param explanation of the same failure without a sandbox.
 * @param stderrTail its last words: what it missed earlier, it could do without.
 */
export function explainConfined<E extends Explanation>(
  explanation: E,
  { blocked }: Pick<SandboxAttempts, 'blocked'>,
  stderrTail: readonly string[] = [],
): E {
  const missed = hiddenFile({ blocked }, stderrTail);
  if (!missed)
    return {
      ...explanation,
      remedy: phrase('It is confined. Its log says what was blocked. You can also run it unconfined once.'),
    };
  return {
    ...explanation,
    reason: hidden(realPlace(missed.what) ?? missed.what),
    remedy: phrase('Allow it to read that place, or run it unconfined once.'),
  };
}

/** The blocked read of a file that its last words name. */
export const hiddenFile = ({ blocked }: Pick<SandboxAttempts, 'blocked'>, stderrTail: readonly string[]) =>
  blocked.findLast(({ kind, what }) => kind === 'read' && stderrTail.some(line => line.includes(what)));

function hidden(path: string): Phrase {
  const shown = visible(path, 300);
  if (isWithin('/tmp', path)) return phrase('it is confined, with a /tmp of its own, and wanted {0}', shown);
  if (isWithin(homedir(), path))
    return phrase('it is confined, your home folder is hidden from it, and it wanted {0}', shown);
  return phrase('it is confined and wanted {0}, which is hidden from it', shown);
}
