import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { numberText } from '../../base/numberText';
import { rowText, visible } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { toolTitle } from '../../editor/serverRows';
import type { PlainState } from '../../editor/storage';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { isFor } from '../../host/catalog';
import type { ServerId } from '../../host/definition';
import type { OfferedTools } from '../profiles';
import { CheckedTools, profileOf, type ToolRow } from './core/checkedTools';

import vscode = require('vscode');

const KEY = 'chat.hiddenTools';

/** More rows than this, and the tools of several servers are folded away until something is typed or a server is opened. */
const UNFOLDED = 60;

type Row = PlainRow & ToolRow;

/** Counts what the definition of a tool costs in each request to a model, in tokens. */
type CountTool = (server: ServerConnection, tool: Tool) => number;

/**
 * Which tools are offered to a model, for each workspace. It stores which tools were unchecked, so that new tools are
 * offered.
 */
export class ToolChoice {
  constructor(
    private readonly servers: ServerSet,
    private readonly memento: PlainState,
    private readonly offered: Pick<OfferedTools, 'includes' | 'profile'>,
  ) {}

  isOffered(server: ServerConnection, toolName: string): boolean {
    return !this.#hidden.has(keyOf(server, toolName));
  }

  /** Keeps the choice of tools for a server that the person renames. */
  async renamed(from: ServerId, to: ServerId): Promise<void> {
    const copied = [...this.#hidden].filter(key => key.startsWith(`${from}\n`)).map(key => to + key.slice(from.length));
    if (copied.length > 0) await this.memento.update(KEY, [...new Set([...this.#hidden, ...copied])]);
  }

  /** Shows the picker: the ready servers with their tools below, those that are offered checked. */
  async pick(countTool: CountTool): Promise<void> {
    const hidden = this.#hidden;
    const rows = this.#rows(countTool);
    if (rows.length === 0) return void window.showInformationMessage(t('No running MCP server offers tools.'));
    const checked = new CheckedTools(rows, key => !hidden.has(key));
    if (!(await ask(rows, checked, this.offered.profile))) return;
    // Tools of servers that are not running keep the choice made for them.
    const shown = new Set(rows.map(({ key }) => key));
    const next = [...hidden].filter(key => !shown.has(key));
    for (const { key } of rows) if (key !== undefined && !checked.has(key)) next.push(key);
    await this.memento.update(KEY, next);
  }

  #rows(countTool: CountTool): Row[] {
    return this.servers.all.flatMap(server => {
      const tools = server
        .offers('tools')
        .filter(tool => isFor('model', tool))
        .map((tool): Row => {
          const tokens = countTool(server, tool);
          const isOutside = !this.offered.includes(server, tool);
          return {
            server: server.id,
            key: keyOf(server, tool.name),
            tokens,
            label: say`$(blank) ${visible(toolTitle(tool))}`,
            // Its server, so that typing the name of a server finds its tools too.
            description: joined([rowText(server.id), tokensText(tokens), isOutside && t('not in the profile')], ' · '),
            isOutside,
            detail: say`$(blank) ${visible(tool.description ?? '', 160)}`,
          };
        });
      if (tools.length === 0) return [];
      const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
      const count = tools.length === 1 ? t('1 tool') : t('{0} tools', tools.length);
      const description = joined([count, tokensText(tokens)], ' · ');
      return [{ server: server.id, tokens, label: say`$(server) ${visible(server.id)}`, description }, ...tools];
    });
  }

  get #hidden(): Set<string> {
    return new Set(this.memento.get<string[]>(KEY, []));
  }
}

/** Shows the list until it is accepted. Undefined: the person gave up. */
function ask(rows: readonly Row[], checked: CheckedTools, profile: string | undefined): Promise<true | undefined> {
  const picker = window.createQuickPick<Row>();
  const filter = { iconPath: new vscode.ThemeIcon('filter'), tooltip: t('Show Only This Server') };
  const all = { iconPath: new vscode.ThemeIcon('list-tree'), tooltip: t('Show All Servers') };
  const save = { iconPath: new vscode.ThemeIcon('save'), tooltip: t('Save as Profile…') };
  const isAlone = new Set(rows.map(row => row.server)).size === 1;
  const isLong = !isAlone && rows.length > UNFOLDED;
  let only: string | undefined;
  let shown: readonly Row[] = [];
  const title = () => {
    const { offered: some, all: of, tokens } = checked.totals;
    picker.title = t('Tools for @mcp: {0} of {1} offered, about {2} tokens', some, of, numberText(tokens));
  };
  const check = () => {
    picker.selectedItems = shown.filter(row => checked.isChecked(row));
  };
  const show = (server: string | undefined) => {
    only = server;
    const isFolded = isLong && only === undefined && picker.value === '';
    shown = rows
      .filter(row => (isFolded ? row.key === undefined : only === undefined || row.server === only))
      .map(row => ({
        ...row,
        ...(row.key === undefined && !isAlone && { buttons: [only === undefined ? filter : all] }),
      }));
    picker.items = shown;
    check();
  };
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.ignoreFocusOut = true;
  picker.placeholder = joined(
    [
      profile !== undefined && t('The profile "{0}" narrows what is offered', profile),
      t('Select the servers and tools to offer in this workspace'),
    ],
    ' · ',
  );
  picker.buttons = [save];
  show(undefined);
  title();
  return answerIn<true>(picker, end => {
    picker.onDidChangeSelection(selected => {
      const boxes = new Set<ToolRow>(selected);
      checked.take(shown, boxes);
      title();
      // The editor is told only what it does not show already, as it reports that in turn.
      if (shown.some(row => checked.isChecked(row) !== boxes.has(row))) check();
    });
    picker.onDidChangeValue(() => {
      if (isLong && only === undefined) show(undefined);
    });
    picker.onDidTriggerButton(() => void saveAsProfile(rows, checked));
    picker.onDidTriggerItemButton(({ item }) => show(only === undefined ? item.server : undefined));
    picker.onDidAccept(() => end(true));
  });
}

const tokensText = (tokens: number) => (tokens === 1 ? t('about 1 token') : t('about {0} tokens', numberText(tokens)));

const keyOf = ({ id }: ServerConnection, toolName: string) => `${id}\n${toolName}`;

const MAX_NAME = 60;

/** Asks for a name, and adds the checked tools to the person's settings as a profile. It is used only on request. */
async function saveAsProfile(rows: readonly ToolRow[], checked: CheckedTools): Promise<void> {
  const settings = vscode.workspace.getConfiguration('mcpHost');
  const found: unknown = settings.inspect('profiles')?.globalValue;
  const profiles = isObject(found) ? found : {};
  const name = await window.showInputBox({
    title: t('Save as Profile'),
    prompt: t('A name for these tools, for "Switch Profile…" and {0}', '/profile'),
    ignoreFocusOut: true,
    validateInput: typed => problemOf(typed.trim(), profiles),
  });
  if (!name) return;
  const added = { ...profiles, [name.trim()]: profileOf(rows, checked) };
  await settings.update('profiles', added, vscode.ConfigurationTarget.Global);
  const use = t('Use It');
  const chosen = await window.showInformationMessage(t('The profile "{0}" was saved.', name.trim()), use);
  if (chosen === use) await vscode.commands.executeCommand('mcpHost.switchProfile', name.trim());
}

function problemOf(name: string, profiles: object): string | undefined {
  if (name === '' || name.length > MAX_NAME) return t('Enter 1 to {0} characters.', MAX_NAME);
  return Object.hasOwn(profiles, name) ? t('Your user settings already have a profile of this name.') : undefined;
}
