import type { HostError } from '../../../base/errors';
import { Emitter } from '../../../base/events';
import type { RequestsOf, ServerConnection } from '../../../host';
import { servesSkills } from './servesSkills';
import { fileAt, type Skill } from './skill';
import {
  getSkill,
  listSkills,
  readSkillFile,
  type SkillFile,
  type SkillListing,
  type SkillServer,
} from './skillRequests';

/** However soon a list becomes stale, it is not asked for again before this time, in milliseconds. */
const MIN_AGE_MS = 5_000;
/** The most bytes of files that are kept of one server, so that they are not fetched for each reading. */
const MAX_KEPT = 16 * 1024 * 1024;
/** A model may ask for any URI. */
const MAX_UNLISTED = 100;

/** The skills of one server, as far as it has been asked for them. */
export interface SkillList {
  readonly status: 'loading' | 'ready' | 'failed';
  readonly listing: SkillListing | undefined;
  readonly error?: HostError;
}

/** A skill, and where it comes from: neither alone says which it is. */
export interface OfferedSkill {
  readonly server: ServerConnection;
  readonly skill: Skill;
}

/** Who wants a skill, or a file of one. */
export interface SkillCaller {
  readonly requests: RequestsOf;
  readonly signal?: AbortSignal | undefined;
}

/** What is known of a server for as long as it runs. */
interface Known {
  list: SkillList;
  loading: Promise<void>;
  loadedAt: number;
  /** Skills that the server does not list, and was asked for by their URIs. */
  readonly unlisted: Map<string, Skill>;
  /** Verified files by their digests, the oldest first. */
  readonly files: Map<string, SkillFile>;
}

/**
 * The skills of the running servers. Requested on demand: the list when a view or a model needs it, a file when it is read
 * (skills#lazy-retrieval).
 */
export class SkillLists {
  readonly #changed = new Emitter<ServerConnection>();
  readonly onDidChange = this.#changed.event;
  /** By what a server said when it came up: another start may list others. */
  readonly #known = new WeakMap<object, Known>();

  /** @param requests for lists, which have nothing in them of who wants them. */
  constructor(private readonly requests: RequestsOf) {}

  /** What is known now; the first call asks the server, later ones again when the list has become stale. */
  list(server: ServerConnection): SkillList | undefined {
    const known = this.#of(server);
    if (!known) return undefined;
    const { freshUntil } = known.list.listing ?? {};
    const now = Date.now();
    const isStale = freshUntil !== undefined && now >= freshUntil && now >= known.loadedAt + MIN_AGE_MS;
    if (known.list.status === 'ready' && isStale) void this.refresh(server);
    return known.list;
  }

  /** Resolves when the list that is being loaded has come or failed. */
  async loaded(server: ServerConnection): Promise<void> {
    this.list(server);
    await this.#of(server)?.loading;
  }

  /** All that are known of a server, listed or not. */
  skills(server: ServerConnection): readonly Skill[] {
    const known = this.#of(server);
    return known ? [...(known.list.listing?.skills ?? []), ...known.unlisted.values()] : [];
  }

  /** Asks for the list anew. Never rejects: a failure is its status. */
  async refresh(server: ServerConnection): Promise<void> {
    const known = this.#of(server);
    if (!known) return;
    known.loading = known.loading.then(() => this.#load(server, known));
    await known.loading;
  }

  /**
   * The skill with this URI as its server describes it now. It is asked for alone, which also finds one that the server does
   * not list (skills#getting-a-skill). Rejects with a `HostError`.
   */
  async get(server: ServerConnection, uri: string, { requests, signal }: SkillCaller): Promise<Skill> {
    const skill = await getSkill(skillServer(server, requests), uri, signal);
    const known = this.#of(server);
    if (!known) return skill;
    const { listing } = known.list;
    const before = listing?.skills.find(one => one.uri === uri);
    if (listing && before) {
      if (before.hash === skill.hash) return before;
      const skills = listing.skills.map(one => (one === before ? skill : one));
      known.list = { ...known.list, listing: { ...listing, skills } };
    } else if (known.unlisted.size < MAX_UNLISTED || known.unlisted.has(uri)) known.unlisted.set(uri, skill);
    this.#changed.fire(server);
    return skill;
  }

  /**
   * Reads and verifies a file. When it does not match the entry, the entry is requested once more: it may have changed, and the
   * new one is not approved (skills#verification-on-read).
   *
   * @throws HostError as `readSkillFile` does.
   */
  async read(
    server: ServerConnection,
    skill: Skill,
    reference: string | undefined,
    caller: SkillCaller,
  ): Promise<SkillFile> {
    const { requests, signal } = caller;
    const known = this.#of(server);
    const path = fileAt(skill, reference)?.path;
    const kept = path === undefined ? undefined : known?.files.get(keyOfFile(skill, path));
    if (kept) {
      const { uri } = kept.file;
      await requests(server).permitted({ method: 'resources/read', params: { uri }, isListed: true }, signal);
      return kept;
    }
    try {
      const file = await readSkillFile(skillServer(server, requests), skill, reference, signal);
      if (known) keep(known.files, keyOfFile(skill, file.file.path), file);
      return file;
    } catch (error) {
      if ((error as Partial<HostError>).code === 'CHANGED') await this.get(server, skill.uri, caller).catch(() => {});
      throw error;
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #of(server: ServerConnection): Known | undefined {
    const { info } = server;
    if (!info || !servesSkills(server)) return undefined;
    let known = this.#known.get(info);
    if (!known) {
      const list: SkillList = { status: 'loading', listing: undefined };
      known = { list, loading: Promise.resolve(), loadedAt: 0, unlisted: new Map(), files: new Map() };
      this.#known.set(info, known);
      known.loading = this.#load(server, known);
    }
    return known;
  }

  async #load(server: ServerConnection, known: Known): Promise<void> {
    const { listing } = known.list;
    known.list = { status: 'loading', listing };
    try {
      const now = await listSkills(skillServer(server, this.requests));
      for (const { uri } of now.skills) known.unlisted.delete(uri);
      known.list = { status: 'ready', listing: now };
    } catch (error) {
      known.list = { status: 'failed', listing, error: error as HostError };
    }
    known.loadedAt = Date.now();
    this.#changed.fire(server);
  }
}

const skillServer = (server: ServerConnection, requests: RequestsOf): SkillServer => ({
  name: server.name,
  ...requests(server),
});

/** The entry is part of it: a file is verified against one. */
const keyOfFile = ({ hash }: Skill, path: string) => `${hash} ${path}`;

function keep(files: Map<string, SkillFile>, key: string, file: SkillFile): void {
  files.set(key, file);
  let size = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  for (const [oldest, { bytes }] of files) {
    if (size <= MAX_KEPT) return;
    files.delete(oldest);
    size -= bytes.length;
  }
}
