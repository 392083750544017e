import type { Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../base/json';
import { numberText } from '../../base/numberText';
import { rowText } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { toolTitle } from '../../editor/serverRows';
import { themeIcon } from '../../editor/stateText';
import type { PlainState } from '../../editor/storage';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import { isFor } from '../../host/catalog';
import type { ServerId } from '../../host/definition';
import type { OfferedTools } from '../profiles';
import { CheckedTools, profileOf, type ToolRow } from './core/checkedTools';

import vscode = require('vscode');

const KEY = 'chat.hiddenTools';

type Row = PlainRow & ToolRow;

/** Counts what the definition of a tool costs in each request to a model, in tokens. */
type CountTool = (server: ServerConnection, tool: Tool) => number;

/** Which tools a model is offered, for each workspace. It stores the unchecked ones: new tools are offered. */
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

  /** Shows the ready servers, and of the one that the person opens its tools, those that are offered checked. */
  async pick(countTool: CountTool): Promise<void> {
    const hidden = this.#hidden;
    const rows = this.#rows(countTool);
    if (rows.length === 0) return void window.showInformationMessage(t('No running MCP server offers tools.'));
    const checked = new CheckedTools(rows, key => !hidden.has(key));
    const { profile } = this.offered;
    const forApps = new Map(
      this.servers.all.map(server => [server.id, server.offers('tools').filter(tool => !isFor('model', tool)).length]),
    );
    const list: ToolList = { rows, checked, profile, forApps, keep: () => this.#keep(rows, checked) };
    const servers = [...new Set(rows.map(({ server }) => server))];
    const isAlone = servers.length === 1;
    for (let server = isAlone ? servers[0] : await chooseServer(list); server !== undefined; ) {
      const isOver = !(await chooseTools(list, server, isAlone));
      server = isAlone || isOver ? undefined : await chooseServer(list, server);
    }
  }

  /** Tools of servers that are not running keep the choice made for them. */
  async #keep(rows: readonly Row[], checked: CheckedTools): Promise<void> {
    const shown = new Set(rows.map(({ key }) => key));
    const others = [...this.#hidden].filter(key => !shown.has(key));
    await this.memento.update(KEY, [...others, ...rows.filter(row => !checked.has(row)).map(({ key }) => key)]);
  }

  #rows(countTool: CountTool): Row[] {
    return this.servers.all.flatMap(server =>
      server
        .offers('tools')
        .filter(tool => isFor('model', tool))
        .map((tool): Row => {
          const tokens = countTool(server, tool);
          const isOutside = !this.offered.includes(server, tool);
          return {
            server: server.id,
            key: keyOf(server, tool.name),
            tokens,
            label: rowText(toolTitle(tool)),
            description: joined([tokensText(tokens), isOutside && t('not in the profile')], ' · '),
            isOutside,
            detail: rowText(tool.description ?? '', 160),
          };
        }),
    );
  }

  get #hidden(): Set<string> {
    return new Set(this.memento.get<string[]>(KEY, []));
  }
}

/** The tools of all running servers while a person chooses among them. */
interface ToolList {
  readonly rows: readonly Row[];
  readonly checked: CheckedTools;
  /** The profile in use. */
  readonly profile: string | undefined;
  /** How many more each server has that no model is offered: they are for its apps. */
  readonly forApps: ReadonlyMap<string, number>;
  /** Stores what is checked. */
  keep(): Thenable<void>;
}

const ALL = { iconPath: themeIcon('check-all'), tooltip: t('Offer All') };
const NONE = { iconPath: themeIcon('clear-all'), tooltip: t('Offer None') };
const SAVE = { iconPath: themeIcon('save'), tooltip: t('Save as Profile…') };

const forAppsText = (count = 0) => count > 0 && (count === 1 ? t('1 for apps only') : t('{0} for apps only', count));

const countText = ({ offered, all }: { offered: number; all: number }) => t('{0} of {1} tools', offered, all);

/** In place of a box with three states. */
const stateIcon = ({ offered, all }: { offered: number; all: number }) =>
  themeIcon(offered === 0 ? 'circle-large-outline' : offered === all ? 'pass-filled' : 'color-mode');

type ServerRow = PlainRow & { readonly server: string; readonly tool?: Row };

/**
 * Lets the person choose the server whose tools are to be shown. What is typed finds tools, too, which are turned on and off there.
 * @param last the one that was shown before. @returns undefined: they are done.
 */
function chooseServer(list: ToolList, last?: string): Promise<string | undefined> {
  const { rows, checked, profile, forApps } = list;
  const picker = window.createQuickPick<ServerRow>();
  const servers = Map.groupBy(rows, ({ server }) => server);
  const serverRow = ([server, tools]: [string, Row[]]): ServerRow => {
    const totals = checked.totals(tools);
    const isNarrowed = profile !== undefined && tools.some(({ isOutside }) => isOutside);
    return {
      server,
      iconPath: stateIcon(totals),
      label: rowText(server),
      description: joined(
        [
          countText(totals),
          isNarrowed && t('by the profile "{0}"', profile),
          forAppsText(forApps.get(server)),
          tokensText(totals.tokens),
        ],
        ' · ',
      ),
      buttons: [ALL, NONE],
    };
  };
  const toolRow = (tool: Row): ServerRow => {
    const isOffered = checked.has(tool) && !tool.isOutside;
    const { label, detail, description, server } = tool;
    return {
      server,
      tool,
      label,
      detail,
      iconPath: themeIcon(isOffered ? 'pass-filled' : 'circle-large-outline'),
      // Its server, so that typing the name of a server finds its tools too.
      description: joined([rowText(server), isOffered ? t('offered') : t('not offered'), description], ' · '),
    };
  };
  const show = (active: ServerRow | undefined) => {
    const shown = [...servers].flatMap(one => [serverRow(one), ...(picker.value === '' ? [] : one[1].map(toolRow))]);
    picker.items = shown;
    const again = shown.find(({ server, tool }) => server === active?.server && tool === active?.tool);
    if (again) picker.activeItems = [again];
    const { offered, all, tokens } = checked.totals(rows);
    picker.title = t('Tools for @mcp: {0} of {1} offered, about {2} tokens', offered, all, numberText(tokens));
  };
  const turn = async (row: ServerRow, tools: readonly Row[], isOn: boolean) => {
    checked.take(tools, new Set(isOn ? tools : []));
    show(row);
    await list.keep();
  };
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.ignoreFocusOut = true;
  picker.keepScrollPosition = true;
  picker.placeholder = joined(
    [
      profile !== undefined && t('The profile "{0}" narrows what is offered', profile),
      t('Select a server, or type to find a tool. Other chats have their own list'),
    ],
    ' · ',
  );
  picker.buttons = [SAVE];
  show(last === undefined ? undefined : { label: rowText(last), server: last });
  return answerIn<string>(picker, end => {
    picker.onDidChangeValue(() => show(undefined));
    picker.onDidTriggerButton(() => void saveAsProfile(rows, checked));
    picker.onDidTriggerItemButton(
      ({ item, button }) => void turn(item, servers.get(item.server) ?? [], button === ALL),
    );
    picker.onDidAccept(() => {
      const [row] = picker.activeItems;
      if (row?.tool) void turn(row, [row.tool], !checked.has(row.tool));
      else end(row?.server);
    });
  });
}

/** Shows the tools of one server. @returns whether to go back to the servers; undefined: the person gave up. */
function chooseTools(
  { rows, checked, forApps, keep }: ToolList,
  server: string,
  isAlone: boolean,
): Promise<true | undefined> {
  const picker = window.createQuickPick<Row>();
  const tools = rows.filter(row => row.server === server);
  const title = () => {
    const { offered, all, tokens } = checked.totals(tools);
    picker.title = t(
      'Tools of {0} for @mcp: {1} of {2} offered, about {3} tokens',
      rowText(server),
      offered,
      all,
      numberText(tokens),
    );
  };
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.ignoreFocusOut = true;
  picker.placeholder = joined(
    [t('Select the tools to offer in this workspace'), forAppsText(forApps.get(server))],
    ' · ',
  );
  picker.buttons = isAlone ? [SAVE] : [vscode.QuickInputButtons.Back, SAVE];
  picker.items = tools;
  picker.selectedItems = tools.filter(row => checked.has(row));
  title();
  const before = new Set(picker.selectedItems);
  return answerIn<true>(picker, end => {
    picker.onDidChangeSelection(selected => {
      checked.take(tools, new Set(selected));
      title();
    });
    picker.onDidTriggerButton(button => {
      if (button === SAVE) return void saveAsProfile(rows, checked);
      checked.take(tools, before);
      end(true);
    });
    picker.onDidAccept(async () => {
      await keep();
      end(true);
    });
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
