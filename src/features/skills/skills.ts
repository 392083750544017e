import { Emitter, Owner } from '../../base/events';
import { formatSize } from '../../base/numberText';
import { rowText, visible } from '../../base/text';
import type { ServerNotices } from '../../editor/serverNotices';
import type { DetailNode } from '../../editor/serverRows';
import { ScopedMemory, ScopedStorage } from '../../editor/storage';
import { joined, t, window } from '../../editor/window';
import { type ServerConnection, type ServerSet, servesSkills } from '../../host';
import { noteProgram, type ServerId } from '../../host/definition';
import { askDecision } from '../review';
import type { Trust } from '../trust';
import { keyOf, type Skill, SkillApprovals, type SkillState } from './core/skill';
import { type OfferedSkill, type SkillCaller, type SkillFile, SkillLists } from './core/skillLists';
import { factsOf, SkillDocuments, type SkillNode, skillsNode } from './skillRows';

import vscode = require('vscode');

/** A button in an answer outlives what it was made for: it names the server. */
interface SkillOfButton {
  readonly server?: ServerConnection | ServerId;
}

/** More is not kept for a comparison. */
const MAX_SEEN = 256 * 1024;

/**
 * Skills of servers (SEP-2640): what they are, which of them the person has approved, and their files. The entry point of its
 * own bundle (`esbuild.js`), loaded with the first ready server that serves any.
 */
export class Skills extends Owner {
  /** The person, who looks at rows and documents. */
  readonly #person: SkillCaller = { requests: server => this.trust.requests.as({ origin: 'skills' })(server) };
  readonly #lists = this.own(new SkillLists(this.#person.requests));
  readonly #approvals: SkillApprovals;
  /** What approved skills looked like, for the person's eyes alone: what a model gets is read and verified. */
  readonly #seen: ScopedMemory<'skills'>;
  readonly #documents: SkillDocuments;
  readonly #changed = this.own(new Emitter<ServerConnection>());
  /** What is known of the skills of a server has changed, or what the person says to them. */
  readonly onDidChange = this.#changed.event;
  /** Changes that are in the audit log already, by the hash of what the skill has become. */
  readonly #told = new Set<string>();

  constructor(
    private readonly servers: ServerSet,
    context: vscode.ExtensionContext,
    private readonly notices: ServerNotices,
    private readonly trust: Pick<Trust, 'audit' | 'requests'>,
  ) {
    super();
    this.#approvals = this.own(new SkillApprovals(new ScopedStorage(context, 'mcpHost.skills')));
    this.#seen = new ScopedMemory(context, 'skills');
    this.#documents = this.own(
      new SkillDocuments((server, skill, path) => this.#lists.read(server, skill, path, this.#person)),
    );
    this.own(this.#lists.onDidChange(server => this.#onList(server)));
    this.own(
      this.#approvals.onDidChange(id => {
        const server = servers.get(id);
        if (server) this.#changed.fire(server);
      }),
    );
  }

  /** The row of a server's skills, with theirs below it. */
  row(server: ServerConnection): DetailNode {
    const state = (skill: Skill) => this.state(server, skill);
    return skillsNode(server, {
      list: () => this.#lists.of(server),
      skills: () => this.#lists.skills(server),
      state,
    });
  }

  state(server: ServerConnection, skill: Skill): SkillState {
    return this.#approvals.state(server.definition, skill);
  }

  /** Skills of all running servers in a state: those for models, or those blocked because they have changed. */
  inState(wanted: SkillState): readonly OfferedSkill[] {
    return this.#all().filter(({ server, skill }) => this.state(server, skill) === wanted);
  }

  /** Asks the servers that were not asked for their skills yet. Never rejects. */
  async loaded(): Promise<void> {
    await Promise.all(this.servers.all.filter(servesSkills).map(server => this.#lists.loaded(server)));
  }

  /** The skill with this URI or, if it is the only one, this name. Rejects with a `HostError` when there is none. */
  async find(server: ServerConnection, uri: string, caller: SkillCaller): Promise<Skill> {
    await this.#lists.loaded(server);
    const known = this.#lists.skills(server);
    const named = known.filter(({ name }) => name === uri);
    return (
      known.find(skill => skill.uri === uri) ??
      (named.length === 1 ? named[0] : undefined) ??
      (await this.#lists.get(server, uri, caller))
    );
  }

  /** A verified file of an approved skill, for a model. Rejects with a `HostError`. */
  async read(
    server: ServerConnection,
    skill: Skill,
    path: string | undefined,
    caller: SkillCaller,
  ): Promise<SkillFile> {
    const { uri } = skill;
    const record = (what: 'read' | 'refused') =>
      this.trust.audit.record({
        type: 'skill',
        server: server.id,
        uri,
        what,
        ...(path !== undefined && { file: path }),
      });
    try {
      const file = await this.#lists.read(server, skill, path, caller);
      record('read');
      if (file.file.path === 'SKILL.md') void this.#see(server, skill, file.text);
      return file;
    } catch (error) {
      record('refused');
      throw error;
    }
  }

  /** Opens a file as it is now, or, of a skill that is not what was approved, what has changed. */
  async open(argument: unknown): Promise<void> {
    const chosen = await this.#target(argument);
    if (!chosen) return;
    const { server, skill, path } = chosen;
    if (this.state(server, skill) !== 'changed' || path !== undefined) {
      await this.#documents.open(server, skill, path);
      return;
    }
    const seen = await this.#seen.read(server.definition, keyOf(server, skill.uri));
    const before = typeof seen === 'string' ? seen : t('The earlier text is no longer kept.');
    await this.#documents.openChange(server, skill, before);
  }

  /** Asks the person whether models may use a skill as it is now, or go on using one that they approved. */
  async approve(argument: unknown): Promise<void> {
    const chosen = await this.#target(argument);
    if (!chosen) return;
    const { server, skill } = chosen;
    const state = this.state(server, skill);
    const namesakes = this.#all().filter(
      one => one.skill.name === skill.name && one.skill !== skill && this.state(one.server, one.skill) === 'approved',
    );
    const isSame = noteProgram(server);
    const answer = await askForApproval(chosen, state, namesakes);
    if (answer === 'open') await this.open(argument ?? chosen);
    if (answer === 'revoke') await this.#revoke(chosen);
    if (answer !== 'approve' || !isSame()) return;
    await this.#approvals.approve(server.definition, skill);
    this.trust.audit.record({ type: 'skill', server: server.id, uri: skill.uri, what: 'approved' });
    await this.#see(server, skill, this.#documents.textOf(server, skill));
    window.setStatusBarMessage(t('{0} of {1} is approved for @mcp.', visible(skill.name, 60), server.name), 5_000);
  }

  async #revoke({ server, skill }: OfferedSkill): Promise<void> {
    await this.#approvals.revoke(server.definition, skill.uri);
    await this.#seen.write(server.definition, undefined, keyOf(server, skill.uri));
    this.trust.audit.record({ type: 'skill', server: server.id, uri: skill.uri, what: 'revoked' });
  }

  /** Lists the skills of a row's server anew, or those of all. */
  async refresh(argument: unknown): Promise<void> {
    const { server } = (argument ?? {}) as Partial<SkillNode>;
    const serving = server ? [server] : this.servers.all.filter(servesSkills);
    await Promise.all(serving.map(one => this.#lists.refresh(one)));
  }

  #all(): OfferedSkill[] {
    return this.servers.all.flatMap(server => this.#lists.skills(server).map(skill => ({ server, skill })));
  }

  /** A change of what was approved is written down once. */
  #onList(server: ServerConnection): void {
    for (const skill of this.#lists.skills(server)) {
      if (this.#told.has(skill.hash) || this.state(server, skill) !== 'changed') continue;
      this.#told.add(skill.hash);
      this.trust.audit.record({ type: 'skill', server: server.id, uri: skill.uri, what: 'changed' });
      void this.#tellChange({ server, skill });
    }
    this.#changed.fire(server);
  }

  async #tellChange({ server, skill }: OfferedSkill): Promise<void> {
    const review = t('Review…');
    const what = t('MCP server "{0}" has changed the skill {1}, which you approved.', server.name, skill.name);
    const message = joined([what, t('It is blocked until you approve it again.')]);
    if ((await this.notices.show('Warning', server, message, review)) !== review) return;
    await vscode.commands.executeCommand('mcpHost.openSkill', { server, uri: skill.uri });
  }

  /** What an approved skill looks like, for a comparison when it has changed. */
  async #see(server: ServerConnection, skill: Skill, text: string | undefined): Promise<void> {
    if (this.state(server, skill) !== 'approved') return;
    await this.#seen.write(server.definition, factsOf(skill, text).slice(0, MAX_SEEN), keyOf(server, skill.uri));
  }

  /** That of a row, of a document that is open, or the one that the person chooses. */
  async #target(argument: unknown): Promise<(OfferedSkill & { path?: string }) | undefined> {
    const { server: of, uri, path } = (argument ?? {}) as Partial<Omit<SkillNode, 'server'>> & SkillOfButton;
    const server = typeof of === 'string' ? this.servers.get(of) : of;
    if (server && typeof uri === 'string') {
      const skill = this.#lists.skills(server).find(one => one.uri === uri);
      return skill && { server, skill, ...(path !== undefined && { path }) };
    }
    const shown = argument instanceof vscode.Uri ? this.#documents.skillAt(argument) : undefined;
    if (shown) {
      const skill = this.#lists.skills(shown.server).find(one => one.uri === shown.skill.uri);
      if (skill?.hash === shown.skill.hash) return { server: shown.server, skill };
      void window.showInformationMessage(t('The skill has changed since this was opened. Open it again.'));
      return undefined;
    }
    await this.loaded();
    return chooseSkill(this.#all());
  }
}

/** Lets the person search among skills by name, server, URI and description. */
async function chooseSkill(skills: readonly OfferedSkill[]): Promise<OfferedSkill | undefined> {
  if (skills.length === 0) {
    void window.showInformationMessage(t('No MCP server offers such a skill.'));
    return undefined;
  }
  const rows = skills.map(one => ({
    label: rowText(one.skill.name),
    description: rowText(`${one.server.name} · ${visible(one.skill.uri, 150)}`),
    detail: rowText(one.skill.description),
    one,
  }));
  const options = { placeHolder: t('Select a skill'), matchOnDescription: true, matchOnDetail: true };
  return (await window.showQuickPick(rows, options))?.one;
}

/**
 * Asks whether a skill may be used. It is not fetched for that: the approval is for the entry, and each file is verified
 * against it when it is read.
 * @param namesakes approved skills of the same name.
 */
async function askForApproval(
  { server, skill }: OfferedSkill,
  state: SkillState,
  namesakes: readonly OfferedSkill[],
): Promise<'approve' | 'open' | 'revoke' | undefined> {
  const { name, description, uri, files, size, frontmatter } = skill;
  const revoke = t('Revoke Approval');
  if (state === 'approved') {
    const approved = t('The skill {0} of MCP server "{1}" is approved for @mcp.', name, server.name);
    return (await window.showWarningMessage(approved, { modal: true }, revoke)) === revoke ? 'revoke' : undefined;
  }
  const question =
    state === 'changed'
      ? t('Approve the skill {0} of MCP server "{1}" as it is now?', name, server.name)
      : t('Approve the skill {0} of MCP server "{1}"?', name, server.name);
  const detail = [
    visible(description, 1_024),
    visible(uri, 300),
    t(
      'A skill is text from the server that tells the model in @mcp how to do something. It runs nothing and permits nothing: tool calls still need your approval.',
    ),
    t(
      'Your approval is for these {0} files ({1}) and no others: when one changes, you are asked again.',
      files.length,
      formatSize(size),
    ),
    'allowed-tools' in frontmatter && t('It asks for tools to be allowed ("allowed-tools"). That is ignored.'),
    ...namesakes.map(one =>
      t(
        'You have already approved a skill with the same name, from {0}: {1}.',
        one.server.name,
        visible(one.skill.uri, 150),
      ),
    ),
  ];
  const [approve, open] = [t('Approve'), state === 'changed' ? t('Show Changes') : t('Read It First')];
  const others = [open, ...(state === 'changed' ? [revoke] : [])];
  const answer = await askDecision(question, detail.filter(Boolean).join('\n\n'), { allow: [approve], others });
  if (answer === revoke) return 'revoke';
  return answer === approve ? 'approve' : answer === open ? 'open' : undefined;
}
