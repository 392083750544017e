import { isObject } from '../../base/json';
import { exact, rowText, visible, withoutIcons } from '../../base/text';
import { answeredText, dateText } from '../../editor/dialogs';
import { type Mementos, ScopedStorage } from '../../editor/storage';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import type { Profile } from '../profiles';
import { askDecision, askWhole } from '../review';
import type { AuditPort, ListedAnswer } from '../trust';
import {
  type AnsweredClient,
  type ClientDetail,
  type ClientIdentity,
  type ClientStore,
  Clients,
  type StoredClient,
} from './core/clients';

/** The longest detail in the dialog; the page shows it in full. */
const MAX_DETAIL = 200;

/**
 * Asks in a dialog whether an extension or an agent may use the servers. Shows what it is known by, and what is different from
 * what was allowed before. Closing it allows nothing, nor does a key that was meant for something else: the first button has the
 * focus.
 */
async function askAboutClient(
  identity: ClientIdentity,
  before: ClientIdentity | undefined,
): Promise<'allow' | 'deny' | undefined> {
  const question = questionOf(identity);
  const [allow, deny, details] = [t('Allow'), t('Deny'), t('Details…')];
  const shown = textOf(identity, before, text => visible(text, MAX_DETAIL));
  let answer = await askDecision(question, shown, { allow: [allow], others: [deny, details] });
  if (answer === details) {
    const content = { text: textOf(identity, before, exact) };
    answer = await askWhole({ title: visible(identity.name, 100), question, content, allow: [allow], others: [deny] });
  }
  return answer === allow ? 'allow' : answer === deny ? 'deny' : undefined;
}

function questionOf({ kind, name }: ClientIdentity): string {
  return kind === 'extension'
    ? t('Allow the extension "{0}" to use your MCP servers?', visible(name, 100))
    : t('Allow the agent "{0}" to use your MCP servers?', visible(name, 100));
}

function textOf(
  { id, details, isUncertain }: ClientIdentity,
  before: ClientIdentity | undefined,
  shown: (text: string) => string,
): string {
  const lines = [t('ID: {0}', shown(id)), ...details.map(({ what, text }) => labelled(what, shown(text)))];
  const changes = before ? changesOf(before.details, details, shown) : [];
  const news =
    before &&
    !(isUncertain && changes.length === 0) &&
    (changes.length > 0
      ? [t('You allowed it before. This is different now:'), ...changes]
      : [t('You allowed it before, but it is not the same now.')]);
  return [
    t(
      'It will see the MCP servers of this window and what they offer, and can read resources, get prompts and call tools. You are still asked about each call that you have not allowed.',
    ),
    lines.join('\n'),
    ...(news ? [news.join('\n')] : []),
    ...(isUncertain
      ? [t('The program could not be identified, so you are asked for each session. "Deny" applies to all of them.')]
      : []),
    t('To undo this, use "Manage Trust".'),
  ].join('\n\n');
}

function changesOf(
  before: readonly ClientDetail[],
  now: readonly ClientDetail[],
  shown: (text: string) => string,
): string[] {
  const was = new Map(before.map(({ what, text }) => [what, text]));
  const is = new Map(now.map(({ what, text }) => [what, text]));
  const all = [...new Set([...was.keys(), ...is.keys()])];
  return all
    .filter(what => was.get(what) !== is.get(what))
    .map(what => labelled(what, `${shown(was.get(what) ?? '–')} → ${shown(is.get(what) ?? '–')}`));
}

function labelled(what: ClientDetail['what'], text: string): string {
  return {
    checksum: t('SHA-256: {0}', text),
    commandLine: t('Command line: {0}', text),
    folder: t('Folder: {0}', text),
    parents: t('Started by: {0}', text),
    program: t('Program: {0}', text),
    publisher: t('Publisher: {0}', text),
    variables: t('Variables: {0}', text),
    saysName: t('Name it gives itself: {0}', text),
    version: t('Version: {0}', text),
  }[what];
}

/** The answers that are remembered, for *Manage Trust*. One of the person's own profiles can be chosen for an agent. */
export function clientAnswers(clients: Clients, profiles: readonly Pick<Profile, 'name' | 'source'>[]): ListedAnswer[] {
  const own = profiles.filter(({ source }) => source.scope === 'user').map(({ name }) => name);
  return clients.all.map(client => {
    const identity = identityOf(client);
    const canChoose = identity.kind === 'agent' && (own.length > 0 || client.profile !== undefined);
    return {
      row: rowOf(client),
      revoke: () => clients.revoke(identity),
      ...(canChoose && { chooseProfile: () => chooseProfile(clients, identity, own) }),
    };
  });
}

async function chooseProfile(clients: Clients, identity: ClientIdentity, own: readonly string[]): Promise<void> {
  const rows: (PlainRow & { readonly profile: string | undefined })[] = [
    { label: t('The profile that is in use'), profile: undefined },
    ...own.map(name => ({ label: withoutIcons(name), profile: name })),
  ];
  const placeHolder = t('Select the profile for this agent');
  const chosen = await window.showQuickPick(rows, { title: say`${visible(identity.name, 100)}`, placeHolder });
  if (chosen) await clients.setProfile(identity, chosen.profile);
}

/** Who it is, what was said, when, and when it last used the servers. */
function rowOf({ allowed, denied, usedAt, profile }: StoredClient): PlainRow {
  const identity = identityOf({ allowed, denied });
  const details = identity.details.map(({ what, text }) => labelled(what, text)).join(' · ');
  return {
    label: rowText(identity.name, 100),
    description: joined(
      [
        identity.kind === 'extension' ? t('extension') : t('agent'),
        rowText(identity.id, 100),
        answeredText(allowed, denied),
        profile !== undefined && t('profile "{0}"', visible(profile, 60)),
      ],
      ' · ',
    ),
    detail: joined([usedAt !== undefined && t('last used {0}', dateText(usedAt)), rowText(details, 300)], ' · '),
  };
}

const identityOf = ({ allowed, denied }: StoredClient): ClientIdentity =>
  ((allowed ?? denied) as AnsweredClient).identity;

/** The person's answers about clients, stored, with a line in the audit log for each. */
export function rememberedClients(context: Mementos, audit: AuditPort): Clients {
  const storage = new ScopedStorage(context, 'mcpHost.clients');
  const store: ClientStore = {
    get: () => storedClients(storage.get('user')),
    set: clients => storage.set('user', clients),
  };
  const clients = new Clients(store, askAboutClient);
  clients.onDidDecide(({ client: { kind, id, name, fingerprint }, what }) =>
    audit.record({ type: 'client', kind, client: id, name, what, fingerprint }),
  );
  return clients;
}

/** What a different version stored is left out: without an answer, the person is asked. */
function storedClients(stored: unknown): Readonly<Record<string, StoredClient>> {
  if (!isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((entry): entry is [string, StoredClient] => isStored(entry[1])),
  );
}

function isStored(value: unknown): value is StoredClient {
  const { allowed, denied, profile } = (value ?? {}) as Partial<StoredClient>;
  if (profile !== undefined && typeof profile !== 'string') return false;
  return (allowed ?? denied) !== undefined && [allowed, denied].every(said => said === undefined || isAnswered(said));
}

function isAnswered(value: unknown): value is AnsweredClient {
  const { identity, at } = (value ?? {}) as Partial<AnsweredClient>;
  const { kind, id, name, details, fingerprint } = identity ?? {};
  const isWhole = [kind, id, name, fingerprint].every(part => typeof part === 'string') && Array.isArray(details);
  return isWhole && typeof at === 'number' && details.every(isDetail);
}

const isDetail = (value: unknown): value is ClientDetail =>
  isObject(value) && typeof value.what === 'string' && typeof value.text === 'string';
