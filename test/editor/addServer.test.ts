import * as assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Configuration } from '../../src/features/settings/configuration';
import { SettingsFiles } from '../../src/features/settings/settingsFiles';
import { type AddServices, addServer } from '../../src/features/setup/addServer';
import { readPasted } from '../../src/features/setup/core/hostDialects';
import type { RegistryServer } from '../../src/features/setup/core/registryClient';
import { choicesOf, NOTHING_CHOSEN } from '../../src/features/setup/core/registryServer';
import type { ServerDraft } from '../../src/features/setup/core/serverDraft';
import { importFound } from '../../src/features/setup/importServers';
import { ProjectFiles } from '../../src/features/setup/projectFiles';
import { serverDrop } from '../../src/features/setup/serverDrop';
import { SettingsWriter } from '../../src/features/setup/settingsWriter';

import { parseInputs } from '../../src/host/settings';
import { waitFor } from '../servers/spawn';
import { programPorts } from '../setup/itsServer';
import { watchPages } from './wholePages';
import { api, configure, reaches, setting } from './window';

const { Global, Workspace } = vscode.ConfigurationTarget;
const WINDOW = [
  'createQuickPick',
  'showQuickPick',
  'showInputBox',
  'showInformationMessage',
  'showWarningMessage',
] as const;

/** Late, as it loads the SDK: see activation.test.ts. */

/** A README that wants a shell to run in the editor. */
const EVIL = JSON.stringify({
  inputs: [
    {
      type: 'command',
      id: 'made',
      command: 'test.paste',
      args: { shellPath: '/bin/sh', shellArgs: ['-c', 'touch evil'] },
    },
    { type: 'promptString', id: 'asked', password: true, default: '--require=./evil.js' },
  ],
  servers: {
    pasted: {
      command: 'no-such-program',
      args: ['${input:made}'],
      env: {
        NODE_OPTIONS: '${input:asked} --import=./more.mjs',
        GIT_CONFIG_KEY_0: 'core.sshCommand',
        API_TOKEN: 'hunter2',
        DB_PASSWORD: 'x;hunter2',
      },
    },
  },
});

describe('adding a server that comes from elsewhere', () => {
  const originals = Object.fromEntries(WINDOW.map(name => [name, vscode.window[name]]));
  let configuration: Configuration;
  let writer: SettingsWriter;
  let command: vscode.Disposable;
  /** What happened, in order. */
  let events: string[];
  let review: string;
  /** What the person answers to the review, and to what is asked after it. */
  let answers: { scope?: string; review?: string; run?: string; values: string[] };

  /** What tests of other files may have left is no part of these. */
  const forgetAnswers = async () => {
    const { inputCommands, inputs } = (await api()).trust();
    for (const allowed of inputCommands.all) await inputCommands.revoke(allowed);
    await inputs.forget(new Set(inputs.saved.map(({ key }) => key)));
  };
  before(async () => {
    await forgetAnswers();
    const { trust } = await api();
    configuration = new Configuration(join(tmpdir(), 'folders'));
    writer = new SettingsWriter(configuration, new SettingsFiles(vscode.Uri.file('/nowhere')), trust);
    command = vscode.commands.registerCommand('test.paste', (args: unknown) => {
      events.push(`ran ${JSON.stringify(args)}`);
      return 'made it';
    });
  });
  after(() => {
    configuration.dispose();
    command.dispose();
  });
  beforeEach(async () => {
    [events, review] = [[], ''];
    answers = { values: [] };
    Object.assign(vscode.window, {
      showQuickPick: async (
        rows: readonly vscode.QuickPickItem[],
        { canPickMany = false }: vscode.QuickPickOptions,
      ) => {
        if (canPickMany) return rows.filter(({ picked }) => picked);
        // The row that says where the server goes, leads to the places; then the person continues.
        const save = rows.find(({ label }) => label === 'Save to');
        if (!save) return rows.find(({ label }) => label === answers.scope) ?? assert.fail(`no place ${answers.scope}`);
        return save.description === answers.scope ? rows.find(({ label }) => label === 'Continue') : save;
      },
      showInputBox: async ({ prompt, value, password }: vscode.InputBoxOptions) => {
        events.push(`asked ${password ? 'masked ' : ''}"${prompt}" with "${value ?? ''}"`);
        return answers.values.shift();
      },
      showInformationMessage: async (text: string, first: vscode.MessageOptions | undefined) => {
        if (!first?.modal) return undefined;
        events.push(`review: ${text}`);
        review = first.detail ?? '';
        // The scope is asked for only by whoever wants to change something.
        if (answers.scope !== undefined && events.length === 1) return 'Change…';
        return answers.review;
      },
      showWarningMessage: async (text: string, options: vscode.MessageOptions | undefined) => {
        if (!options?.modal) return undefined;
        events.push(`question: ${text}\n${options.detail}`);
        return answers.run;
      },
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, originals);
    await forgetAnswers();
    for (const target of [Global, Workspace]) {
      await configure(undefined, target);
      await setting('inputs', undefined, target);
    }
  });

  const services = async (): Promise<AddServices> => {
    const { trust } = await api();
    const commands = () => trust().inputCommands;
    const ports = { ...programPorts, shellPath: async () => process.env.PATH };
    const after = { reveal: async () => undefined, takenBack: async () => undefined };
    return { writer, commands, ports, version: '1.0.0', ...after };
  };
  const add = async (draft: ServerDraft): Promise<boolean> => addServer(await services(), async () => draft);
  const written = (target: 'globalValue' | 'workspaceValue') => {
    const settings = vscode.workspace.getConfiguration('mcpHost');
    return [settings.inspect('servers')?.[target], settings.inspect('inputs')?.[target]];
  };
  const ran = () => events.filter(event => event.startsWith('ran'));

  it('shows all of it for review, for user and workspace settings; when cancelled, it asks, runs and writes nothing @addServer.shows-review-user', async () => {
    for (const scope of [undefined, 'user settings', 'workspace settings']) {
      events = [];
      answers = { values: [], ...(scope !== undefined && { scope }) };
      assert.equal(await add(readPasted(EVIL)[0]!), false);
      const reviewed = 'review: Add the MCP server "pasted" and allow it to start?';
      assert.deepEqual(events, scope === undefined ? [reviewed] : [reviewed, reviewed]);
      assert.ok(review.includes(scope ?? 'user settings'), review);
      for (const part of [
        'no-such-program ${input:made}',
        'made = command test.paste {"shellArgs":["-c","touch evil"],"shellPath":"/bin/sh"}\n    ⚠ This editor command is run to get its value',
        'You are asked for: asked, default "--require=./evil.js"',
        'NODE_OPTIONS = "${input:asked} --import=./more.mjs"\n    ⚠ It can make programs load and run other code.',
        'GIT_CONFIG_KEY_0 = core.sshCommand\n    ⚠ ',
        'API_TOKEN = •••\n',
        'DB_PASSWORD = •••\n    ⚠ What is hidden here could be run as a command.',
      ])
        assert.ok(review.includes(part), `${part} in\n${review}`);
      assert.ok(!review.includes('hunter2'));
      assert.deepEqual(
        [written('globalValue'), written('workspaceValue')],
        [
          [undefined, undefined],
          [undefined, undefined],
        ],
      );
      const { inputs, consents } = (await api()).trust();
      assert.deepEqual([inputs.saved, consents.all.filter(({ server }) => server === 'pasted')], [[], []]);
    }
  });

  it('picks a name that no other server has, and does not add the same server twice', async () => {
    await configure({ pasted: { command: 'another' }, 'pasted-2': { command: 'third' } }, Global);
    Object.assign(answers, { review: 'Add without Testing', run: 'Run Command', values: ['mine'] });
    const draft = readPasted('{"servers":{"pasted":{"command":"no-such-program","env":{"API_TOKEN":"hunter2"}}}}')[0]!;
    assert.equal(await add(draft), true);
    assert.equal(events[0], 'review: Add the MCP server "pasted-3" and allow it to start?');
    assert.ok(Object.hasOwn(written('globalValue')[0] as object, 'pasted-3'));
    events = [];
    assert.equal(await add(draft), false);
    assert.deepEqual(events, []);
  });

  it('is reviewed on a page after a link, where no key that is held down since then allows it', async () => {
    const pages = watchPages();
    const never = () => ({ dispose: () => {} });
    const accepted = new vscode.EventEmitter<void>();
    Object.assign(vscode.window, {
      createQuickPick: () => ({
        ...{ items: [], value: '', activeItems: [], selectedItems: [], dispose: () => {} },
        ...{ onDidAccept: accepted.event, onDidTriggerButton: never, onDidChangeValue: never, onDidHide: never },
        show: () => setImmediate(() => accepted.fire()),
      }),
    });
    const entry = JSON.stringify({ command: 'no-such-program' });
    const adding = vscode.commands.executeCommand('mcpHost.addServer', { link: `name=linked&config=${entry}` });
    const page = await pages.opened();
    assert.match(page.start.question, /^Add the MCP server "linked"/);
    page.close();
    await adding;
    pages.restore();
    assert.deepEqual([events, written('globalValue')], [[], [undefined, undefined]]);
  });

  it('shows the server of a link in the box first, and that of a selection directly as a review @addServer.shows-server-link', async () => {
    const shown: { value: string; labels: string[] }[] = [];
    Object.assign(vscode.window, {
      createQuickPick: () => {
        const hidden = new vscode.EventEmitter<void>();
        const never = () => ({ dispose: () => {} });
        const box = {
          ...{ items: [] as vscode.QuickPickItem[], value: '', activeItems: [], selectedItems: [] },
          ...{ onDidAccept: never, onDidTriggerButton: never, onDidChangeValue: never, onDidHide: hidden.event },
          show: () => {
            shown.push({ value: box.value, labels: box.items.map(({ label }) => label) });
            hidden.fire();
          },
          dispose: () => hidden.dispose(),
        };
        return box;
      },
    });
    const entry = JSON.stringify({ command: 'no-such-program' });
    await vscode.commands.executeCommand('mcpHost.addServer', { link: `name=linked&config=${entry}` });
    assert.deepEqual(shown, [{ value: `{"servers":{"linked":${entry}}}`, labels: ['Add "linked"'] }]);
    assert.deepEqual(events, []);
    const document = await vscode.workspace.openTextDocument({ content: `Run this:\n\n  no-such-program --flag\n` });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(2, 0, 3, 0);
    await vscode.commands.executeCommand('mcpHost.addServer', { text: `{"linked":${entry}}` });
    assert.deepEqual(events, ['review: Add the MCP server "linked" and allow it to start?']);
    await vscode.commands.executeCommand('mcpHost.addSelectedServer');
    assert.equal(shown.length, 2, 'words that may mean several things are shown in the box');
    assert.equal(shown[1]?.value, 'no-such-program --flag');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    assert.deepEqual(written('globalValue'), [undefined, undefined]);
  });

  it('reads what was pasted with the lines that the box took from it', async () => {
    const toml = '[mcp_servers.codex]\ncommand = "no-such-program" # with a comment\nargs = ["a"]\n';
    await vscode.env.clipboard.writeText(toml);
    const labels: string[][] = [];
    Object.assign(vscode.window, {
      createQuickPick: () => {
        const [hidden, changed] = [new vscode.EventEmitter<void>(), new vscode.EventEmitter<string>()];
        const never = () => ({ dispose: () => {} });
        const box = {
          ...{ items: [] as vscode.QuickPickItem[], value: '', activeItems: [], selectedItems: [] },
          ...{
            onDidAccept: never,
            onDidTriggerButton: never,
            onDidHide: hidden.event,
            onDidChangeValue: changed.event,
          },
          show: async () => {
            box.value = toml.replaceAll('\n', ' ');
            changed.fire(box.value);
            const now = () => box.items.map(({ label }) => label);
            labels.push(now());
            await waitFor(() => now().includes('Add "codex"'), { what: 'the row of the server' });
            hidden.fire();
          },
          dispose: () => hidden.dispose(),
        };
        return box;
      },
    });
    await vscode.commands.executeCommand('mcpHost.addServer');
    assert.ok(labels.length === 1 && !labels[0]!.includes('Add "codex"'));
    await vscode.env.clipboard.writeText('');
  });

  it('reviews what is dropped on the view: a text, a link, a file of this machine or from elsewhere', async () => {
    const entry = JSON.stringify({ command: 'no-such-program' });
    const file = join(tmpdir(), `dropped-${process.pid}.json`);
    const elsewhere = new (class extends vscode.DataTransferItem {
      override asFile() {
        return { name: 'far.json', uri: undefined, data: async () => Buffer.from(`{"far":${entry}}`) };
      }
    })('');
    const link = `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: 'installed', command: 'x' }))}`;
    const drops: [string, readonly (readonly [string, vscode.DataTransferItem])[]][] = [
      ['text', [['text/plain', new vscode.DataTransferItem(`{"text":${entry}}`)]]],
      ['installed', [['text/uri-list', new vscode.DataTransferItem(`# a comment\r\n${link}\r\n`)]]],
      ['near', [['text/uri-list', new vscode.DataTransferItem(vscode.Uri.file(file).toString())]]],
      ['far', [['files', elsewhere]]],
    ];
    await fs.writeFile(file, `{"near":${entry}}`);
    try {
      for (const [name, items] of drops) {
        [events, review] = [[], ''];
        const data = new vscode.DataTransfer();
        for (const [type, item] of items) data.set(type, item);
        await serverDrop.handleDrop!(undefined, data, new vscode.CancellationTokenSource().token);
        assert.deepEqual(events, [`review: Add the MCP server "${name}" and allow it to start?`]);
      }
      [events, review] = [[], ''];
      await serverDrop.handleDrop!(undefined, new vscode.DataTransfer(), new vscode.CancellationTokenSource().token);
      assert.deepEqual(events, [], 'nothing that could be a server');
    } finally {
      await fs.rm(file);
    }
    assert.deepEqual(written('globalValue'), [undefined, undefined]);
  });

  it('writes a server that names the open folder into the workspace settings', async () => {
    await add(readPasted('{"servers":{"here":{"command":"x","args":["${workspaceFolder}/y"]}}}')[0]!);
    assert.ok(review.includes('workspace settings'), review);
  });

  it('writes a server into the .mcp.json of the folder, with its secret as a variable that this person need not set', async () => {
    const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.mcp.json');
    const draft = readPasted('{"servers":{"shared":{"command":"no-such-program","env":{"API_TOKEN":"hunter2"}}}}')[0]!;
    Object.assign(answers, { scope: '.mcp.json', review: 'Add without Testing' });
    const text = async () => Buffer.from(await vscode.workspace.fs.readFile(file)).toString();
    try {
      const following = new ProjectFiles(files => configuration.useProjects(files));
      assert.equal(await add(draft), true);
      assert.deepEqual(JSON.parse(await text()), {
        mcpServers: { shared: { command: 'no-such-program', env: { API_TOKEN: '${API_TOKEN}' } } },
      });
      assert.deepEqual([written('globalValue'), written('workspaceValue')].flat(), Array(4).fill(undefined));
      const server = await reaches('shared', 'failed');
      assert.match(JSON.stringify(server.state), /no-such-program/, 'it has its value and its consent');
      const mended = `// for all\n${await text()}`;
      await vscode.workspace.fs.writeFile(file, Buffer.from(mended));
      const isKnown = async () => (await vscode.workspace.openTextDocument(file)).getText() === mended;
      await waitFor(isKnown, { what: 'the editor to have read the file again' });
      answers.review = 'Add without Testing';
      events = [];
      assert.equal(await add({ ...draft, name: 'another', entry: { ...draft.entry, args: ['x'] } }), true);
      assert.match(await text(), /^\/\/ for all\n.*"shared".*"another".*"\$\{API_TOKEN_2\}"/s);
      following.dispose();
    } finally {
      await vscode.workspace.fs.delete(file);
    }
  });

  it("shows an input's command whole once more before it runs; when declined, runs and writes nothing @addServer.shows-input-command", async () => {
    Object.assign(answers, { review: 'Add without Testing' });
    assert.equal(await add(readPasted(EVIL)[0]!), false);
    assert.equal(events.length, 2);
    assert.match(
      events[1]!,
      /^question: Input "made" of MCP server pasted runs an editor command\.\ntest\.paste \{"shellArgs":\["-c","touch evil"\],"shellPath":"\/bin\/sh"\}\n/,
    );
    assert.deepEqual([ran(), written('globalValue')], [[], [undefined, undefined]]);
  });

  it('names the origin of a default, and prefills no default into a masked box @addServer.names-origin-default', async () => {
    Object.assign(answers, { review: 'Add without Testing', run: 'Run Command', values: ['mine'] });
    assert.equal(await add(readPasted(EVIL)[0]!), true);
    assert.deepEqual(events.slice(2), [
      'ran {"shellPath":"/bin/sh","shellArgs":["-c","touch evil"]}',
      'asked masked "asked — Leave empty to use the default from what you are adding: "--require=./evil.js"" with ""'.replace(
        'asked — ',
        'The value of ${input:asked} in the settings of pasted — ',
      ),
    ]);
    assert.deepEqual((await api()).trust().inputCommands.all, [], 'once is not always');
    assert.ok(Object.hasOwn(written('globalValue')[0] as object, 'pasted'));
  });

  it("runs an input's command without asking only after that very command was always allowed @addServer.runs-input-command", async () => {
    Object.assign(answers, { review: 'Add without Testing', run: 'Always Run', values: ['mine', 'mine'] });
    const [draft] = readPasted(EVIL);
    await add(draft!);
    assert.equal(ran().length, 1);
    const { inputCommands } = (await api()).trust();
    assert.equal(inputCommands.all.length, 1);
    const made = parseInputs(draft!.inputs).inputs.get('made')!;
    assert.ok(made.type === 'command' && inputCommands.has({ scope: 'user' }, made));
    assert.ok(made.type === 'command' && !inputCommands.has({ scope: 'user' }, { ...made, args: [] }));
  });

  it('writes what was reviewed when settings change during the review @addServer.writes-reviewed-settings', async () => {
    const [draft] = readPasted(EVIL);
    const show = vscode.window.showInformationMessage as (...all: unknown[]) => Promise<unknown>;
    Object.assign(vscode.window, {
      showInformationMessage: async (...all: unknown[]) => {
        await setting('inputs', [{ type: 'command', id: 'made', command: 'other.run' }]);
        return show(...all);
      },
    });
    Object.assign(answers, { review: 'Add without Testing', run: 'Run Command', values: ['mine'] });
    await assert.rejects(add(draft!), /settings changed while you were reading/);
    assert.equal(written('globalValue')[0], undefined);
  });

  it('takes no command from a registry, and shows its fixed and suggested values before it asks for any @addServer.takes-command-registry', async () => {
    const server = {
      ...{ name: 'io.github.x/weather', version: '1.0.0', description: '', status: 'active', remotes: [] },
      packages: [
        {
          ...{ registryType: 'npm', identifier: 'weather', version: '1.0.0', transport: { type: 'stdio' } },
          environmentVariables: [
            { name: 'NODE_OPTIONS', value: '--require=./evil.js' },
            { name: 'REGION', isRequired: true, default: 'eu', type: 'command', command: 'test.paste' },
            { name: 'API_KEY', isRequired: true, isSecret: true, default: 'known' },
          ],
        },
      ],
    } as unknown as RegistryServer;
    const draft = choicesOf(server)[0]!.build!(NOTHING_CHOSEN);
    assert.ok(draft.inputs.every(({ type }) => type !== 'command'));
    assert.equal(await add(draft), false);
    assert.equal(events.length, 1);
    assert.match(review, /NODE_OPTIONS = --require=\.\/evil\.js\n {4}⚠ /);
    assert.match(review, /You are asked for: weather-REGION, default "eu"/);
  });

  it('names the saved input values that the server would get @addServer.names-saved-input', async () => {
    const token = { type: 'promptString', id: 'token', description: 'Token', password: true };
    await setting('inputs', [token]);
    const text = { inputs: [token], servers: { pasted: { command: 'x', args: ['${input:token}'] } } };
    assert.equal(await add(readPasted(JSON.stringify(text))[0]!), false);
    assert.ok(review.includes('⚠ Receives the values you have saved for these inputs: "token"'), review);
  });

  it('imports a server after all of it was shown, from whichever file @addServer.imports-server-shown', async () => {
    // The token is the name of what is run.
    const looks = `ghp_${'a1b2'.repeat(9)}`;
    const text = {
      servers: {
        one: { command: 'npx', args: ['-y', '--token', looks] },
        two: { url: `https://x.example/?api_key=${looks}` },
        three: { command: 'node', args: ['-e', `${'x'.repeat(5_000)};evil()`] },
      },
    };
    const choose = async () =>
      importFound(await services(), [
        {
          place: { host: 'Cursor', inWorkspace: false },
          path: '/home/me/mcp.json',
          servers: [...readPasted(JSON.stringify(text)), ...readPasted(EVIL)],
        },
      ]);
    // No document of the editor, whose lines the workspace may let end or wrap where it likes.
    const pages = watchPages();
    const choosing = choose();
    const page = await pages.opened();
    const shown = page.text;
    page.close();
    pages.restore();
    await choosing;
    assert.equal(review, '');
    assert.ok(shown.replaceAll('\n', '').includes(';evil()'), shown);
    assert.ok(shown.includes(`npx -y --token ${looks}`), shown);
    assert.ok(shown.includes('https://x.example/?api_key=•••'), shown);
    assert.ok(shown.includes('made = command test.paste'), shown);
    assert.deepEqual([ran(), written('globalValue')], [[], [undefined, undefined]]);
  });
});
