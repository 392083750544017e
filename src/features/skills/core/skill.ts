import { attempt } from '../../../base/errors';
import { Emitter, Owner } from '../../../base/events';
import { canonicalJson, fingerprint } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { percentDecoded, visible } from '../../../base/text';
import { readYaml, valueOfYaml } from '../../../base/yamlText';
import { KeptFor, KeptRecords, keptScope, type ProgramStore, type ServerDefinition } from '../../../host/definition';

/** What every host has to accept of one skill, and the most that this one does (skills#limits). */
const SKILL_LIMITS = { files: 512, bytes: 16 * 1024 * 1024 };
const MAX_URI = 2_000;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
/** Of the frontmatter of one skill, as JSON: it is kept, compared and shown. */
const MAX_FRONTMATTER = 64 * 1024;

/** One file of a skill, as its server says that it is. */
export interface ListedFile {
  readonly uri: string;
  /** Below the folder of the skill, decoded: "references/FORMS.md". Two spellings of one file have the same. */
  readonly path: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly size: number;
}

/** A skill of a server, as its entry describes it: a manifest of all of its files (skills#skill-entries). */
export interface Skill {
  /** Of its SKILL.md. Together with the server, this is what identifies a skill; its name is a label. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** All that its author wrote above the text, name and description included. Nothing in it is acted on. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** SKILL.md first. */
  readonly files: readonly ListedFile[];
  readonly size: number;
  /** SHA-256 of all of this: an approval is for exactly these files. */
  readonly hash: string;
}

export interface UnusableSkill {
  /** Empty when it has none. */
  readonly name: string;
  readonly uri?: string;
  /** Worded to complete "it was left out: ". */
  readonly problem: Phrase;
}

export const isUsableSkill = (checked: Skill | UnusableSkill): checked is Skill => !('problem' in checked);

/** Checks one entry of `skills/list` or `skills/get`. Never throws. */
export function checkSkill(entry: unknown): Skill | UnusableSkill {
  const { uri, frontmatter, resources } = Object(entry) as Record<string, unknown>;
  const { name, description } = Object(frontmatter) as Record<string, unknown>;
  const unusable = (problem: Phrase): UnusableSkill => ({
    name: ([name, uri].find(text => typeof text === 'string') as string | undefined) ?? '',
    ...(typeof uri === 'string' && { uri }),
    problem,
  });
  const root = typeof uri === 'string' && uri.length <= MAX_URI ? rootOf(uri) : undefined;
  if (typeof uri !== 'string' || root === undefined)
    return unusable(phrase('its URI does not lead to a file SKILL.md in a folder'));
  const json = isObject(frontmatter) ? jsonOf(frontmatter) : undefined;
  if (!isObject(frontmatter) || json === undefined) return unusable(phrase('its frontmatter is not a readable object'));
  if (json.length > MAX_FRONTMATTER)
    return unusable(phrase('its frontmatter is larger than {0} KB', MAX_FRONTMATTER / 1024));
  if (typeof name !== 'string' || name.length > MAX_NAME || !/^[a-z\d]+(?:-[a-z\d]+)*$/.test(name))
    return unusable(phrase('its name must have at most {0} lowercase letters, digits and single hyphens', MAX_NAME));
  if (name !== percentDecoded(root.slice(root.lastIndexOf('/') + 1)))
    return unusable(phrase('its name is not that of its folder'));
  if (typeof description !== 'string' || description.trim() === '' || [...description].length > MAX_DESCRIPTION)
    return unusable(phrase('its description is missing, or longer than {0} characters', MAX_DESCRIPTION));
  if (resources === 'dynamic')
    return unusable(phrase('its files differ each time that they are read, so there is nothing fixed to approve'));
  if (!Array.isArray(resources)) return unusable(phrase('it does not list its files'));
  if (resources.length > SKILL_LIMITS.files)
    return unusable(phrase('it has {0} files; the limit is {1}', resources.length, SKILL_LIMITS.files));
  const files: ListedFile[] = [];
  const paths = new Set<string>();
  for (const resource of resources) {
    const file = checkFile(root, resource);
    if (!('digest' in file)) return unusable(file);
    if (paths.has(file.path)) return unusable(phrase('it lists {0} twice', visible(file.path, 100)));
    paths.add(file.path);
    files.push(file);
  }
  if (!paths.has('SKILL.md')) return unusable(phrase('its SKILL.md is not among its files'));
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > SKILL_LIMITS.bytes)
    return unusable(
      phrase('its files have {0} MB; the limit is {1} MB', megabytes(size), megabytes(SKILL_LIMITS.bytes)),
    );
  files.sort((a, b) => Number(b.path === 'SKILL.md') - Number(a.path === 'SKILL.md') || (a.path < b.path ? -1 : 1));
  const hash = fingerprint({ uri, frontmatter, files });
  return { uri, name, description, frontmatter, files, size, hash };
}

/** The file of a skill that a path below its folder, or a URI, leads to. Undefined: it lists no such file. */
export function fileAt(skill: Skill, reference = 'SKILL.md'): ListedFile | undefined {
  const root = rootOf(skill.uri);
  const base = root === undefined ? undefined : `${root}/`;
  if (base === undefined || !URL.canParse(reference, base)) return undefined;
  const target = new URL(reference, base);
  target.hash = '';
  const path = pathBelow(base, target.href);
  return skill.files.find(file => file.path === path);
}

function checkFile(root: string, resource: unknown): ListedFile | Phrase {
  const { uri, digest, size } = Object(resource) as Record<string, unknown>;
  const path = typeof uri === 'string' && uri.length <= MAX_URI ? pathBelow(`${root}/`, uri) : undefined;
  const shown = visible(uri, 100);
  if (typeof uri !== 'string' || path === undefined) return phrase('{0} is not in its folder', shown);
  if (typeof digest !== 'string' || !/^sha256:[\da-f]{64}$/.test(digest))
    return phrase('{0} has no SHA-256 digest', shown);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return phrase('{0} has no size', shown);
  return { uri, path, digest, size };
}

/** The folder of a SKILL.md, without a slash at its end; undefined if it has no name, or this is no SKILL.md. */
function rootOf(uri: string): string | undefined {
  if (!URL.canParse(uri) || climbs(uri)) return undefined;
  const { href } = new URL(uri);
  const root = href.endsWith('/SKILL.md') ? href.slice(0, -'/SKILL.md'.length) : '/';
  return root.endsWith('/') ? undefined : root;
}

/** Decoded; undefined for a URI that is not strictly below the folder, or has a name that no file has. */
function pathBelow(folder: string, uri: string): string | undefined {
  if (!URL.canParse(uri) || climbs(uri)) return undefined;
  const { href } = new URL(uri);
  if (!href.startsWith(folder) || /[?#]/.test(href)) return undefined;
  const segments = href.slice(folder.length).split('/').map(percentDecoded);
  return segments.every(segment => segment && !/^\.{1,2}$|[/\\\0]/.test(segment)) ? segments.join('/') : undefined;
}

/** The parser of URLs would go up, and what is left would look as if it stood there. */
const climbs = (uri: string) => uri.split(/[/\\]/).some(segment => /^\.{1,2}$/.test(percentDecoded(segment)));

/** Undefined when it is nested too deeply. */
const jsonOf = (value: object): string | undefined => attempt(() => canonicalJson(value));

const megabytes = (bytes: number) => Math.ceil((bytes / 1024 / 1024) * 10) / 10;

/** How often names may stand for parts of a document: a few lines of them can stand for a text without end. */
const MAX_ALIASES = 50;
const MAX_NAMED = 3;

/** How the head of a SKILL.md differs from its approved entry (skills#frontmatter-verification). Undefined: nowhere. */
export function frontmatterProblem(markdown: string, entry: Readonly<Record<string, unknown>>): Phrase | undefined {
  const start = /^\ufeff?---\r?\n/.exec(markdown)?.[0].length;
  const rest = markdown.slice(start, 2 * MAX_FRONTMATTER);
  const end = /^---[\t ]*$/m.exec(rest)?.index;
  if (start === undefined || end === undefined)
    return phrase('its SKILL.md has no frontmatter between two lines "---"');
  const parsed = parse(rest.slice(0, end));
  if (!isObject(parsed)) return phrase('the frontmatter of its SKILL.md cannot be read');
  const names = [...new Set([...Object.keys(entry), ...Object.keys(parsed)])];
  const other = names.filter(name => !isSame(entry[name], parsed[name]));
  if (other.length === 0) return undefined;
  const named = other.slice(0, MAX_NAMED).map(name => visible(name, 60));
  return phrase('the frontmatter of its SKILL.md is not what the server listed ({0})', named.join(', '));
}

/** Undefined for what is no YAML. */
function parse(text: string): unknown {
  const read = readYaml(text, { characters: 2 * MAX_FRONTMATTER, aliases: MAX_ALIASES });
  return read.mistakes.length > 0 ? undefined : valueOfYaml(read);
}

function isSame(one: unknown, other: unknown): boolean {
  // too deep, or a number that JSON has not
  return attempt(
    () => (one === undefined) === (other === undefined) && canonicalJson(one) === canonicalJson(other),
    false,
  );
}

/** `new`: not approved · `approved`: exactly these files · `changed`: approved, but listed otherwise since. */
export type SkillState = 'new' | 'approved' | 'changed';

interface ApprovedSkill {
  /** Of its entry: all files with their digests (skills#security-considerations, content-bound approval). */
  readonly hash: string;
}

type SkillServer = Pick<ServerDefinition, 'id' | 'launch' | 'source'>;

/** Of one scope. A person approves them one by one. */
const MAX_APPROVED = 2_000;

/** Which skills a person has approved. The one owner of these answers. */
export class SkillApprovals extends Owner {
  readonly #changed = this.own(new Emitter<string>());
  /** Fires with the id of a server. */
  readonly onDidChange = this.#changed.event;

  /** By `keyOf`. */
  readonly #approved: KeptRecords<KeptFor<ApprovedSkill>>;

  /** @param store out of reach of settings and workspaces: a repository must not approve its own skills. */
  constructor(store: ProgramStore) {
    super();
    this.#approved = new KeptRecords(store, stored => KeptFor.parse(stored, parseApproved), MAX_APPROVED);
  }

  state(server: SkillServer, skill: Skill): SkillState {
    const kept = this.#approved.get(keptScope(server.source), keyOf(server, skill.uri))?.for(server);
    if (!kept) return 'new';
    return kept.hash === skill.hash ? 'approved' : 'changed';
  }

  /** The person approves the skill as it was shown: what its server makes of it since is a change. */
  async approve(server: SkillServer, { uri, hash }: Skill): Promise<void> {
    await this.#set(server, uri, new KeptFor(server, { hash }));
  }

  async revoke(server: SkillServer, uri: string): Promise<void> {
    await this.#set(server, uri, undefined);
  }

  async #set(server: SkillServer, uri: string, approved: KeptFor<ApprovedSkill> | undefined): Promise<void> {
    await this.#approved.set(keptScope(server.source), keyOf(server, uri), approved);
    this.#changed.fire(server.id);
  }
}

/** What somebody spoiled counts as no answer. */
function parseApproved(stored: unknown): ApprovedSkill | undefined {
  const { hash } = Object(stored) as Partial<ApprovedSkill>;
  return typeof hash === 'string' ? { hash } : undefined;
}

/** Both halves: two servers can serve a skill with the same URI. */
export const keyOf = ({ id }: Pick<ServerDefinition, 'id'>, uri: string): string => JSON.stringify([id, uri]);
