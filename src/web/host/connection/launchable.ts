import { phrase } from '../../../base/phrase';
import * as anywhere from '../../../host/connection/launchable';
import type { ServerDefinition } from '../../../host/definition';

/** A browser starts no programs. Said before a person is asked to allow one. */
export function launchable(definition: ServerDefinition): ReturnType<typeof anywhere.launchable> {
  if (definition.entry?.type !== 'stdio') return anywhere.launchable(definition);
  return {
    code: 'NO_PROGRAMS',
    reason: phrase('web windows run no programs'),
    remedy: phrase(
      'Open this in a desktop window or in one with a remote (SSH, a container, a codespace, a tunnel), or give its settings entry the "url" of a server that runs elsewhere.',
    ),
  };
}
