import { Emitter } from '../../../base/events';
import type { ServerDefinition } from '../../../host/definition';
import type { Skill } from './skill';

/**
 * `new`: not approved · `approved`: with exactly these files · `changed`: a person approved it, and its server lists other
 * files or another frontmatter since.
 */
export type SkillState = 'new' | 'approved' | 'changed';

export type SkillScope = 'user' | 'workspace';

/** A skill as it was approved. */
interface ApprovedSkill {
  /** Of its entry: all files with their digests (skills#security-considerations, content-bound approval). */
  readonly hash: string;
  /** The program of the server that served it: another program under the same name needs a new approval. */
  readonly launch: string;
}

export type ApprovedSkills = Readonly<Record<string, ApprovedSkill>>;

/** Out of reach of settings and workspaces: a repository must not approve its own skills. */
export interface SkillStore {
  /** Keys are those of `keyOf`. */
  get(scope: SkillScope): ApprovedSkills;
  /** Rejects when it is not kept: what was revoked must not come back. */
  set(scope: SkillScope, approved: ApprovedSkills): Promise<void>;
}

type SkillServer = Pick<ServerDefinition, 'id' | 'launch' | 'source'>;

/** Of one scope. A person approves them one by one. */
const MAX_APPROVED = 2_000;

/** Which skills a person has approved. The one owner of these answers. */
export class SkillApprovals {
  readonly #changed = new Emitter<string>();
  /** Fires with the id of a server. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly store: SkillStore) {}

  state(server: SkillServer, skill: Skill): SkillState {
    const key = keyOf(server, skill.uri);
    const kept = this.store.get(scopeOf(server));
    // What somebody spoiled counts as no answer.
    const { hash, launch } = Object(Object.hasOwn(kept, key) ? kept[key] : undefined) as Partial<ApprovedSkill>;
    if (typeof hash !== 'string' || launch !== server.launch) return 'new';
    return hash === skill.hash ? 'approved' : 'changed';
  }

  /** The person approves the skill as it was shown: what its server makes of it since is a change. */
  async approve(server: SkillServer, skill: Skill): Promise<void> {
    const { [keyOf(server, skill.uri)]: _, ...others } = this.store.get(scopeOf(server));
    const kept = Object.entries(others).slice(-(MAX_APPROVED - 1));
    const now: [string, ApprovedSkill] = [keyOf(server, skill.uri), { hash: skill.hash, launch: server.launch }];
    await this.#set(server, Object.fromEntries([...kept, now]));
  }

  async revoke(server: SkillServer, uri: string): Promise<void> {
    const { [keyOf(server, uri)]: _, ...others } = this.store.get(scopeOf(server));
    await this.#set(server, others);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #set(server: SkillServer, approved: ApprovedSkills): Promise<void> {
    await this.store.set(scopeOf(server), approved);
    this.#changed.fire(server.id);
  }
}

const scopeOf = ({ source }: SkillServer): SkillScope => (source.scope === 'user' ? 'user' : 'workspace');

/** Both halves: two servers can serve a skill with the same URI. */
export const keyOf = ({ id }: Pick<ServerDefinition, 'id'>, uri: string): string => JSON.stringify([id, uri]);
