import { setTimeout as delay } from 'node:timers/promises';
import { phrase } from '../base/phrase';
import type { ServerConnection, ServerSet } from '../host';

/** How long to wait for a server that is started to learn what it offers. */
const MAX_WAIT_MS = 10_000;
const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/** The servers that can be used: those that are up or coming up, and those that start when used. */
export function usableServers({ all }: ServerSet): readonly ServerConnection[] {
  return all.filter(({ isUsable }) => isUsable);
}

/**
 * Starts on-demand servers whose lists are not remembered, and waits a while for them. To be called before the person chooses
 * from servers' lists.
 */
export async function learnOffers({ all }: ServerSet): Promise<void> {
  const unknown = all.filter(
    ({ state, isUsable, catalog }) =>
      state.kind === 'stopped' && isUsable && KINDS.every(kind => catalog.known(kind).length === 0),
  );
  if (unknown.length === 0) return;
  const learned = unknown.map(async server => {
    await server.start(phrase('what it offers is not known yet'));
    await Promise.all(KINDS.map(kind => server.catalog.loaded(kind)));
  });
  await Promise.race([Promise.all(learned), delay(MAX_WAIT_MS, undefined, { ref: false })]);
}
