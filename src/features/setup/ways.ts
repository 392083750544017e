import vscode = require('vscode');

import { rowText } from '../../editor/rowText';
import { t } from '../../editor/window';
import type { ServerDraft } from './core/draft';
import { addressDraft, commandDraft, npmDraft, pythonDraft } from './core/packages';
import { readPasted } from './core/readText';
import { askText, BACK, pickOne, runSteps, type StepEnd } from './wizard';

/** Asks what is run or reached, and reports it with `take`. */
export type Way = (title: string, take: (draft: ServerDraft) => void) => Promise<StepEnd>;

const filled = (value: string) => (value.trim() === '' ? t('Enter a value, or press Escape to cancel.') : undefined);

/** One line of text that defines a server. It is kept in case the person comes back. */
function line(prompt: string, placeholder: string, make: (text: string) => ServerDraft, problem = filled): Way {
  let typed = '';
  return async (title, take) => {
    const answer = await askText({ title, prompt, placeholder, value: typed, canGoBack: true, problem });
    if (answer === BACK) return 'back';
    if (answer === undefined) return undefined;
    typed = answer;
    take(make(answer));
    return 'next';
  };
}

export const byCommand = (): Way =>
  line(
    t('The command line that starts the server. Quotes work as in a shell.'),
    'npx -y @scope/server --option',
    commandDraft,
  );

export const byAddress = (): Way =>
  line(t("Address of the server's MCP endpoint."), 'https://example.com/mcp', addressDraft, value =>
    /^https?:\/\/./i.test(value.trim()) && URL.canParse(value.trim())
      ? undefined
      : t('Enter an address that starts with https:// or http://.'),
  );

export function byNpm(): Way {
  return byPackage(
    t('Name of the npm package, with or without a version. It is run by npx.'),
    '@scope/server@1.2.3',
    npmDraft,
  );
}

export function byPython(): Way {
  return byPackage(
    t('Name of the Python package, with or without a version. It is run by uvx.'),
    'mcp-server-time@1.2.3',
    pythonDraft,
  );
}

/** A package, then its arguments. */
function byPackage(prompt: string, placeholder: string, make: (specifier: string, args: string) => ServerDraft): Way {
  let [specifier, args] = ['', ''];
  const problem = (value: string) =>
    filled(value) ??
    (/^\s*[^\s-]\S*\s*$/.test(value) ? undefined : t('Enter only the name. You can add arguments next.'));
  return (title, take) =>
    runSteps(
      [
        async () => {
          const answer = await askText({ title, prompt, placeholder, value: specifier, canGoBack: true, problem });
          if (answer === BACK) return 'back';
          specifier = answer ?? '';
          return answer === undefined ? undefined : 'next';
        },
        async () => {
          const answer = await askText({
            title,
            prompt: t('Arguments for the server, if it needs any. Quotes work as in a shell.'),
            placeholder: t('Press Enter to add none'),
            value: args,
            canGoBack: true,
          });
          if (answer === BACK) return 'back';
          if (answer === undefined) return undefined;
          args = answer;
          take(make(specifier, args));
          return 'next';
        },
      ],
      true,
    );
}

/**
 * Servers in a text in the format of any host, from the clipboard or typed in.
 * @param several is called with the servers if there is more than one, and ends this way of adding them.
 */
export function byJson(several: (drafts: ServerDraft[]) => Promise<void>): Way {
  return async (title, take) => {
    const drafts = await askForJson(title);
    if (drafts === BACK) return 'back';
    if (!drafts) return undefined;
    if (drafts.length === 1) {
      take(drafts[0]!);
      return 'next';
    }
    await several(drafts);
    return undefined;
  };
}

async function askForJson(title: string): Promise<ServerDraft[] | typeof BACK | undefined> {
  for (;;) {
    const copied = readPasted(await vscode.env.clipboard.readText());
    if (copied.length > 0) {
      const names = copied.map(({ name }) => name).join(', ');
      const items = [
        {
          iconPath: new vscode.ThemeIcon('clippy'),
          label: t('From the Clipboard'),
          description: rowText(names, 100),
          isCopied: true,
        },
        { iconPath: new vscode.ThemeIcon('edit'), label: t('Paste Other Text…'), isCopied: false },
      ];
      const placeholder = t('Select servers');
      const picked = await pickOne({ title, placeholder, items, canGoBack: true });
      if (picked === BACK || !picked) return picked;
      if (picked.isCopied) return copied;
    }
    const answer = await askText({
      title,
      prompt: t(
        'Paste JSON from a README or from another host: VS Code, Claude, Cursor, Windsurf, Zed, Cline, Continue.',
      ),
      placeholder: '{ "mcpServers": { … } }',
      canGoBack: true,
      problem: text =>
        readPasted(text).length > 0 ? undefined : t('No MCP server in a known format was found in this text.'),
    });
    if (answer === BACK && copied.length > 0) continue;
    return answer === BACK || answer === undefined ? answer : readPasted(answer);
  }
}
