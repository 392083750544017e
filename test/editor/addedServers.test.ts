import * as assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Configuration } from '../../src/features/settings/configuration';
import { SettingsFiles } from '../../src/features/settings/settingsFiles';
import { type AddServices, addServer } from '../../src/features/setup/addServer';
import { readPasted } from '../../src/features/setup/core/hostDialects';
import { addPasted } from '../../src/features/setup/importServers';
import { ProjectFiles } from '../../src/features/setup/projectFiles';
import { SettingsWriter } from '../../src/features/setup/settingsWriter';
import { startHttpServer, waitFor } from '../servers/spawn';
import { programPorts } from '../setup/itsServer';
import { api, configure, eventually, fixture, setting } from './window';

const { Global, Workspace } = vscode.ConfigurationTarget;
const WINDOW = ['showQuickPick', 'showInputBox', 'showInformationMessage', 'showWarningMessage'] as const;

interface AskedMessage {
  readonly text: string;
  readonly detail: string | undefined;
  readonly buttons: readonly string[];
}

describe('a server that was added', () => {
  const originals = Object.fromEntries(WINDOW.map(name => [name, vscode.window[name]]));
  let configuration: Configuration;
  let writer: SettingsWriter;
  /** What was asked and said, in order. */
  let messages: AskedMessage[];
  /** The buttons that the person presses, each once. Others are closed. */
  let presses: string[];
  let revealed: string[];
  let takenBack: unknown[];

  before(async () => {
    const { trust } = await api();
    configuration = new Configuration(join(tmpdir(), 'folders'));
    writer = new SettingsWriter(configuration, new SettingsFiles(vscode.Uri.file('/nowhere')), trust);
  });
  after(() => configuration.dispose());
  beforeEach(() => {
    [messages, presses, revealed, takenBack] = [[], [], [], []];
    const show = async (text: string, first?: vscode.MessageOptions | string, ...rest: string[]) => {
      const buttons = typeof first === 'string' ? [first, ...rest] : rest;
      messages.push({ text, detail: Object(first).detail, buttons });
      const pressed = presses.find(button => buttons.includes(button));
      presses = presses.filter(button => button !== pressed);
      return pressed;
    };
    Object.assign(vscode.window, {
      showInformationMessage: show,
      showWarningMessage: show,
      showInputBox: async () => 'asked-for',
      showQuickPick: async (rows: readonly vscode.QuickPickItem[], { canPickMany }: vscode.QuickPickOptions) => {
        if (canPickMany) return rows.filter(({ picked }) => picked);
        const inProject = rows.find(({ label }) => label === '.mcp.json');
        const save = rows.find(({ label }) => label === 'Save to');
        return inProject ?? (save?.description === '.mcp.json' ? rows[0] : save);
      },
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, originals);
    const { inputs } = (await api()).trust();
    await inputs.forget(new Set(inputs.saved.map(({ key }) => key)));
    for (const target of [Global, Workspace]) {
      await configure(undefined, target);
      await setting('inputs', undefined, target);
    }
  });

  const services = async (): Promise<AddServices> => {
    const { trust, servers } = await api();
    return {
      writer,
      commands: () => trust().inputCommands,
      ports: { ...programPorts, shellPath: async () => process.env.PATH },
      version: '1.0.0',
      reveal: async id => {
        revealed.push(id);
        return waitFor(async () => servers.get(id), { what: `the server ${id}` });
      },
      takenBack: async (...of) => void takenBack.push(of),
    };
  };
  const add = async (text: string) => addServer(await services(), async () => readPasted(text)[0]);
  const written = () => vscode.workspace.getConfiguration('mcpHost').inspect<object>('servers')?.globalValue;
  const WITH_SECRET = '{"servers":{"mine":{"command":"no-such-program","env":{"API_TOKEN":"hunter2"}}}}';

  it('is shown, and taken back with its inputs and their values', async () => {
    presses = ['Add without Testing', 'Undo'];
    assert.equal(await add(WITH_SECRET), true);
    assert.deepEqual([revealed, messages.at(-1)?.buttons], [['mine'], ['Show', 'Undo']]);
    const { inputs } = (await api()).trust();
    await eventually(async () => {
      const settings = vscode.workspace.getConfiguration('mcpHost');
      assert.deepEqual([written(), settings.inspect('inputs')?.globalValue, inputs.saved], [undefined, undefined, []]);
      assert.deepEqual(takenBack.length, 1);
    });
  });

  it('is taken back alone, beside a server that was there before', async () => {
    await configure({ other: { command: 'no-such-program', start: 'never' } }, Global);
    presses = ['Add without Testing', 'Undo'];
    await add('{"servers":{"mine":{"command":"no-such-program"}}}');
    await eventually(async () => assert.deepEqual(Object.keys(written() ?? {}), ['other']));
  });

  it('is shown once more on request', async () => {
    presses = ['Add without Testing', 'Show'];
    await add('{"servers":{"mine":{"command":"no-such-program"}}}');
    await eventually(async () => assert.deepEqual(revealed, ['mine', 'mine']));
    assert.deepEqual(Object.keys(written() ?? {}), ['mine']);
  });

  it('is taken back with the .mcp.json that was made for it', async () => {
    const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, '.mcp.json');
    const following = new ProjectFiles(files => configuration.useProjects(files));
    const isThere = () => vscode.workspace.fs.stat(file).then(Boolean, () => false);
    try {
      presses = ['Change…', 'Add without Testing', 'Undo'];
      assert.equal(await add('{"servers":{"shared":{"command":"no-such-program"}}}'), true);
      assert.match(messages.at(-1)?.text ?? '', /"shared" was added to your \.mcp\.json/);
      await eventually(async () => assert.equal(await isThere(), false));
    } finally {
      following.dispose();
      if (await isThere()) await vscode.workspace.fs.delete(file);
    }
  });

  it('that requires a sign-in is added and signed in to with one button, of three at most', async () => {
    const server = await startHttpServer('protected');
    const auth = (await api()).auth();
    let asked = 0;
    // The question before the browser opens is declined.
    auth.browser = { consent: async () => asked++ < 0, open: async () => assert.fail('nothing is opened') };
    try {
      presses = ['Test and Add'];
      assert.equal(await add(JSON.stringify({ guarded: { url: server.url('/mcp') } })), false);
      assert.match(messages.at(-1)?.text ?? '', /"guarded" requires you to sign in/);
      const { buttons } = messages.at(-1)!;
      assert.equal(buttons[0], 'Add and Sign In');
      assert.ok(buttons.length <= 3 && buttons.includes('Edit'), buttons.join());
      presses = ['Test and Add', 'Add and Sign In'];
      assert.equal(await add(JSON.stringify({ guarded: { url: server.url('/mcp') } })), true);
      assert.deepEqual(Object.keys(written() ?? {}), ['guarded']);
      assert.equal(asked, 1);
    } finally {
      delete auth.browser;
      await configure(undefined, Global);
      await server.stop();
    }
  });

  const echo = fixture('hostile');
  it('with others from one text is tested with them, and those that respond can be added alone', async () => {
    const text = JSON.stringify({ servers: { good: echo, bad: { command: 'no-such-program' } } });
    presses = ['Test and Add', 'Add the Others'];
    await addPasted(await services(), readPasted(text));
    const [, failure, notice] = messages;
    assert.equal(failure?.text, '1 of 2 servers could not be reached.');
    assert.match(failure?.detail ?? '', /^"bad": .*no-such-program.*\n"good" responded and offers \d+ tools/);
    assert.deepEqual(failure?.buttons, ['Try Again', 'Add the Others', 'Add Anyway']);
    assert.match(notice?.text ?? '', /^"good" was added to your user settings\.$/);
    assert.deepEqual([Object.keys(written() ?? {}), revealed, notice?.buttons], [['good'], ['good'], ['Show', 'Undo']]);
  });

  it('with others from one text is taken back with them', async () => {
    const text = JSON.stringify({ servers: { one: echo, two: { ...echo, env: { API_TOKEN: 'hunter2' } } } });
    presses = ['Test and Add', 'Undo'];
    await addPasted(await services(), readPasted(text));
    assert.equal(messages.length, 2);
    assert.match(
      messages[1]!.text,
      /^2 MCP servers were added to your user settings\. "one" responded and offers .*\. "two" responded/,
    );
    await eventually(async () => assert.equal(written(), undefined));
  });
});
