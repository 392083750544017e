import * as assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { TestRows } from '../../src/features/authors/testRows';
import { fixturePath, waitFor } from '../servers/spawn';
import { folder, forgetTestFiles, made, node, run, testFile } from './testFiles';
import { allow, api, closeEditors, configure, eventually, fixture, loads, reaches, setting } from './window';

describe('tests of servers', () => {
  const extension = vscode.extensions.getExtension('mcp-host.mcp-host')!;
  after(forgetTestFiles);

  /** What `mcptest.js` says of a file. */
  const headless = (...given: string[]) =>
    new Promise<string>(resolve => {
      const args = [path.join(extension.extensionPath, 'dist', 'mcptest.js'), ...given];
      const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
      execFile(process.execPath, args, { env }, (_error, stdout) => resolve(stdout));
    });

  /** A server that no other test starts like this. */
  const otherwise = (env: object) => {
    const entry = JSON.parse(node(fixturePath('hostile'))) as { env: object };
    return JSON.stringify({ ...entry, env: { ...entry.env, ...env } });
  };

  it('are read when their row is opened, not before @authors.read-row-opened', async () => {
    const { tests } = await api();
    const uri = vscode.Uri.joinPath(folder(), 'unread.mcptest.yaml');
    made.push(uri.fsPath);
    writeFileSync(uri.fsPath, 'server: x\ntests: [{ name: a, steps: [{ list: tools }] }]');
    await tests().find();
    const item = tests().items.get(uri.toString()) ?? assert.fail('it has no row');
    assert.deepEqual([item.children.size, item.canResolveChildren], [0, true]);
    await tests().resolve(item);
    assert.equal(item.children.size, 1);
  });

  it('are left out beyond a number, which the person is told once', async () => {
    const files = ['one', 'two', 'three'].map(name => path.join(folder().fsPath, `${name}-of-many.mcptest.yaml`));
    made.push(...files);
    for (const file of files) writeFileSync(file, 'server: x\ntests: [{ name: a, steps: [{ list: tools }] }]');
    const said: string[] = [];
    const controller = vscode.tests.createTestController('few', 'Few');
    const { showWarningMessage } = vscode.window;
    const rows = new TestRows(controller, () => {}, 2);
    vscode.window.showWarningMessage = async (text: string) => void said.push(text);
    try {
      await rows.find();
      await rows.find();
    } finally {
      vscode.window.showWarningMessage = showWarningMessage;
      rows.dispose();
      controller.dispose();
    }
    assert.deepEqual([controller.items.size, said.length], [2, 1]);
    assert.match(said[0]!, /^Only 2 test files of this workspace are shown\./);
  });

  it('come out as they do without an editor, after one question for each server', async () => {
    const beside = (file: string, ...server: string[]) => ({
      source: readFileSync(path.join(extension.extensionPath, file), 'utf8'),
      name: path.basename(file),
      server: path.join(extension.extensionPath, ...server),
    });
    for (const [{ source, name, server }, passes] of [
      [beside('src/demo/demo.mcptest.yaml', 'dist', 'demo-server.js'), 6],
      [beside('test/servers/changing.mcptest.yaml', 'out', 'servers', 'changing.js'), 2],
    ] as const) {
      const started = source.replace(/^server:\n(?: +.*\n)+/m, `server: ${node(server)}\n`);
      // As there, but for where the server is, and with a test that fails.
      const text = `${started}\n  - { name: fails, steps: [{ call: no such tool }] }\n`;
      const item = await testFile(name, text, passes + 1);
      const { counts, asked } = await run([item]);
      assert.equal(asked.length, 1, asked.join('\n'));
      assert.ok(asked[0]!.includes(path.basename(server)) && asked[0]!.includes(name), asked[0]);
      assert.deepEqual(counts, { passed: passes, failed: 1, skipped: 0 }, name);
      assert.match(await headless(item.uri!.fsPath), new RegExp(`\n${passes} passed, 1 failed, 0 skipped\n$`));
      const [one] = [...item.children].map(([, child]) => child);
      const again = await run([one!]);
      const isOne = { passed: 1, failed: 0, skipped: 0 };
      assert.deepEqual([again.asked, again.counts], [[], isOne], 'one test, allowed before');
    }
  });

  it('run with coverage mark what they used in the snapshot beside them, with the counts of `mcptest.js`', async () => {
    const server = path.join(extension.extensionPath, 'dist', 'demo-server.js');
    const steps = [
      { call: 'add_note', arguments: { name: 'plan', text: 'Ship it.' } },
      { read: 'notebook:///notes/plan' },
    ];
    const write = (...more: object[]) => {
      const tests = JSON.stringify([{ name: 'reads', steps: [...steps, ...more] }]);
      return testFile('covered.mcptest.yaml', `server: ${node(server)}\nemptyFolder: true\ntests: ${tests}`, 1);
    };
    const item = await write();
    await run([item]); // allowed
    const told: { uri: vscode.Uri; details: readonly vscode.FileCoverageDetail[]; coverage: vscode.FileCoverage }[] =
      [];
    const { fromDetails } = vscode.FileCoverage;
    const restore = () => Object.assign(vscode.FileCoverage, { fromDetails });
    vscode.FileCoverage.fromDetails = (uri, details) => {
      const coverage = fromDetails(uri, details);
      told.push({ uri, details, coverage });
      return coverage;
    };
    /** Runs as the button of the Test Explorer does. @returns how much of which file is covered. */
    const cover = async () => {
      told.length = 0;
      await vscode.commands.executeCommand('testing.coverage.uri', item.uri);
      return told.map(({ uri, coverage: { declarationCoverage, statementCoverage } }) => {
        assert.deepEqual(declarationCoverage, statementCoverage);
        return [uri.scheme, path.basename(uri.path), declarationCoverage!.covered, declarationCoverage!.total];
      });
    };
    /** The line of what was told of one thing, and how often it was used. */
    const lineOf = async (name: string) => {
      for (const { uri, details } of told) {
        const found = details.find(detail => detail instanceof vscode.DeclarationCoverage && detail.name === name);
        if (!found) continue;
        const { line } = found.location as vscode.Position;
        return [(await vscode.workspace.openTextDocument(uri)).lineAt(line).text.trim(), found.executed];
      }
      return undefined;
    };
    made.push(vscode.Uri.joinPath(folder(), 'mcp.snapshot.json').fsPath);
    try {
      const said =
        /covered: tools (\d+)\/(\d+), prompts (\d+)\/(\d+), templates (\d+)\/(\d+), resources (\d+)\/(\d+)\n/;
      const counts = (said.exec(await headless(item.uri!.fsPath)) ?? []).slice(1).map(Number);
      const sum = (from: number, to: number) =>
        [0, 1].map(odd => counts.slice(from, to).reduce((all, each, n) => all + (n % 2 === odd ? each : 0), 0));
      assert.deepEqual(await cover(), [['mcp-coverage', 'covered.interface.json', ...sum(0, 8)]]);
      assert.deepEqual(await lineOf('tools/add_note'), ['"add_note",', 1]);
      assert.deepEqual(await lineOf('prompts/daily_summary'), ['"daily_summary",', 0]);
      await write({ snapshot: 'mcp.snapshot.json' });
      await headless(item.uri!.fsPath, '--update');
      assert.deepEqual(await cover(), [
        ['file', 'mcp.snapshot.json', ...sum(0, 6)],
        ['mcp-coverage', 'covered.interface.json', ...sum(6, 8)],
      ]);
      assert.deepEqual(await lineOf('tools/add_note'), ['"add_note": {', 1]);
      assert.deepEqual(await lineOf('prompts/daily_summary'), ['"daily_summary": {', 0]);
      told.length = 0;
      await run([item]);
      assert.deepEqual(told, [], 'a run without coverage');
    } finally {
      restore();
    }
  });

  it('do not start what the person does not allow @authors.start-person-allow', async () => {
    const text = `server: ${otherwise({ MODE: 'denied' })}\ntests: [{ name: a, steps: [{ list: tools }] }]`;
    const item = await testFile('denied.mcptest.yaml', text, 1);
    assert.deepEqual((await run([item], 'Deny')).counts, { passed: 0, failed: 1, skipped: 0 });
  });

  it('ask once for a program, in however many files it is, and again when it is started otherwise', async () => {
    const passed = { passed: 1, failed: 0, skipped: 0 };
    const asked = async (name: string, MODE: string) => {
      const server = otherwise({ MODE });
      const text = `server: ${server}\ntests: [{ name: a, steps: [{ list: tools }] }]`;
      const ran = await run([await testFile(name, text, 1)]);
      assert.deepEqual(ran.counts, passed, name);
      return ran.asked.length;
    };
    assert.equal(await asked('first.mcptest.yaml', 'one'), 1);
    assert.equal(await asked('second.mcptest.yaml', 'one'), 0);
    assert.equal(await asked('third.mcptest.yaml', 'other'), 1);
  });

  it('need the same permission as any start of a server from settings @authors.need-permission-start', async () => {
    await configure({ named: fixture('hostile') }, vscode.ConfigurationTarget.Workspace);
    try {
      await reaches('named', 'needsTrust');
      const text = 'server: named\ntests: [{ name: a, steps: [{ list: tools }] }]';
      const item = await testFile('named.mcptest.yaml', text, 1);
      const denied = await run([item], 'Deny');
      assert.deepEqual(denied.counts, { passed: 0, failed: 1, skipped: 0 });
      assert.match(denied.asked.join(), /hostile\.js/);
      assert.deepEqual((await run([item], 'Allow')).counts, { passed: 1, failed: 0, skipped: 0 });
    } finally {
      await configure(undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('ask before they use a server of the user, once for each content of the file, and stay denied when denied @authors.ask-use-server', async () => {
    await configure({ mine: fixture('hostile') });
    try {
      await reaches('mine', 'ready');
      const { trust } = await api();
      const audited = async () =>
        (await trust().audit.read())
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
          .filter(({ client }) => client === name);
      const calls = async () => (await audited()).filter(({ type, origin }) => type === 'call' && origin === 'test');
      const name = 'persons.mcptest.yaml';
      const step = (text: string) => `{ call: echo, arguments: { text: ${text} }, expect: { error: true } }`;
      const text = 'server: mine\ntests: [{ name: a, steps: [{ call: echo, arguments: { text: hi } }] }]';
      const item = await testFile(name, text, 1);
      const denied = await run([item], 'Deny');
      assert.deepEqual([denied.counts, denied.asked.length], [{ passed: 0, failed: 1, skipped: 0 }, 1]);
      assert.match(denied.asked[0]!, /persons\.mcptest\.yaml.*"mine".*\necho\n/s);
      assert.deepEqual(await calls(), []);
      const passed = { passed: 1, failed: 0, skipped: 0 };
      const allowed = await run([item], 'Allow');
      assert.deepEqual([allowed.counts, allowed.asked.length], [passed, 1]);
      assert.deepEqual(await run([item], 'Deny'), { counts: passed, asked: [] });
      const lines = await calls();
      assert.deepEqual(
        lines.map(({ server, tool, answer, outcome }) => [server, tool, answer, outcome]),
        Array(2).fill(['mine', 'echo', 'allow', 'ok']),
      );
      assert.match(lines[0].arguments, /^[\da-f]{64}$/);
      // Its content is another.
      const changed = await testFile(name, `server: mine\ntests: [{ name: b, steps: [${step('hi')}] }]`, 1);
      assert.equal((await run([changed], 'Deny')).asked.length, 1);
      await setting('approvals.deny', ['mine/echo']);
      const refused = await run([changed], 'Allow');
      assert.deepEqual([refused.counts.passed, refused.counts.failed, refused.asked.length], [0, 1, 1]);
      assert.equal((await calls()).at(-1).answer, 'deny');
      const said = (await audited()).filter(({ type }) => type === 'consent').map(({ server, what }) => [server, what]);
      assert.deepEqual(
        said,
        ['denied', 'allowed', 'denied', 'allowed'].map(what => ['mine', what]),
      );
    } finally {
      await setting('approvals.deny', undefined);
      await configure(undefined);
    }
  });

  it('show their roots before they run, and refuse roots outside the workspace @authors.show-roots-run', async () => {
    await configure({ mine: fixture('hostile') });
    const inside = path.join(folder().fsPath, 'shown');
    const test = 'tests: [{ name: a, steps: [{ list: tools }] }]';
    const own = `server: ${node(fixturePath('hostile'))}`;
    try {
      await reaches('mine', 'ready');
      for (const [name, server] of [
        ['named-roots', 'server: mine'],
        ['own-roots', own],
      ] as const) {
        const shown = await testFile(`${name}.mcptest.yaml`, `${server}\nroots: [./shown]\n${test}`, 1);
        const { counts, asked } = await run([shown], 'Deny');
        assert.deepEqual([counts.failed, asked.length], [1, 1], name);
        assert.ok(asked[0]!.includes(inside), asked[0]);
        for (const root of ['../../.ssh', path.parse(inside).root]) {
          const outside = await testFile(`${name}.mcptest.yaml`, `${server}\nroots: ['${root}']\n${test}`, 1);
          assert.deepEqual(await run([outside], 'Allow'), { counts: { passed: 0, failed: 1, skipped: 0 }, asked: [] });
        }
      }
    } finally {
      await configure(undefined);
    }
  });

  it('ask about roots that a workspace server was not allowed @authors.ask-roots-workspace', async () => {
    await configure({ narrow: { ...fixture('hostile'), roots: 'none' } }, vscode.ConfigurationTarget.Workspace);
    try {
      await allow('narrow');
      const text = 'server: narrow\nroots: [./shown]\ntests: [{ name: a, steps: [{ list: tools }] }]';
      const item = await testFile('wider.mcptest.yaml', text, 1);
      const { counts, asked } = await run([item], 'Deny');
      assert.deepEqual([counts.failed, asked.length], [1, 1]);
      assert.match(asked[0]!, /They tell it of these folders:\n.*shown/);
      assert.doesNotMatch(asked[0]!, /not a server of this workspace/);
      assert.deepEqual((await run([item], 'Allow')).counts, { passed: 1, failed: 0, skipped: 0 });
    } finally {
      await configure(undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  it('end when they are cancelled, with their server', async () => {
    const step = "{ call: echo, arguments: { text: a }, expect: { logs: [{ contains: 'never' }] } }";
    const text = `server: ${node(fixturePath('hostile'))}\ntests: [{ name: a, steps: [${step}] }, { name: b, steps: [${step}] }]`;
    const item = await testFile('endless.mcptest.yaml', text, 2);
    const { tests, trust } = await api();
    const source = new vscode.CancellationTokenSource();
    // The first of them has started, and is waited for.
    const { consents } = trust();
    const admit = consents.admit.bind(consents);
    let started = 0;
    Object.assign(consents, {
      admit: (...args: Parameters<typeof admit>) => {
        started++;
        setImmediate(() => source.cancel());
        return admit(...args);
      },
    });
    try {
      const { counts } = await run([item], 'Allow', source);
      assert.deepEqual(counts, { passed: 0, failed: 0, skipped: 2 });
      assert.equal(started, 1);
    } finally {
      Object.assign(consents, { admit });
      source.dispose();
    }
    assert.ok(tests().items.get(item.id));
  });

  it('are not looked for in packages', async () => {
    const { tests } = await api();
    const packages = vscode.Uri.joinPath(folder(), 'node_modules', 'other');
    mkdirSync(packages.fsPath, { recursive: true });
    made.push(vscode.Uri.joinPath(folder(), 'node_modules').fsPath);
    const text = 'server: x\ntests: [{ name: a, steps: [{ list: tools }] }]';
    writeFileSync(path.join(packages.fsPath, 'theirs.mcptest.yaml'), text);
    await testFile('ours.mcptest.yaml', text, 1); // written after it, and there
    await tests().find();
    assert.deepEqual(
      [...tests().items].map(([id]) => id).filter(id => id.includes('node_modules')),
      [],
    );
  });

  it('follow their file, and mistakes in it are problems at their line', async () => {
    const test = (name: string) => `  - { name: ${name}, steps: [{ list: tools }] }\n`;
    const item = await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}`, 1);
    await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}${test('b')}`, 2);
    await eventually(() =>
      assert.deepEqual(
        [...item.children].map(([, { label, range }]) => [label, range?.start.line]),
        [
          ['a', 2],
          ['b', 3],
        ],
      ),
    );
    await testFile('changing.mcptest.yaml', `server: x\ntests:\n${test('a')}  - { name: c, step: [] }\n`, 0);
    const problems = () =>
      vscode.languages.getDiagnostics(item.uri!).map(({ message, range }) => [message, range.start.line]);
    await eventually(() =>
      assert.deepEqual(problems(), [
        ['"steps" is missing.', 3],
        ['"step" is unknown here. Did you mean "steps"?', 3],
      ]),
    );
    const { error, range } = item;
    assert.deepEqual([error, range?.start.line], ['"steps" is missing.', 3], 'its row leads there');
    rmSync(item.uri!.fsPath);
    const { tests } = await api();
    await waitFor(() => !tests().items.get(item.id), { what: 'the row to go with its file' });
    await eventually(() => assert.deepEqual(problems(), []));
  });
});

describe('files of questions', () => {
  after(async () => {
    await closeEditors();
    forgetTestFiles();
  });

  async function opened(name: string, text: string): Promise<vscode.TextEditor> {
    const uri = vscode.Uri.joinPath(folder(), name);
    made.push(uri.fsPath);
    writeFileSync(uri.fsPath, text);
    return vscode.window.showTextDocument(uri);
  }

  it('have their mistakes at their lines while they are written', async () => {
    const { document } = await opened(
      'wrong.mcpeval.yaml',
      'questions:\n  - { question: one, expekt: a, expect: a }\n  - { question: two, expect: none, arguments: {} }\n',
    );
    const problems = () =>
      vscode.languages.getDiagnostics(document.uri).map(({ message, range }) => [message, range.start.line]);
    const told = (...expected: [string, number][]) => eventually(() => assert.deepEqual(problems(), expected));
    await told(['"expekt" is unknown here. Did you mean "expect"?', 1]);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(1, 19, 1, 30), '');
    assert.ok(await vscode.workspace.applyEdit(edit));
    await told(['Where no tool is expected, there are no arguments.', 2]);
    const shorter = new vscode.WorkspaceEdit();
    shorter.delete(document.uri, document.lineAt(2).rangeIncludingLineBreak);
    assert.ok(await vscode.workspace.applyEdit(shorter));
    await told();
    await document.save();
  });

  it('in JSON have completion and hovers from their schema', async () => {
    const { document } = await opened('asked.mcpeval.json', '{ "questions": [{ "expect": "none",  }] }');
    const labels = await waitFor(
      async () => {
        const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          document.uri,
          new vscode.Position(0, 36),
        );
        const found = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
        return found.includes('question') ? found : undefined;
      },
      { what: 'completion from the schema' },
    );
    assert.ok(labels.includes('arguments') && labels.includes('matches'), labels.join());
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      new vscode.Position(0, 21),
    );
    const texts = hovers.flatMap(({ contents }) => contents).map(one => (typeof one === 'string' ? one : one.value));
    assert.match(texts.join().replaceAll('&nbsp;', ' '), /Name of the tool that the model should call/);
  });
});

/** Answers the editor's dialogs and lists as `answers` say while `act` runs. @returns the messages that were shown. */
async function answering(
  answers: {
    pick?: (rows: readonly vscode.QuickPickItem[]) => vscode.QuickPickItem | undefined;
    file?: vscode.Uri;
    button?: string;
  },
  act: () => Thenable<unknown>,
): Promise<string[]> {
  const said: string[] = [];
  const message = async (text: string, ...buttons: string[]) => {
    said.push(text);
    return buttons.find(button => button === answers.button);
  };
  const stubs: object = {
    showQuickPick: async (rows: readonly vscode.QuickPickItem[]) => answers.pick?.(rows),
    showSaveDialog: async () => answers.file,
    showOpenDialog: async () => answers.file && [answers.file],
    showInformationMessage: message,
    showWarningMessage: message,
    showErrorMessage: message,
  };
  const originals = Object.fromEntries(Object.keys(stubs).map(key => [key, Reflect.get(vscode.window, key)]));
  Object.assign(vscode.window, stubs);
  try {
    await act();
  } finally {
    Object.assign(vscode.window, originals);
  }
  return said;
}

describe('recording from a running server', () => {
  before(async () => {
    await configure({ recorded: fixture('hostile'), changed: fixture('hostile', '--block-tool') });
    for (const id of ['recorded', 'changed']) await loads(id);
  });
  after(async () => {
    await closeEditors();
    forgetTestFiles();
    await configure(undefined);
  });

  const request = (text: string) => ({
    server: 'recorded',
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
    outcome: { result: { content: [{ type: 'text', text }] } },
  });
  const record = (text: string, label: string | RegExp) =>
    answering({ pick: rows => rows.find(row => row.label.match(label)) }, () =>
      vscode.commands.executeCommand('mcpHost.recordTest', request(text)),
    );
  const shown = () => vscode.window.activeTextEditor!;

  it('writes a test into a new file, the next into the same file, and both pass once saved', async () => {
    assert.deepEqual(await record('first', /new test file/), []);
    const { document, selection } = shown();
    assert.ok(document.isUntitled && document.uri.path.endsWith('/recorded.mcptest.yaml'), String(document.uri));
    assert.equal(document.lineAt(selection.active.line).text, '  - name: echo');
    const file = path.join(folder().fsPath, 'recorded.mcptest.yaml');
    const item = await testFile('recorded.mcptest.yaml', document.getText(), 1);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await record('second', /^recorded\.mcptest\.yaml$/);
    assert.equal(shown().document.uri.fsPath, file);
    assert.equal(shown().document.lineAt(shown().selection.active.line).text, '  - name: echo 2');
    assert.ok(shown().document.isDirty, 'saved by the person');
    await shown().document.save();
    await waitFor(() => item.children.size === 2, { what: 'the second test' });
    assert.deepEqual((await run([item])).counts, { passed: 2, failed: 0, skipped: 0 });
  });

  it('leaves out secrets, and reports that @authors.leaves-secrets-reports', async () => {
    const token = `ghp_${'a1'.repeat(18)}`;
    const said = await record(`my ${token}`, /clipboard/);
    assert.match(said.join(), /The test had secrets\./);
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^- name: echo\n {2}steps:\n {4}- call: echo\n {6}arguments:\n {8}text: my •••\n/);
    assert.ok(!copied.includes(token));
  });

  it('is refused when the result is no longer kept', async () => {
    const gone = vscode.Uri.parse('mcp-result://old/1/gone.txt');
    const said = await answering({ pick: () => assert.fail('asked') }, () =>
      vscode.commands.executeCommand('mcpHost.recordTest', gone),
    );
    assert.deepEqual(said, []);
  });

  it('writes a snapshot of the interface, and compares it with a verdict', async () => {
    const { servers } = await api();
    const file = vscode.Uri.joinPath(folder(), 'mcp.snapshot.json');
    made.push(file.fsPath);
    const save = (id: string) =>
      answering({ file }, () =>
        vscode.commands.executeCommand('mcpHost.checkServer', { server: servers.get(id), way: 'saveSnapshot' }),
      );
    const compare = (id: string, button?: string) =>
      answering({ file, ...(button !== undefined && { button }) }, () =>
        vscode.commands.executeCommand('mcpHost.checkServer', { server: servers.get(id), way: 'compareSnapshot' }),
      );
    await save('changed');
    assert.ok('block' in (JSON.parse(readFileSync(file.fsPath, 'utf8')) as { tools: object }).tools);
    assert.deepEqual(await compare('changed'), ['What "changed" offers is the same as in mcp.snapshot.json.']);
    const verdict =
      '"recorded" has changed in a way that breaks callers. Breaking changes: 1, additions: 0, changes in wording: 0.';
    assert.deepEqual(await compare('recorded'), [verdict]);
    const diff = () => {
      const { input } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
      return input instanceof vscode.TabInputTextDiff && input.original.fsPath === file.fsPath ? input : undefined;
    };
    const input = await waitFor(diff, { what: 'the diff' });
    const now = await vscode.workspace.openTextDocument(input.modified);
    assert.ok(!now.getText().includes('"block"'), 'what it offers now');
    assert.equal(now.languageId, 'json');
    await compare('recorded', 'Update Snapshot');
    assert.equal(readFileSync(file.fsPath, 'utf8'), now.getText());
    const added = '"changed" has changed without breaking callers. Additions: 1, changes in wording: 0.';
    assert.deepEqual(await compare('changed'), [added]);
    writeFileSync(file.fsPath, '{ "version": 2 }');
    const [unusable] = await compare('changed');
    assert.match(unusable!, /^The snapshot .*mcp\.snapshot\.json cannot be used: it is not a snapshot of version 1\.$/);
  });
});
