// In place of: host/connection/launchable
import { phrase } from '../base/phrase';
import * as anywhere from '../host/connection/launchable';
import type { ServerDefinition } from '../host/definition/definition';

/** A browser starts no programs. Said before a person is asked to allow one. */
export function launchable(definition: ServerDefinition): ReturnType<typeof anywhere.launchable> {
  if (definition.entry?.type !== 'stdio') return anywhere.launchable(definition);
  return {
    code: 'NO_PROGRAMS',
    reason: phrase('web windows cannot run programs'),
    remedy: phrase(
      'Open this in a desktop window or a remote one (SSH, container, codespace or tunnel), or set "url" in its settings entry to a server that runs elsewhere.',
    ),
  };
}
