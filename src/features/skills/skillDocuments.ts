import vscode = require('vscode');

import { visible, visibleLines } from '../../base/text';
import { t } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { Skill } from './core/skill';
import type { SkillFile } from './core/skillRequests';

/** Scheme of the read-only documents of skills. */
const SCHEME = 'mcp-skill';
/** Documents of this window that stay readable. */
const MAX_DOCUMENTS = 100;

interface Shown {
  readonly server: ServerConnection;
  readonly skill: Skill;
  readonly text: string;
}

/** Files of skills as read-only documents, verified, with every hidden character visible. */
export class SkillDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #shown = new Map<string, Shown>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  constructor(private readonly read: (server: ServerConnection, skill: Skill, path: string) => Promise<SkillFile>) {}

  /** Reads the file for the person: nothing is fetched before they want to see it. Rejects with a `HostError`. */
  async open(server: ServerConnection, skill: Skill, path = 'SKILL.md'): Promise<void> {
    const { text, bytes, file } = await this.read(server, skill, path);
    const shown = text ?? t('{0} is not a text. It has {1} bytes and the digest {2}.', path, bytes.length, file.digest);
    const uri = this.#add(server, skill, path, visibleLines(shown, Number.POSITIVE_INFINITY));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
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
  shown(uri: vscode.Uri): Shown | undefined {
    return this.#shown.get(uri.toString());
  }

  /** The text of its SKILL.md, if the person has it open. */
  textOf(server: ServerConnection, { hash }: Skill): string | undefined {
    return [...this.#shown].find(
      ([key, shown]) => shown.server === server && shown.skill.hash === hash && key.endsWith('/SKILL.md'),
    )?.[1].text;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown(uri)?.text ?? t('This was opened in an earlier window. Open the skill again.');
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** The address has the server, the skill, the version of it, and, as the editor expects of a SKILL.md, a folder with its name. */
  #add(server: ServerConnection, skill: Skill, path: string, text: string): vscode.Uri {
    const folder = [server.id, skill.uri, skill.hash.slice(0, 12), skill.name]
      .map(part => part.replaceAll('/', '∕'))
      .join('/');
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${folder}/${path}` });
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
