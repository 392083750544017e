import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { OWN_SETTINGS } from '../../src/editor/ownSettings';
import { editorVersions, minorOf } from '../setup/editorVersions';
import { inRepository } from '../setup/paths';

const read = (file: string) => readFileSync(inRepository(file), 'utf8');
const manifest = JSON.parse(read('package.json'));
const nls = JSON.parse(read('package.nls.json')) as Record<string, string>;
const ours = (manifest.contributes.commands as { command: string }[]).map(({ command }) => command);
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** Commands of ours that a text links to. */
function linkedCommands(text: string): string[] {
  return [...text.matchAll(/command:(mcpHost\.\w+)(?![\w.])/g)].map(([, id]) => id!);
}

describe('package.json', () => {
  const { commands, menus, views, viewsContainers } = manifest.contributes;

  it('gives every command a title and the category', () => {
    for (const { command, title, category } of commands) {
      assert.equal(category, 'MCP Host', command);
      assert.ok(nls[title.slice(1, -1)], `${command} has no title in package.nls.json`);
    }
  });

  it('uses only existing commands in menus, welcome views and links', () => {
    const used = (Object.values(menus) as Entry[][]).flat().flatMap(({ command }) => command ?? []);
    for (const id of [...used, ...Object.values(nls).flatMap(linkedCommands)]) assert.ok(ours.includes(id), id);
  });

  it('has a text for every %key%, and no unused text', () => {
    const used = [...read('package.json').matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key!);
    assert.deepEqual(sorted(used), sorted(Object.keys(nls)));
  });

  it('names only existing files', () => {
    const icons = [...Object.values(viewsContainers), ...Object.values(views)].flat() as { icon: string }[];
    for (const file of [manifest.icon, ...icons.map(({ icon }) => icon)])
      assert.ok(existsSync(inRepository(file)), file);
  });

  it('requires no newer editor than its API version, and no proposed API', () => {
    assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  it('requires the oldest editor that the tests run in', () => {
    assert.equal(manifest.engines.vscode, `^${minorOf(editorVersions[0]!.version)}.0`);
  });

  it('restricts every setting in untrusted workspaces, except user-only and purely visual ones @contributions.restricts-setting', () => {
    const harmless = [
      'codeLens',
      // Workspaces can only add marks, which ask more.
      'flowMarks',
    ].map(name => `mcpHost.${name}`);
    const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    const settings = new Map<string, { scope?: string }>(
      [manifest.contributes.configuration].flat().flatMap(({ properties }) => Object.entries(properties)),
    );
    assert.ok(settings.size > 25);
    const others = [...settings].filter(([, { scope }]) => scope !== 'application' && scope !== 'machine');
    assert.deepEqual(
      others.map(([name]) => name).filter(name => !harmless.includes(name) && !restricted.includes(name)),
      [],
      'application scoped, restricted, or named here as harmless',
    );
    const own = [...settings].filter(([, { scope }]) => scope === 'application').map(([name]) => name);
    assert.deepEqual(own.sort(), [...OWN_SETTINGS].map(name => `mcpHost.${name}`).sort(), 'read from there alone');
    // Names of earlier releases still count.
    const former = ['limits.messageMegabytes', 'limits.requestsInFlight'].map(name => `mcpHost.${name}`);
    assert.deepEqual(
      [...restricted.filter(name => !former.includes(name)), ...harmless].filter(name =>
        others.every(([other]) => other !== name),
      ),
      [],
      'names of settings that a workspace could have',
    );
    for (const name of ['servers', 'inputs', 'profiles', 'start'])
      assert.ok(restricted.includes(`mcpHost.${name}`), name);
  });

  interface Entry {
    readonly command?: string;
    readonly submenu?: string;
    readonly when: string;
    readonly group: string;
  }

  /** Entries of a menu for a row of the Servers view with this context value. The rest of each condition is left out. */
  const entries = (contextValue: string, menu = 'view/item/context') =>
    (menus[menu] as Entry[]).filter(({ when }) => {
      const [, pattern] =
        /^view == mcpHost\.servers && viewItem =~ \/(.*)\/(?: && (?:isWorkspaceTrusted|!mcpHost\.inBrowser))*$/.exec(
          when,
        ) ?? [];
      return pattern !== undefined && new RegExp(pattern).test(contextValue);
    });

  /** Commands in the menu of a row and in its submenus. */
  const offered = (contextValue: string): string[] =>
    entries(contextValue)
      .flatMap(entry => (entry.submenu ? entries(contextValue, entry.submenu) : [entry]))
      .map(({ command = '' }) => command.replace('mcpHost.', ''));

  it("offers what a server's state calls for, whatever else its context contains", () => {
    for (const [state, command] of [
      ['needsInput', 'enterInputs'],
      ['needsTrust', 'reviewServer'],
      ['needsAuth', 'signIn'],
      ['failed', 'startServer'],
      ['ready', 'stopServer'],
    ] as const) {
      for (const more of [
        '',
        '.changes',
        '.signedIn',
        '.changes.signedIn',
        '.code',
        '.code.package.changes.signedIn',
      ]) {
        const row = `server.${state}${more}`;
        assert.ok(offered(row).includes(command), `${row} has ${offered(row)}`);
        assert.equal(offered(row).includes('reviewChanges'), more.includes('changes'), row);
        assert.equal(offered(row).includes('signOut'), more.includes('signedIn'), row);
        assert.equal(offered(row).includes('debugServer'), more.includes('code'), row);
        assert.equal(offered(row).includes('pinVersion'), more.includes('package'), row);
      }
    }
  });

  it('gives no row of a server more than seven entries and two icons', () => {
    const states = [
      'stopped',
      'starting',
      'ready',
      'reconnecting',
      'failed',
      'refused',
      'needsTrust',
      'needsInput',
      'needsAuth',
    ];
    for (const state of states) {
      for (const more of ['', '.disabled', '.code', '.changes', '.code.bundle.changes.signedIn']) {
        const all = entries(`server.${state}${more}`);
        const inline = all.filter(({ group }) => group.startsWith('inline'));
        assert.ok(inline.length <= 2, `${state}${more} has ${inline.map(({ command }) => command)}`);
        const others = all.filter(entry => !inline.includes(entry)).map(({ command, submenu }) => command ?? submenu);
        assert.ok(others.length <= 7, `${state}${more} has ${others}`);
      }
    }
  });

  it('offers the rules and a request, and no start, where an organization refuses a server', () => {
    const row = offered('server.refused.code');
    for (const command of ['showOrganizationRules', 'requestApproval']) assert.ok(row.includes(command), command);
    for (const command of ['startServer', 'restartServer', 'debugServer']) assert.ok(!row.includes(command), command);
  });

  it('offers to enable disabled servers, and to disable all others', () => {
    for (const row of [
      'server.stopped.disabled',
      'server.stopped.disabled.changes',
      'server.stopped.disabled.signedIn',
      'server.stopped.disabled.code.changes',
    ]) {
      assert.ok(offered(row).includes('enableServer') && !offered(row).includes('disableServer'), row);
    }
    for (const row of ['server.stopped', 'server.ready.signedIn', 'server.failed.changes']) {
      assert.ok(!offered(row).includes('enableServer') && offered(row).includes('disableServer'), row);
    }
  });

  it('has at most 45 commands in the palette', () => {
    const hidden = (menus.commandPalette as { command: string; when: string }[]).filter(({ when }) => when === 'false');
    const shown = new Set<string>(commands.map(({ command }: { command: string }) => command));
    for (const { command } of hidden) shown.delete(command);
    assert.ok(shown.size <= 45, `${shown.size}: ${[...shown].join(', ')}`);
  });

  it('binds keys only in the Servers view, with the focused row, in our own editors, and for a question in chat', () => {
    const { keybindings } = manifest.contributes as {
      keybindings: { command: string; key: string; when: string; args?: string }[];
    };
    for (const { command, key, when, args } of keybindings) {
      assert.ok(ours.includes(command), command);
      if (when.startsWith('editorTextFocus')) {
        assert.match(when, /^editorTextFocus && resourceScheme =~ \/\^mcp-/, key);
        continue;
      }
      // Only in the input of a chat with a participant whose answer is in progress, where the editor asks nothing itself.
      if (command === 'mcpHost.allowCall') {
        const inChat = 'inChatInput && chatInputHasAgent && chatSessionRequestInProgress';
        const editorsOwn = ['chatHasToolConfirmation', 'chatHasElicitationRequest', 'hasUndecidedChatEditingResource'];
        assert.equal(when, `mcpHost.callTakesKey && ${inChat} && ${editorsOwn.map(own => `!${own}`).join(' && ')}`);
        continue;
      }
      assert.match(when, /^focusedView == mcpHost\.servers && .*!inputFocus/, key);
      assert.equal(args, 'focused', command);
    }
    assert.equal(new Set(keybindings.map(({ key }) => key)).size, keybindings.length);
  });
});
