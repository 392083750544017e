import { randomBytes } from 'node:crypto';
import { Emitter } from '../../../base/events';
import { isWithin } from '../../../base/filePlace';
import { type Phrase, phrase } from '../../../base/phrase';
import {
  type Admission,
  isTestId,
  KEPT_SCOPES,
  type KeptScope,
  type LaunchPurpose,
  type ScopedStore,
  type ServerDefinition,
  type ServerId,
} from '../../../host/definition';
import { isClearText, type LaunchField, type launchFields, launchFingerprint } from '../../../host/launch';
import type { ProgramEntry, ServerEntry } from '../../../host/settings';

/** What was allowed, without secret values. Times are in milliseconds since 1970. */
export interface AllowedLaunch {
  fingerprint: string;
  /** The fingerprint without the variables of its `envFile`, if it has one. */
  ofSettings?: string;
  at: number;
  fields: LaunchField[];
  /** The roots shared with it: see `wantedRoots`. */
  roots?: readonly string[];
  /** The versions of unpinned packages that were on this machine. */
  packages?: FetchedVersions;
}

/** Versions of packages by their names. */
export type FetchedVersions = Readonly<Record<string, string>>;

/** The person's answers for one server: the launch allowed last, and one that was denied after it. */
interface StoredConsent {
  allowed?: AllowedLaunch;
  denied?: { fingerprint: string; at: number };
}

export interface StoredConsents {
  /** Random salt, so that short secrets can't be guessed from their hashes. */
  salt: string;
  servers: Record<ServerId, StoredConsent>;
}

/** A launch for a person to review. An answer applies to exactly this launch, even if settings have changed by then. */
export interface LaunchReview {
  readonly definition: ServerDefinition;
  /** `definition.reviewed`, with the variables of its `envFile` once that was read. */
  readonly reviewed: ServerEntry;
  readonly scope: KeptScope;
  readonly fingerprint: string;
  /** See `AllowedLaunch`. */
  readonly ofSettings: string | undefined;
  readonly fields: LaunchField[];
  /** The roots that it can ask for: see `wantedRoots`. */
  readonly roots: readonly string[];
  /** Those that were not part of the earlier consent. */
  readonly newRoots: readonly string[];
  /** The versions of unpinned packages that it would run, if known. */
  readonly packages: FetchedVersions;
  /** Names of those whose version differs from the earlier consent. */
  readonly newPackages: readonly string[];
  /** Whether traffic to its address is unencrypted. */
  readonly clearText: boolean;
  /** The launch that was allowed before, if it differs or was shown only in part. */
  readonly before: AllowedLaunch | undefined;
  readonly answer: 'allowed' | 'denied' | undefined;
}

/** Something that a person decided about a launch. */
interface ConsentDecision {
  server: ServerId;
  scope: KeptScope;
  what: 'allowed' | 'denied' | 'revoked';
  fingerprint?: string;
}

export interface RememberedConsent extends StoredConsent {
  server: ServerId;
  scope: KeptScope;
}

/**
 * Decides whether a server may be launched. A launch that the workspace influences needs consent to exactly that launch, once
 * for each workspace and again after every change. An unencrypted address needs consent once for the person. Only `allow`
 * allows anything.
 */
export class Consents {
  readonly #decided = new Emitter<ConsentDecision>();
  readonly onDidDecide = this.#decided.event;
  readonly #fetched = new Map<ServerId, FetchedVersions>();
  /** The variables of each `envFile`, as it was read last. */
  readonly #variables = new Map<ServerId, { readonly envFile: string; readonly env: ProgramEntry['env'] }>();
  /** As inputs led them into the workspace at their last start. */
  readonly #started = new Map<ServerId, ServerDefinition>();
  readonly #newSalts = { workspace: newSalt(), user: newSalt() };

  /** @param store never settings: no repository may allow itself. @param fieldsOf loaded with the first review. */
  constructor(
    private readonly store: ScopedStore,
    private readonly fieldsOf: typeof launchFields,
  ) {}

  /** Records which versions of a server's unpinned packages are on this machine. */
  fetched(id: ServerId, packages: FetchedVersions): void {
    this.#fetched.set(id, packages);
  }

  /** A step before every launch, and again if inputs led it into the workspace. @param entry with variables of its `envFile` */
  admit(definition: ServerDefinition, entry: ServerEntry, _purpose?: LaunchPurpose, isWhole = false): Admission {
    this.#started.delete(definition.id);
    if (isWhole) this.#started.set(definition.id, definition);
    this.#learnVariables(definition, entry);
    const review = this.review(definition);
    // If it fails, the next start repeats it.
    if (review?.answer === 'allowed') void this.#agreeToFirst(review).catch(() => {});
    if (!review || review.answer === 'allowed') return { entry };
    const needs = 'needsTrust';
    if (review.answer === 'denied')
      return { needs, reason: phrase('you denied it'), remedy: phrase('Review it again to allow it.') };
    return { needs, reason: reasonOf(review), remedy: phrase('Review what would be started, then allow or deny it.') };
  }

  #asStarted(definition: ServerDefinition): ServerDefinition {
    const started = this.#started.get(definition.id);
    return started?.fingerprint === definition.fingerprint ? started : definition;
  }

  #learnVariables({ id, entry: own }: ServerDefinition, entry: ServerEntry): void {
    if (own?.type !== 'stdio' || entry.type !== 'stdio' || own.envFile === undefined) return;
    const env = Object.entries(entry.env).filter(([name]) => !Object.hasOwn(own.env, name));
    this.#variables.set(id, { envFile: own.envFile, env: Object.fromEntries(env) });
  }

  /** The entry under review with the variables of its `envFile`. Undefined: it has none, or it was not read yet. */
  #withVariables({ id, entry, reviewed }: ServerDefinition): ServerEntry | undefined {
    const known = this.#variables.get(id);
    if (entry?.type !== 'stdio' || reviewed?.type !== 'stdio' || !known || known.envFile !== entry.envFile)
      return undefined;
    return { ...reviewed, env: { ...known.env, ...reviewed.env } };
  }

  /** What a person has to review before this launch. Undefined when it needs no consent. */
  review(configured: ServerDefinition): LaunchReview | undefined {
    const definition = this.#asStarted(configured);
    const { entry } = definition;
    const scope = scopeOf(definition);
    if (!entry || !definition.reviewed || !scope) return undefined;
    const whole = this.#withVariables(definition);
    const reviewed = whole ?? definition.reviewed;
    const clearText = isReadable(entry);
    const salt = this.#salt(scope);
    const inputs = definition.inputs?.definitions ?? [];
    const hasFile = entry.type === 'stdio' && entry.envFile !== undefined;
    const ofSettings = hasFile ? launchFingerprint(definition.reviewed, inputs, salt) : undefined;
    const fingerprint = launchFingerprint(reviewed, inputs, salt);
    const { allowed, denied } = this.#stored(scope).get(definition.id) ?? {};
    const fields = this.fieldsOf(reviewed, inputs, salt);
    const roots = wantedRoots(entry);
    const newRoots = allowed ? rootsBeyond(allowed.roots, roots) : [];
    const packages = this.#fetched.get(definition.id) ?? {};
    const newPackages = Object.keys(packages).filter(
      name => (allowed?.packages?.[name] ?? packages[name]) !== packages[name],
    );
    // Values that an earlier version masked were allowed unseen.
    // Until the file is read, it counts as unchanged: the launch reads it.
    const was = hasFile && !whole ? (allowed?.ofSettings ?? allowed?.fingerprint) : allowed?.fingerprint;
    const isAllowed =
      allowed !== undefined &&
      was === fingerprint &&
      newRoots.length === 0 &&
      newPackages.length === 0 &&
      sameButReadOtherwise(allowed.fields, fields).length === 0;
    const answer = isAllowed ? 'allowed' : denied?.fingerprint === fingerprint ? 'denied' : undefined;
    const before = isAllowed ? undefined : allowed;
    const shown = {
      definition,
      reviewed,
      scope,
      fingerprint,
      ofSettings,
      fields,
      roots,
      newRoots,
      packages,
      newPackages,
    };
    return { ...shown, clearText, before, answer };
  }

  /** Whether settings still match the reviewed launch. */
  isCurrent({ fingerprint, roots }: LaunchReview, now: ServerDefinition | undefined): boolean {
    const review = now && this.review(now);
    return review?.fingerprint === fingerprint && rootsBeyond(roots, review.roots).length === 0;
  }

  /** Whether this root, one of `wantedRoots`, may be shared with a server: it was part of what the person allowed. */
  allowsRoot(definition: ServerDefinition, root: string): boolean {
    const scope = scopeOf(this.#asStarted(definition));
    if (!scope) return true;
    return rootsBeyond(this.#stored(scope).get(definition.id)?.allowed?.roots, [root]).length === 0;
  }

  /** Records roots that the person has chosen themselves, so that they are not asked about. */
  async agreeToRoots(definition: ServerDefinition, roots: readonly string[]): Promise<void> {
    const scope = scopeOf(this.#asStarted(definition));
    const consent = scope && this.#stored(scope).get(definition.id);
    if (!scope || !consent?.allowed) return;
    await this.#set(scope, definition.id, { ...consent, allowed: { ...consent.allowed, roots } });
  }

  async allow(review: LaunchReview): Promise<void> {
    const { definition, scope, fingerprint, ofSettings, fields, roots, packages } = review;
    const found = { ...(Object.keys(packages).length > 0 && { packages }), ...(ofSettings && { ofSettings }) };
    await this.#set(scope, definition.id, { allowed: { fingerprint, at: Date.now(), fields, roots, ...found } });
    this.#decided.fire({ server: definition.id, scope, what: 'allowed', fingerprint });
  }

  /** Adds versions of packages that were first downloaded after the consent: they could not be shown before. */
  async #agreeToFirst({ definition, scope, packages }: LaunchReview): Promise<void> {
    const consent = this.#stored(scope).get(definition.id);
    const known = consent?.allowed?.packages ?? {};
    if (!consent?.allowed || Object.keys(packages).every(name => Object.hasOwn(known, name))) return;
    await this.#set(scope, definition.id, { ...consent, allowed: { ...consent.allowed, packages } });
  }

  /** Stores a denial. An earlier consent stays valid unless it is for this launch. */
  async deny({ definition, scope, fingerprint, before }: LaunchReview): Promise<void> {
    const denied = { fingerprint, at: Date.now() };
    await this.#set(scope, definition.id, before ? { allowed: before, denied } : { denied });
    this.#decided.fire({ server: definition.id, scope, what: 'denied', fingerprint });
  }

  /** Forgets the answers for a server, so that it is asked about again. */
  async revoke({ server, scope }: Pick<RememberedConsent, 'server' | 'scope'>): Promise<void> {
    await this.#set(scope, server, undefined);
    this.#decided.fire({ server, scope, what: 'revoked' });
  }

  /** Renames a server with exactly the same launch. Answers for both ids stay, so that it can be undone. */
  async copy(from: ServerId, to: ServerId): Promise<void> {
    for (const scope of KEPT_SCOPES) {
      const servers = this.#stored(scope);
      const consent = servers.get(from);
      if (consent && !servers.has(to)) await this.#set(scope, to, consent);
    }
  }

  get all(): RememberedConsent[] {
    return KEPT_SCOPES.flatMap(scope =>
      [...this.#stored(scope)].map(([server, consent]) => ({ server, scope, ...consent })),
    );
  }

  #stored(scope: KeptScope): Map<ServerId, StoredConsent> {
    return new Map(Object.entries(parseConsents(this.store.get(scope))?.servers ?? {}));
  }

  #salt(scope: KeptScope): string {
    return parseConsents(this.store.get(scope))?.salt ?? this.#newSalts[scope];
  }

  async #set(scope: KeptScope, server: ServerId, consent: StoredConsent | undefined): Promise<void> {
    const servers = this.#stored(scope);
    if (consent) servers.set(server, consent);
    else servers.delete(server);
    const consents = { salt: this.#salt(scope), servers: Object.fromEntries(servers) };
    await this.store.set(scope, servers.size > 0 ? consents : {});
  }
}

/** What a different version stored is left out: without an answer, the person is asked. */
function parseConsents(value: unknown): StoredConsents | undefined {
  const { salt, servers } = (value ?? {}) as Partial<StoredConsents>;
  if (typeof salt !== 'string' || typeof servers !== 'object') return undefined;
  const valid = Object.entries(servers ?? {}).filter(([, consent]) => isConsent(consent));
  return { salt, servers: Object.fromEntries(valid) };
}

function isConsent(value: unknown): boolean {
  const { allowed, denied } = (value ?? {}) as Partial<StoredConsent>;
  if (denied && typeof denied.fingerprint !== 'string') return false;
  return allowed === undefined || (typeof allowed.fingerprint === 'string' && Array.isArray(allowed.fields));
}

/** Where consent to a launch is kept; undefined if it needs none. */
function scopeOf({ entry, fromWorkspace, leadsIntoWorkspace }: ServerDefinition): KeptScope | undefined {
  return fromWorkspace || leadsIntoWorkspace ? 'workspace' : entry && isReadable(entry) ? 'user' : undefined;
}

/** Whether what is sent to it can be read on the way. */
const isReadable = (entry: ServerEntry) => entry.type !== 'stdio' && isClearText(entry.url);

const newSalt = () => randomBytes(16).toString('hex');

/** Stands for all folders of the workspace. */
export const WORKSPACE_ROOTS = '*';

/** The roots that an entry wants to share with its server: paths, or `WORKSPACE_ROOTS`. */
export function wantedRoots({ roots = 'workspace' }: Pick<ServerEntry, 'roots'>): readonly string[] {
  return roots === 'workspace' ? [WORKSPACE_ROOTS] : roots === 'none' ? [] : roots;
}

/**
 * The wanted roots that the person has not agreed to. Agreeing to a root includes everything below it; agreeing to the
 * workspace folders includes all roots, because nothing outside them is ever shared.
 * @param agreed as stored, unchecked.
 */
function rootsBeyond(agreed: unknown, wanted: readonly string[]): readonly string[] {
  const known: readonly unknown[] = Array.isArray(agreed) ? agreed : [];
  if (known.includes(WORKSPACE_ROOTS)) return [];
  return wanted.filter(
    root => root === WORKSPACE_ROOTS || !known.some(one => typeof one === 'string' && isWithin(one, root)),
  );
}

const keyOf = ({ kind, name = '', hash }: LaunchField) => `${kind}\n${name}\n${hash}`;
const textOf = ({ kind, name = '', text }: LaunchField) => `${kind}\n${name}\n${text}`;

/** The fields that only one of the two has. Both lists are empty if only the order differs. */
export function launchChanges(before: readonly LaunchField[], now: readonly LaunchField[]) {
  return { removed: without(before, now), added: without(now, before) };
}

function without(fields: readonly LaunchField[], others: readonly LaunchField[]): LaunchField[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1);
  return fields.filter(field => {
    const count = left.get(keyOf(field)) ?? 0;
    left.set(keyOf(field), count - 1);
    return count <= 0;
  });
}

/** The fields of `now` that look the same as before but differ, because they are masked or long. */
export function changedUnseen(before: readonly LaunchField[], now: readonly LaunchField[]): Set<LaunchField> {
  const { removed, added } = launchChanges(before, now);
  const texts = new Set(removed.map(textOf));
  return new Set(added.filter(field => texts.has(textOf(field))));
}

/** The fields of `now` that are unchanged but look different: an earlier version showed less, or did not mark a mask. */
export function sameButReadOtherwise(before: readonly LaunchField[], now: readonly LaunchField[]): LaunchField[] {
  const reading = ({ text, mayRun }: LaunchField) => `${mayRun === true} ${text}`;
  const readings = new Map(before.map(field => [keyOf(field), reading(field)]));
  return now.filter(field => (readings.get(keyOf(field)) ?? reading(field)) !== reading(field));
}

/** What is remembered for tests that start the same. */
const sharing = (consents: Consents, { server, scope, allowed }: RememberedConsent): RememberedConsent[] =>
  allowed && isTestId(server)
    ? consents.all.filter(
        one => isTestId(one.server) && one.scope === scope && one.allowed?.fingerprint === allowed.fingerprint,
      )
    : [];

/** Takes what one test file was allowed over to another that starts the same. @returns whether there was any. */
export async function adoptConsent(consents: Consents, review: LaunchReview): Promise<boolean> {
  const { definition, scope, fingerprint, fields, roots, answer } = review;
  if (answer !== undefined) return false;
  const wanted = { server: definition.id, scope, allowed: { fingerprint, at: 0, fields } };
  const covers = ({ allowed }: RememberedConsent) =>
    rootsBeyond(allowed?.roots, roots).length === 0 && sameButReadOtherwise(allowed?.fields ?? [], fields).length === 0;
  if (!sharing(consents, wanted).some(covers)) return false;
  await consents.allow(review);
  return true;
}

/** Revokes a consent: for tests, in all files that start the same. */
export async function revokeShared(consents: Consents, consent: RememberedConsent): Promise<void> {
  const others = sharing(consents, consent).filter(({ server }) => server !== consent.server);
  for (const one of [consent, ...others]) await consents.revoke(one);
}

/** Why a launch needs approval: it is new, or differs from what was allowed. */
function reasonOf({ before, fingerprint, newRoots, newPackages, packages, ofSettings }: LaunchReview): Phrase {
  const [changed] = newPackages;
  if (!before) return phrase('needs approval to start');
  if (changed !== undefined)
    return phrase('would run {0}, not the version that you allowed', `${changed} ${packages[changed]}`);
  if (before.fingerprint !== fingerprint)
    return before.ofSettings !== undefined && before.ofSettings === ofSettings
      ? phrase('variables of "envFile" changed since you allowed it: needs approval again')
      : phrase('settings changed since you allowed it: needs approval again');
  return newRoots.length > 0
    ? phrase('could ask for more folders than you allowed: needs approval again')
    : phrase('more is shown now than when you allowed it: needs approval again');
}
