import { Owner } from '../../base/events';
import { formatSize } from '../../base/numberText';
import { visible, visibleLines } from '../../base/text';
import { localized, remedyText, summaryText } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import { nameToOpen } from '../../editor/openedAs';
import { countedItem, type DetailNode, messageNode, treeItem } from '../../editor/serverRows';
import { TextDocuments } from '../../editor/textDocuments';
import { ownUri } from '../../editor/virtualFiles';
import { t } from '../../editor/window';
import type { LazyList, ServerConnection } from '../../host';
import type { Skill, SkillState } from './core/skill';
import type { SkillFile, SkillListing } from './core/skillLists';

import vscode = require('vscode');

/** The most rows of one server. The other skills are found by "Open Skill…". */
const MAX_ROWS = 1_000;

/** The row of a skill or of one of its files; commands get it. */
export interface SkillNode extends DetailNode {
  readonly uri?: string;
  /** Of a file of it. */
  readonly path?: string;
}

interface ShownSkills {
  list(): LazyList<SkillListing> | undefined;
  skills(): readonly Skill[];
  state(skill: Skill): SkillState;
}

/** The row "Skills 3" of a server, with a row for each of them below it. */
export function skillsNode(server: ServerConnection, shown: ShownSkills): SkillNode {
  return {
    type: 'detail',
    server,
    item: () => {
      const list = shown.list();
      const skills = shown.skills();
      const waiting = skills.filter(skill => shown.state(skill) !== 'approved').length;
      const hasRows = skills.length > 0 || messagesOf(list).length > 0;
      return countedItem(server, {
        kind: 'skills',
        label: t('Skills'),
        icon: 'mortar-board',
        tooltip: t('Instructions for models that this server offers. @mcp uses only those that you approve.'),
        count: skills.length,
        status: list?.status,
        note: waiting > 0 && t('{0} not approved', waiting),
        hasRows,
      });
    },
    children: () => {
      const skills = shown.skills();
      const counts = new Map<string, number>();
      for (const { name } of skills) counts.set(name, (counts.get(name) ?? 0) + 1);
      return [
        ...messagesOf(shown.list()).map(text => messageNode(server, text)),
        ...skills
          .slice(0, MAX_ROWS)
          .map(skill => skillNode(server, skill, shown.state(skill), counts.get(skill.name)! > 1)),
        ...(skills.length > MAX_ROWS ? [moreNode(server, skills.length - MAX_ROWS)] : []),
      ];
    },
  };
}

/** @param isNamesake another skill of the server has the same name. */
function skillNode(server: ServerConnection, skill: Skill, state: SkillState, isNamesake: boolean): SkillNode {
  const { uri, name, description, files, size } = skill;
  const id = `${server.id}\nskills\n${uri}`;
  const node: SkillNode = {
    type: 'detail',
    server,
    uri,
    item: () => {
      const { Collapsed, None } = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(visible(name), files.length > 1 ? Collapsed : None);
      item.id = id;
      const said = { new: t('not approved'), approved: t('approved'), changed: t('changed: blocked') }[state];
      item.description = [isNamesake && visible(uri, 100), said, visible(description, 160)].filter(Boolean).join(' · ');
      item.iconPath = {
        new: new vscode.ThemeIcon('mortar-board', new vscode.ThemeColor('disabledForeground')),
        approved: new vscode.ThemeIcon('mortar-board', new vscode.ThemeColor('testing.iconPassed')),
        changed: new vscode.ThemeIcon('shield', new vscode.ThemeColor('testing.iconQueued')),
      }[state];
      item.contextValue = `skill.${state}`;
      item.tooltip = plainTooltip([
        name,
        description,
        uri,
        t('{0} files, {1}', files.length, formatSize(size)),
        state === 'changed'
          ? t('This is not what you approved. It is blocked until you approve it again. Click to see what has changed.')
          : undefined,
      ]);
      item.command = { command: 'mcpHost.openSkill', title: t('Open'), arguments: [node] };
      return item;
    },
    children: () => files.map(({ path, size }) => fileNode(server, uri, path, size)),
  };
  return node;
}

function fileNode(server: ServerConnection, uri: string, path: string, size: number): SkillNode {
  const node: SkillNode = {
    type: 'detail',
    server,
    uri,
    path,
    item: () =>
      treeItem(visible(path), {
        id: `${server.id}\nskills\n${uri}\n${path}`,
        description: formatSize(size),
        iconPath: new vscode.ThemeIcon('file'),
        contextValue: 'skillFile',
        command: { command: 'mcpHost.openSkill', title: t('Open'), arguments: [node] },
      }),
  };
  return node;
}

/** What is missing, and why: one sentence each. */
function messagesOf({ list, error }: Partial<LazyList<SkillListing>> = {}): string[] {
  const rows = error ? [summaryText(error), remedyText(error) ?? ''] : [];
  for (const { name, problem } of list?.unusable ?? [])
    rows.push(
      name
        ? t('{0} was skipped: {1}', visible(name, 100), localized(problem))
        : t('An item was skipped: {0}', localized(problem)),
    );
  if (list && list.unusableMore > 0) rows.push(t('{0} more were skipped', list.unusableMore));
  if (list?.isCut) rows.push(t('More than {0} items are listed. The rest are not shown', list.skills.length));
  return rows.filter(Boolean);
}

const moreNode = (server: ServerConnection, count: number): SkillNode => ({
  type: 'detail',
  server,
  item: () =>
    treeItem(t('{0} more…', count), {
      iconPath: new vscode.ThemeIcon('ellipsis'),
      command: { command: 'mcpHost.openSkill', title: t('Open Skill…') },
    }),
});

const SCHEME = 'mcp-skill';
/** Documents of this window whose skill is known. */
const MAX_DOCUMENTS = 100;

interface ShownSkill {
  readonly server: ServerConnection;
  readonly skill: Skill;
  readonly text: string;
}

/** Files of skills as read-only documents, verified, with every hidden character visible. */
export class SkillDocuments extends Owner {
  readonly #shown = new Map<string, ShownSkill>();
  readonly #documents = this.own(
    new TextDocuments(SCHEME, t('This was opened in an earlier window. Open the skill again.')),
  );

  constructor(private readonly read: (server: ServerConnection, skill: Skill, path: string) => Promise<SkillFile>) {
    super();
  }

  /** Reads the file for the person: nothing is fetched before they want to see it. Rejects with a `HostError`. */
  async open(server: ServerConnection, skill: Skill, path = 'SKILL.md'): Promise<void> {
    const { text, bytes, file } = await this.read(server, skill, path);
    const shown = text ?? t('{0} is not a text. It has {1} bytes and the digest {2}.', path, bytes.length, file.digest);
    const uri = this.#add(server, skill, path, visibleLines(shown, Number.POSITIVE_INFINITY));
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  /** Shows what has changed since the skill was approved: its frontmatter, its files, and the text of its SKILL.md. */
  async openChange(server: ServerConnection, skill: Skill, before: string): Promise<void> {
    const { text } = await this.read(server, skill, 'SKILL.md');
    const left = this.#add(server, skill, `approved/${skill.name}.md`, visibleLines(before, Number.POSITIVE_INFINITY));
    const now = visibleLines(factsOf(skill, text), Number.POSITIVE_INFINITY);
    const right = this.#add(server, skill, `now/${skill.name}.md`, now);
    const title = t('{0} of {1}: approved ↔ now', skill.name, server.name);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: false });
  }

  /** The skill that a document shows, as it was when it was opened. */
  skillAt(uri: vscode.Uri): ShownSkill | undefined {
    return this.#shown.get(uri.toString());
  }

  /** The text of its SKILL.md, if the person has it open. */
  textOf(server: ServerConnection, { hash }: Skill): string | undefined {
    return [...this.#shown].find(
      ([key, shown]) => shown.server === server && shown.skill.hash === hash && /\/SKILL\.md\.(mcp|txt)\?/.test(key),
    )?.[1].text;
  }

  /** The address has the server, the skill, the version of it, and, as the editor expects of a SKILL.md, a folder with its name. */
  #add(server: ServerConnection, skill: Skill, path: string, text: string): vscode.Uri {
    const folder = [server.id, skill.uri, skill.hash.slice(0, 12), skill.name]
      .map(part => part.replaceAll('/', '∕'))
      .join('/');
    const uri = ownUri({
      scheme: SCHEME,
      path: `/${folder}/${nameToOpen(path, { server: server.id, text: () => text })}`,
    });
    this.#documents.set(uri, text, server.id);
    this.#shown.set(uri.toString(), { server, skill, text });
    for (const old of [...this.#shown.keys()].slice(0, -MAX_DOCUMENTS)) this.#shown.delete(old);
    return uri;
  }
}

/** All of a skill that an approval is for, as a text that can be compared by line. */
export function factsOf({ uri, frontmatter, files }: Skill, text: string | undefined): string {
  return [
    uri,
    '',
    ...Object.entries(frontmatter).map(([name, value]) => `${visible(name, 100)}: ${JSON.stringify(value)}`),
    '',
    ...files.map(({ path, size, digest }) => `${visible(path, 300)} · ${size} · ${digest}`),
    ...(text === undefined ? [] : ['', '─'.repeat(40), '', text]),
  ].join('\n');
}
