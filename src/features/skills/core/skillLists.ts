import { attempt, HostError } from '../../../base/errors';
import { getOrInsert } from '../../../base/events';
import { sha256 } from '../../../base/fingerprint';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { Turns } from '../../../base/turns';
import {
  type AllowedRequests,
  anyObject,
  type LazyList,
  LazyLists,
  listPages,
  type RequestsOf,
  type ServerConnection,
  servesSkills,
} from '../../../host';
import {
  checkSkill,
  fileAt,
  frontmatterProblem,
  isUsableSkill,
  type ListedFile,
  type Skill,
  type UnusableSkill,
} from './skill';

/** However soon a list becomes stale, it is not asked for again before this time, in milliseconds. */
const MIN_AGE_MS = 5_000;
/** The most bytes of files that are kept of one server, so that they are not fetched for each reading. */
const MAX_KEPT = 16 * 1024 * 1024;
/** What a list holds is checked in turns of this length: hashes of 500 skills with all that they may have take seconds. */
const TURN_MS = 10;
/** A model may ask for any URI. */
const MAX_UNLISTED = 100;

/** A skill, and where it comes from: neither alone says which it is. */
export interface OfferedSkill {
  readonly server: ServerConnection;
  readonly skill: Skill;
}

/** Requests a skill or a file, on behalf of a person or a model. */
export interface SkillCaller {
  readonly requests: RequestsOf;
  readonly signal?: AbortSignal | undefined;
}

/** What is remembered about a server until it starts again, besides its list. */
interface KeptSkills {
  /** Skills that the server does not list, and was asked for by their URIs. */
  readonly unlisted: Map<string, Skill>;
  /** Verified files by their digests, the oldest first. */
  readonly files: Map<string, SkillFile>;
}

/** The skills of running servers: the list when a view or model needs it, a file when read (skills#lazy-retrieval). */
export class SkillLists extends LazyLists<SkillListing> {
  readonly #kept = new WeakMap<object, KeptSkills>();

  /** @param requests for lists, which have nothing in them of who wants them. */
  constructor(requests: RequestsOf) {
    super(servesSkills, async server => {
      const listing = await listSkills(skillServer(server, requests));
      for (const { uri } of listing.skills) this.#keptOf(server)?.unlisted.delete(uri);
      return listing;
    });
  }

  /** What is known now; the first call asks the server, later ones again when the list has become stale. */
  override of(server: ServerConnection): LazyList<SkillListing> | undefined {
    const known = super.of(server);
    if (known?.status === 'ready' && Date.now() >= (known.list?.staleAt ?? Infinity)) void this.refresh(server);
    return super.of(server);
  }

  /** Resolves when the list that is being loaded has come or failed. */
  override async loaded(server: ServerConnection): Promise<void> {
    this.of(server);
    await super.loaded(server);
  }

  /** All that are known of a server, listed or not. */
  skills(server: ServerConnection): readonly Skill[] {
    const listed = super.of(server)?.list?.skills ?? [];
    return [...listed, ...(this.#keptOf(server)?.unlisted.values() ?? [])];
  }

  /** The skill with this URI as it is now, also if unlisted (skills#getting-a-skill). Rejects with a `HostError`. */
  async get(server: ServerConnection, uri: string, { requests, signal }: SkillCaller): Promise<Skill> {
    const skill = await getSkill(skillServer(server, requests), uri, signal);
    const before = super.of(server)?.list?.skills.find(one => one.uri === uri);
    if (before?.hash === skill.hash) return before;
    const unlisted = this.#keptOf(server)?.unlisted;
    if (!before && unlisted && (unlisted.size < MAX_UNLISTED || unlisted.has(uri))) unlisted.set(uri, skill);
    this.change(server, list => ({ ...list, skills: list.skills.map(one => (one === before ? skill : one)) }));
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
    const files = this.#keptOf(server)?.files;
    const path = fileAt(skill, reference)?.path;
    const kept = path === undefined ? undefined : files?.get(keyOfFile(skill, path));
    if (kept) {
      const { uri } = kept.file;
      await requests(server).permitted(
        { method: 'resources/read', params: { uri }, ofSkill: partOf(kept.file) },
        signal,
      );
      return kept;
    }
    try {
      const file = await readSkillFile(skillServer(server, requests), skill, reference, signal);
      if (files) keep(files, keyOfFile(skill, file.file.path), file);
      return file;
    } catch (error) {
      if ((error as Partial<HostError>).code === 'CHANGED') await this.get(server, skill.uri, caller).catch(() => {});
      throw error;
    }
  }

  #keptOf({ info }: ServerConnection): KeptSkills | undefined {
    if (!info) return undefined;
    return getOrInsert(this.#kept, info, () => ({ unlisted: new Map(), files: new Map() }));
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

/** The most pages read of a listing; a note reports that there are more. */
const MAX_PAGES = 500;
const MAX_SKILLS = 20_000;
const MAX_FILES = 200_000;
const MAX_UNUSABLE = 100;

/** What is needed of a server that serves skills. */
type SkillServer = Pick<AllowedRequests, 'forward' | 'readResource'> & { readonly name: string };

export interface SkillListing {
  readonly skills: readonly Skill[];
  /** The first of those that can't be used. */
  readonly unusable: readonly UnusableSkill[];
  readonly unusableMore: number;
  /** Whether the server has more than were read. */
  readonly isCut: boolean;
  /** When it is asked for again, in milliseconds since 1970; undefined if the server did not say that it becomes stale. */
  readonly staleAt: number | undefined;
}

/** A file of a skill whose bytes are those that the entry is for. */
export interface SkillFile {
  readonly file: ListedFile;
  readonly bytes: Buffer;
  readonly mimeType: string | undefined;
  /** Undefined for what is no text. */
  readonly text: string | undefined;
}

/** Lists a server's skills, page by page (skills#listing-skills). No file of theirs is read. Rejects with a `HostError`. */
async function listSkills(server: SkillServer): Promise<SkillListing> {
  const action = phrase('list its skills');
  const byUri = new Map<string, Skill>();
  const unusable: UnusableSkill[] = [];
  let ttlMs = Number.POSITIVE_INFINITY;
  let [files, isCut] = [0, false];
  const turns = new Turns(TURN_MS);
  const request = { method: 'skills/list', member: 'skills', action, maxPages: MAX_PAGES } as const;
  for await (const page of listPages(server, request)) {
    for (const entry of page.entries) {
      isCut ||= byUri.size >= MAX_SKILLS || files >= MAX_FILES;
      if (isCut) break;
      if (turns.isOver) await turns.next();
      const skill = checkSkill(entry);
      if (!isUsableSkill(skill)) unusable.push(skill);
      else if (byUri.has(skill.uri))
        unusable.push({ name: skill.name, uri: skill.uri, problem: phrase('it is listed twice under the same URI') });
      else byUri.set(skill.uri, skill);
      files += isUsableSkill(skill) ? skill.files.length : 1;
    }
    const { result } = page;
    if (typeof result.ttlMs === 'number' && result.ttlMs > 0) ttlMs = Math.min(ttlMs, result.ttlMs);
    isCut ||= page.isCut;
    if (isCut) break;
  }
  // Two entries that claim one URI are both unusable.
  for (const { uri } of unusable) if (uri !== undefined) byUri.delete(uri);
  const unusableMore = Math.max(0, unusable.length - MAX_UNUSABLE);
  const staleAt = Number.isFinite(ttlMs) ? Date.now() + Math.max(ttlMs, MIN_AGE_MS) : undefined;
  return { skills: [...byUri.values()], unusable: unusable.slice(0, MAX_UNUSABLE), unusableMore, isCut, staleAt };
}

/** The skill whose SKILL.md has this URI, listed or not (skills#getting-a-skill). Rejects with a `HostError`. */
async function getSkill(server: SkillServer, uri: string, signal?: AbortSignal): Promise<Skill> {
  const action = phrase('get the skill {0}', visible(uri, 300));
  const request = { method: 'skills/get', params: { uri } } as const;
  const { skill: entry }: Record<string, unknown> = await server.forward(request, action, anyObject, { signal });
  const skill = checkSkill(entry);
  if (!isUsableSkill(skill)) throw broken(server, action, skill.problem);
  if (skill.uri !== uri)
    throw broken(server, action, phrase('it answered with another skill, {0}', visible(skill.uri, 200)));
  return skill;
}

const partOf = ({ path }: Pick<SkillFile['file'], 'path'>) => (path === 'SKILL.md' ? 'instructions' : 'file');

/**
 * Reads one file of a skill and verifies it: it is listed, its size and its digest are those of the entry, and the head of
 * SKILL.md is the one in the entry (skills#integrity-and-verification).
 *
 * @param reference a path below the skill's folder, or a URI.
 * @throws HostError that names server, skill and remedy.
 */
async function readSkillFile(
  server: SkillServer,
  skill: Skill,
  reference?: string,
  signal?: AbortSignal,
): Promise<SkillFile> {
  const file = fileAt(skill, reference);
  const action = phrase('read {0} of the skill {1}', visible(file?.path ?? reference, 200), skill.name);
  const refuse = (reason: Phrase) => refused(server, action, reason);
  if (!file) throw refuse(phrase('the skill lists no such file'));
  const { contents } = await server.readResource(file.uri, signal, partOf(file));
  const content =
    contents.find(({ uri }) => uri === file.uri) ?? contents.find(({ uri }) => fileAt(skill, uri) === file);
  if (!content) throw refuse(phrase('the server answered without the file'));
  const bytes = 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64');
  if (bytes.length !== file.size)
    throw refuse(phrase('it has {0} bytes, and {1} where the server lists it', bytes.length, file.size));
  const digest = `sha256:${sha256(bytes)}`;
  if (digest !== file.digest) throw refuse(phrase('its content does not match the digest that the server lists'));
  const text = 'text' in content ? content.text : textOf(bytes);
  if (partOf(file) === 'instructions') {
    const problem =
      text === undefined ? phrase('its SKILL.md is not text') : frontmatterProblem(text, skill.frontmatter);
    if (problem) throw refuse(problem);
  }
  return { file, bytes, mimeType: content.mimeType, text };
}

/** Undefined for bytes that are no UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  return attempt(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

const broken = ({ name: server }: SkillServer, action: Phrase, reason: Phrase) =>
  new HostError({ code: 'PROTOCOL', server, action, reason });

/** A file that fails verification is discarded. */
const refused = ({ name: server }: SkillServer, action: Phrase, reason: Phrase) =>
  new HostError({
    code: 'CHANGED',
    server,
    action,
    reason,
    remedy: phrase(
      "It was not used. Refresh the server's skills in the MCP view. If that does not help, contact the server's developers.",
    ),
  });
