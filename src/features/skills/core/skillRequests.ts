import { createHash } from 'node:crypto';
import { HostError } from '../../../base/errors';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type AllowedRequests, anyObject, type WantedRequest } from '../../../host';
import { frontmatterProblem } from './frontmatter';
import { checkSkill, fileAt, isUsableSkill, type ListedFile, type Skill, type UnusableSkill } from './skill';

/** The most pages read of a listing; a note reports that there are more. */
const MAX_PAGES = 500;
const MAX_SKILLS = 20_000;
const MAX_FILES = 200_000;
const MAX_UNUSABLE = 100;

/** What is needed of a server that serves skills. */
export type SkillServer = Pick<AllowedRequests, 'forward' | 'readResource'> & { readonly name: string };

/** All skills that a server lists. */
export interface SkillListing {
  readonly skills: readonly Skill[];
  /** The first of those that can't be used. */
  readonly unusable: readonly UnusableSkill[];
  /** How many more of them there are. */
  readonly unusableMore: number;
  /** Whether the server has more than were read. */
  readonly isCut: boolean;
  /** When it becomes stale, in milliseconds since 1970; undefined if the server did not say. */
  readonly freshUntil: number | undefined;
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
export async function listSkills(server: SkillServer, signal?: AbortSignal): Promise<SkillListing> {
  const byUri = new Map<string, Skill>();
  const unusable: UnusableSkill[] = [];
  const cursors = new Set<unknown>();
  let [cursor, files, freshUntil, isCut]: [unknown, number, number | undefined, boolean] = [
    undefined,
    0,
    undefined,
    false,
  ];
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {};
    const result = await ask(server, phrase('list its skills'), { method: 'skills/list', params }, signal);
    if (!Array.isArray(result.skills))
      throw broken(server, phrase('list its skills'), phrase('"skills" is not an array'));
    for (const entry of result.skills as unknown[]) {
      isCut ||= byUri.size >= MAX_SKILLS || files >= MAX_FILES;
      if (isCut) break;
      const skill = checkSkill(entry);
      if (!isUsableSkill(skill)) unusable.push(skill);
      else if (byUri.has(skill.uri))
        unusable.push({ name: skill.name, uri: skill.uri, problem: phrase('it is listed twice under the same URI') });
      else byUri.set(skill.uri, skill);
      files += isUsableSkill(skill) ? skill.files.length : 1;
    }
    if (typeof result.ttlMs === 'number' && result.ttlMs > 0)
      freshUntil = Math.min(freshUntil ?? Number.POSITIVE_INFINITY, Date.now() + result.ttlMs);
    cursor = result.nextCursor;
    if (isCut || typeof cursor !== 'string') break;
    // Some servers return their last cursor over and over.
    isCut = cursors.has(cursor) || page + 1 === MAX_PAGES;
    if (isCut) break;
    cursors.add(cursor);
  }
  // Neither of two that claim to be the same one is to be taken for it.
  for (const { uri } of unusable) if (uri !== undefined) byUri.delete(uri);
  const unusableMore = Math.max(0, unusable.length - MAX_UNUSABLE);
  return { skills: [...byUri.values()], unusable: unusable.slice(0, MAX_UNUSABLE), unusableMore, isCut, freshUntil };
}

/** The skill whose SKILL.md has this URI, listed or not (skills#getting-a-skill). Rejects with a `HostError`. */
export async function getSkill(server: SkillServer, uri: string, signal?: AbortSignal): Promise<Skill> {
  const action = phrase('get the skill {0}', visible(uri, 300));
  const { skill: entry } = await ask(server, action, { method: 'skills/get', params: { uri } }, signal);
  const skill = checkSkill(entry);
  if (!isUsableSkill(skill)) throw broken(server, action, skill.problem);
  if (skill.uri !== uri)
    throw broken(server, action, phrase('it answered with another skill, {0}', visible(skill.uri, 200)));
  return skill;
}

/**
 * Reads one file of a skill and verifies it: it is listed, its size and its digest are those of the entry, and the head of
 * SKILL.md is the one in the entry (skills#integrity-and-verification).
 *
 * @param reference a path below the skill's folder, or a URI.
 * @throws HostError that names server, skill and remedy.
 */
export async function readSkillFile(
  server: SkillServer,
  skill: Skill,
  reference?: string,
  signal?: AbortSignal,
): Promise<SkillFile> {
  const file = fileAt(skill, reference);
  const action = phrase('read {0} of the skill {1}', visible(file?.path ?? reference, 200), skill.name);
  const refuse = (reason: Phrase) => refused(server, action, reason);
  if (!file) throw refuse(phrase('the skill lists no such file'));
  const { contents } = await server.readResource(file.uri, signal, true);
  const content =
    contents.find(({ uri }) => uri === file.uri) ?? contents.find(({ uri }) => fileAt(skill, uri) === file);
  if (!content) throw refuse(phrase('the server answered without the file'));
  const bytes = 'text' in content ? Buffer.from(content.text) : Buffer.from(content.blob, 'base64');
  if (bytes.length !== file.size)
    throw refuse(phrase('it has {0} bytes, and {1} where the server lists it', bytes.length, file.size));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (digest !== file.digest) throw refuse(phrase('its content does not match the digest that the server lists'));
  const text = 'text' in content ? content.text : textOf(bytes);
  if (file.path === 'SKILL.md') {
    const problem =
      text === undefined ? phrase('its SKILL.md is not text') : frontmatterProblem(text, skill.frontmatter);
    if (problem) throw refuse(problem);
  }
  return { file, bytes, mimeType: content.mimeType, text };
}

async function ask(
  server: SkillServer,
  action: Phrase,
  request: WantedRequest,
  signal: AbortSignal | undefined,
): Promise<Record<string, unknown>> {
  return await server.forward(request, action, anyObject, { signal });
}

/** Undefined for bytes that are no UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const broken = ({ name: server }: SkillServer, action: Phrase, reason: Phrase) =>
  new HostError({ code: 'PROTOCOL', server, action, reason });

/** Only what verification found is used: whatever else came is dropped. */
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
