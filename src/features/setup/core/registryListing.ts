import { stringsOf } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { RegistryClient, type RegistryError } from './registryClient';
import { choicesOf, NOTHING_CHOSEN } from './registryServer';
import type { DraftEntry } from './serverDraft';

const KEPT_MS = 10 * 60_000;
const TIMEOUT_MS = 60_000;
const MAX_PAGES = 100;

/** A way to run a server that a registry lists, with `${input:…}` for what a person fills in. */
type ListedWay = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
type Listing = readonly ListedWay[] | Phrase;

const kept = new Map<string, { readonly until: number; readonly listing: Promise<Listing> }>();

/** All versions in a registry that were not withdrawn. Cached for some minutes, except after a failure. Never rejects. */
export function listRegistry(address: string, now = Date.now()): Promise<Listing> {
  const known = kept.get(address);
  if (known && now < known.until) return known.listing;
  const listing: Promise<Listing> = ask(address).catch(error => {
    kept.delete(address);
    const { what = 'unknown' } = error as Partial<RegistryError>;
    return phrase('it did not answer as expected ({0})', what);
  });
  kept.set(address, { until: now + KEPT_MS, listing });
  return listing;
}

async function ask(address: string): Promise<Listing> {
  const client = new RegistryClient(address);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const listed: ListedWay[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const found = await client.all(cursor, signal);
    for (const server of found.servers) if (server.status !== 'deleted') listed.push(...launchesOf(server));
    ({ cursor } = found);
    if (cursor === undefined) return listed;
  }
  // What is not read might be what a person wants to run, but a part of a list is no list.
  return phrase('it lists more than {0} versions of servers', MAX_PAGES * 100);
}

/** With none of the settings that may be left out, and with all of them. */
const launchesOf = (server: Parameters<typeof choicesOf>[0]): ListedWay[] =>
  choicesOf(server).flatMap(({ build, optional }) => {
    if (!build) return [];
    const names = new Set(optional.map(({ name }) => name));
    return [build(NOTHING_CHOSEN), ...(names.size > 0 ? [build({ names })] : [])].flatMap(({ entry }) =>
      launchOf(entry),
    );
  });

function launchOf({ command, args, url }: DraftEntry): ListedWay[] {
  if (typeof command === 'string' && Array.isArray(args)) return [{ command, args: stringsOf(args) }];
  return typeof url === 'string' ? [{ url }] : [];
}
