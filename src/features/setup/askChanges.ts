import { isSecretName } from '../../base/secretWords';
import { plain, rowText } from '../../base/text';
import { localized } from '../../editor/errorText';
import { themeIcon } from '../../editor/stateText';
import { type PlainRow, t, window } from '../../editor/window';
import { powerOf } from '../../host/launch';
import { parseServers } from '../../host/settings';
import type { DraftEntry } from './core/serverDraft';
import { hasWorkspace, SCOPES, type SettingsWriter, scopeName, type TargetScope } from './settingsWriter';

/** What a person may change of a server that is reviewed. */
export interface Changes {
  readonly name: string;
  readonly scope: TargetScope;
  /** Environment variables of a program, or headers for an address. */
  readonly pairs: Map<string, string>;
}

interface Row extends PlainRow {
  /** Undefined: the person cancelled this change. */
  readonly change?: () => Promise<Partial<Changes> | undefined> | Partial<Changes>;
}

/** Asks for changes of a server's name, target, variables and headers until the person continues. Pairs are changed in place. */
export async function askChanges(entry: DraftEntry, before: Changes, writer: SettingsWriter): Promise<Changes> {
  let changes = before;
  for (;;) {
    const title = t('Add MCP Server');
    const options = { title, placeHolder: t('What do you want to change?'), ignoreFocusOut: true };
    const row = await window.showQuickPick<Row>(rowsOf(entry, changes, writer), options);
    if (!row?.change) return changes;
    changes = { ...changes, ...(await row.change()) };
  }
}

function rowsOf(entry: DraftEntry, { name, scope, pairs }: Changes, writer: SettingsWriter): Row[] {
  const isProgram = entry.command !== undefined;
  const pair = (key?: string) => askPair(isProgram, pairs, key);
  const target: Row = {
    iconPath: themeIcon('save'),
    label: t('Save to'),
    description: rowText(scopeName(scope)),
    detail: scopeDetail(scope),
    change: () => askTarget(scope, writer),
  };
  return [
    { iconPath: themeIcon('check'), label: t('Continue') },
    {
      iconPath: themeIcon('edit'),
      label: t('Name'),
      description: rowText(name, 100),
      change: () => askName(name, writer),
    },
    ...(hasWorkspace() ? [target] : []),
    ...[...pairs].map(([key, value]) => ({
      iconPath: themeIcon('symbol-variable'),
      label: rowText(key, 100),
      description: shown(key, value),
      change: () => pair(key),
    })),
    {
      iconPath: themeIcon('add'),
      label: isProgram ? t('Add an Environment Variable…') : t('Add a Header…'),
      change: () => pair(),
    },
  ];
}

/** Who has what is written there. */
const scopeDetail = (scope: TargetScope) =>
  ({
    user: t('Available in all windows'),
    project: t('For everyone who shares this folder, also in other hosts. Secrets are variables in it'),
    workspace: t('In this workspace only, for everyone who shares this folder'),
  })[scope];

async function askTarget(before: TargetScope, writer: SettingsWriter): Promise<Partial<Changes> | undefined> {
  const rows = SCOPES.filter(scope => writer.has(scope)).map(scope => ({
    label: rowText(scopeName(scope)),
    detail: scopeDetail(scope),
    scope,
    ...(scope === before && { iconPath: themeIcon('check') }),
  }));
  const options = { title: t('Add MCP Server'), placeHolder: t('Save to'), ignoreFocusOut: true };
  const row = await window.showQuickPick(rows, options);
  return row && { scope: row.scope };
}

async function askName(before: string, writer: SettingsWriter): Promise<Partial<Changes> | undefined> {
  const name = await window.showInputBox({
    title: t('Add MCP Server'),
    prompt: t('Name of the server. It is shown wherever the server is, and its slash commands start with it.'),
    value: before,
    ignoreFocusOut: true,
    validateInput: value => {
      const [parsed] = parseServers({ [value.trim()]: { command: 'x' } }).servers;
      const wrong = parsed?.problems.find(({ severity }) => severity === 'error');
      if (wrong) return localized(wrong.message);
      const taken = SCOPES.find(scope => Object.hasOwn(writer.existing(scope).servers, value.trim()));
      return taken && t('Your {0} already contain a server with this name. Choose another name.', scopeName(taken));
    },
  });
  return name === undefined ? undefined : { name: name.trim() };
}

/** @param key of the pair to change; else one is added. */
async function askPair(isProgram: boolean, pairs: Map<string, string>, key?: string): Promise<undefined> {
  const pattern = isProgram ? /^\s*([^=\s]+)=(.*)/s : /^\s*([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*)/s;
  const separator = isProgram ? '=' : ': ';
  const answer = await window.showInputBox({
    title: t('Add MCP Server'),
    prompt: isProgram
      ? t(
          'Enter NAME=value. If its name or value looks like a secret, the value is kept in secret storage, not in settings.',
        )
      : t(
          'Enter Name: value. If its name or value looks like a secret, the value is kept in secret storage, not in settings.',
        ),
    placeHolder:
      key !== undefined ? t('Press Enter to remove it') : plain(isProgram ? 'API_KEY=…' : 'Authorization: Bearer …'),
    ...(key !== undefined && { value: `${key}${separator}${pairs.get(key) ?? ''}` }),
    ignoreFocusOut: true,
    validateInput: value => {
      if (value === '' || pattern.test(value)) return undefined;
      return isProgram ? t('Enter it as NAME=value.') : t('Enter it as Name: value.');
    },
  });
  if (answer === undefined) return;
  const [, name, value = ''] = pattern.exec(answer) ?? [];
  // What is emptied is removed.
  if (key !== undefined && name !== key) pairs.delete(key);
  if (name !== undefined) pairs.set(name, value.trim());
}

/** A value that may be secret is not shown again. */
const shown = (name: string, value: string) =>
  isSecretName(name) && !powerOf(name) && !value.includes('${') ? plain('•••') : rowText(value, 80);
