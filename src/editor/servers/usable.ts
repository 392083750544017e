import { setTimeout as delay } from 'node:timers/promises';
import { phrase } from '../../base/phrase';
import type { ServerConnection, ServerSet } from '../../host';

/** A server that is started to learn what it offers is waited for so long. */
const MAX_WAIT_MS = 10_000;
const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const;

/** The servers that may be used: those that are up or coming up, and those that use starts. */
export function usableServers({ all }: ServerSet): readonly ServerConnection[] {
  return all.filter(({ isUsable }) => isUsable);
}

/**
 * Starts the servers that start on demand and of which it is not known from an earlier time what they offer, and waits a
 * while for them: before something is chosen from what servers offer.
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
