import * as assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { Tool } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import { phrase } from '../../src/base/phrase';
import { plain } from '../../src/base/text';
import { OpenQuestions } from '../../src/editor/openQuestions';
import { appRequests, PersonsAnswers } from '../../src/features/apps/appRequests';
import { ChatApproval } from '../../src/features/chat/approval';
import { editRule, narrowApproval, ruleText } from '../../src/features/trust/callQuestion';
import type { ToolCall } from '../../src/features/trust/core/approvals';
import type { PinState } from '../../src/features/trust/core/pins';
import type { CallToApprove, PersonsAnswer, WantedCall } from '../../src/features/trust/core/toolCalls';
import { applyAnswer, isCurrent, narrowRule, possibleAnswers } from '../../src/features/trust/manageTrust';
import type { ServerConnection } from '../../src/host';
import { waitFor } from '../servers/spawn';
import { watchPages } from './wholePages';
import { api, configure, fixture, loads, setting } from './window';

/** What a question draws into an answer. */
class Drawn {
  readonly texts: string[] = [];
  /** The answers: those with a button, and those with a link that may be followed. */
  readonly answers: { title: string; id: unknown; isLink: boolean }[] = [];
  readonly stream = {
    button: ({ title, arguments: args }: vscode.Command) =>
      void this.answers.push({ title, id: args?.[0], isLink: false }),
    progress: () => {},
    markdown: (text: vscode.MarkdownString) => {
      if (text.isTrusted) this.#follow(text);
      else this.texts.push(text.value);
    },
  } as unknown as vscode.ChatResponseStream;

  id(title: string): unknown {
    return this.answers.findLast(answer => answer.title === title)?.id;
  }

  #follow({ value, isTrusted }: vscode.MarkdownString): void {
    assert.deepEqual(isTrusted, { enabledCommands: ['mcpHost.answerApproval'] });
    for (const [, title, args] of value.matchAll(/\[([^\]]+)\]\(command:mcpHost\.answerApproval\?(\S+) "[^"]+"\)/g)) {
      const [id, answer, ...others] = JSON.parse(decodeURIComponent(args!)) as unknown[];
      assert.match(String(answer), /^\w+$/);
      assert.deepEqual(others, []);
      this.answers.push({ title: title!, id, isLink: true });
    }
  }
}

describe('questions about calls in chat', () => {
  let server: ServerConnection;
  let approval: ChatApproval;
  const questions = new OpenQuestions();
  let cancel: vscode.CancellationTokenSource;
  before(async () => {
    await configure({ asks: fixture('hostile') });
    server = await loads('asks');
  });
  beforeEach(() => {
    approval = new ChatApproval(async () => undefined, questions);
    cancel = new vscode.CancellationTokenSource();
  });
  afterEach(() => {
    approval.dispose();
    cancel.dispose();
    mock.restoreAll();
  });
  after(() => configure(undefined));

  const call = (args = {}): WantedCall => ({ server, tool: server.catalog.tools[0]!, args, origin: 'chat' });
  function ask(args = {}, pin: PinState = 'accepted') {
    const drawn = new Drawn();
    const state: { answer?: PersonsAnswer | undefined; done: boolean } = { done: false };
    void approval.ask(call(args), pin, drawn.stream, cancel.token).then(answer => {
      state.answer = answer;
      state.done = true;
    });
    return { drawn, state };
  }
  const settled = () => new Promise(resolve => setImmediate(resolve));

  it('ten at once are ten: each is answered by its own buttons, the others stay open @approvals.ten-once-ten', async () => {
    const asked = Array.from({ length: 10 }, (_, number) => ask({ number }));
    await approval.answer(asked[3]!.drawn.id('Allow'), 'once');
    await approval.answer(asked[7]!.drawn.id('Deny'), 'deny');
    await waitFor(() => asked[3]!.state.done && asked[7]!.state.done, { what: 'the two answers' });
    assert.deepEqual(asked[3]!.state.answer, { answer: 'allow' });
    assert.deepEqual(asked[7]!.state.answer, { answer: 'deny' });
    assert.equal(asked.filter(({ state }) => state.done).length, 2);
    cancel.cancel();
    await waitFor(() => asked.every(({ state }) => state.done), { what: 'the turn to end' });
    for (const [number, { state }] of asked.entries())
      if (number !== 3 && number !== 7) assert.equal(state.answer, undefined);
  });

  it('are listed among what needs attention until they are answered', async () => {
    assert.equal(questions.all.length, 0);
    const { drawn, state } = ask();
    const [waiting, ...others] = questions.all;
    assert.deepEqual([waiting?.server, others], [server.definition, []]);
    assert.match(waiting!.message, /^Call \S+\? The chat has the question\.$/);
    await approval.answer(drawn.id('Deny'), 'deny');
    await waitFor(() => state.done, { what: 'the answer' });
    assert.equal(questions.all.length, 0);
  });

  it('have one button, and a line of links that carry nothing but the question and the answer', () => {
    const { drawn } = ask({ text: '[x](command:workbench.action.quit)' });
    const isLink = drawn.answers.map(answer => answer.isLink);
    assert.deepEqual(isLink, [false, true, true]);
    assert.equal(new Set(drawn.answers.map(({ id }) => id)).size, 1);
    cancel.cancel();
  });

  it('ignores stale buttons, buttons of another question and unknown answers @approvals.ignores-stale-buttons', async () => {
    const first = ask();
    const stale = first.drawn.id('Allow');
    await approval.answer(stale, 'deny');
    await waitFor(() => first.state.done, { what: 'the first answer' });
    const second = ask();
    await approval.answer(stale, 'once');
    await approval.answer(undefined, 'once');
    const own = second.drawn.id('Allow');
    for (const nonsense of ['', 'yes', 'allow', null, {}, 'constructor']) await approval.answer(own, nonsense);
    await settled();
    assert.equal(second.state.done, false);
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('about a tool that has changed allow one call, and no more before the change is reviewed @approvals.tool-changed-allow', async () => {
    const { drawn, state } = ask({}, 'changed');
    const titles = drawn.answers.map(({ title }) => title);
    assert.deepEqual(titles, ['Review Change…', 'Allow', 'Deny', 'More…']);
    for (const early of ['chat', 'always', 'everywhere', 'narrow']) await approval.answer(drawn.id('Deny'), early);
    await settled();
    assert.equal(state.done, false);
    await approval.answer(drawn.id('Allow'), 'once');
    await waitFor(() => state.done, { what: 'the answer' });
    assert.deepEqual(state.answer, { answer: 'allow' });
  });

  it('names the reason to ask each time, and allows one call only', async () => {
    const drawn = new Drawn();
    const because = { text: 'It can send out {0}.', values: ['notes'] };
    const said: (PersonsAnswer | undefined)[] = [];
    const asked = { ...call(), because };
    void approval.ask(asked, 'accepted', drawn.stream, cancel.token).then(answer => said.push(answer));
    assert.match(drawn.texts.join('\n'), /\*\*It can send out notes&#46;\*\*/);
    for (const lasting of ['chat', 'always', 'everywhere', 'narrow']) await approval.answer(drawn.id('Deny'), lasting);
    await settled();
    assert.deepEqual(said, []);
    await approval.answer(drawn.id('Allow'), 'once');
    await waitFor(() => said.length > 0, { what: 'the answer' });
    assert.deepEqual(said, [{ answer: 'allow' }]);
  });

  it('stay open when the list of rarer answers is closed @approvals.stay-open-list', async () => {
    const { drawn, state } = ask();
    let closed = false;
    const more = approval.answer(drawn.id('More…'), 'more').then(() => (closed = true));
    await waitFor(
      async () => {
        await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        return closed;
      },
      { what: 'the list to close' },
    );
    await more;
    await settled();
    assert.equal(state.done, false);
  });

  it('reports arguments too long for an answer, and allows nothing before all of them were shown @approvals.reports-arguments-too', async () => {
    const pages = watchPages();
    const { drawn, state } = ask({ text: `${'x'.repeat(30_000)} the end` });
    const titles = () => drawn.answers.map(({ title }) => title);
    assert.match(drawn.texts.join('\n'), /4\d\d more rows are not shown here/);
    assert.doesNotMatch(drawn.texts.join('\n'), /the end/);
    assert.deepEqual(titles(), ['Show All Arguments', 'Deny', 'More…']);
    const id = drawn.id('Deny');
    for (const early of ['once', 'chat', 'always', 'everywhere']) await approval.answer(id, early);
    await settled();
    assert.equal(state.done, false);

    await approval.answer(id, 'showAll');
    await approval.answer(id, 'showAll');
    const page = await pages.opened();
    assert.equal(pages.all.length, 1);
    assert.match(page.text, /x the end"|the end"/);
    assert.deepEqual(page.start.others, ['Deny']);
    // What is open does not make the buttons of the answer allow anything.
    for (const early of ['once', 'chat', 'always', 'everywhere']) await approval.answer(id, early);
    await settled();
    assert.equal(state.done, false);
    page.press('Allow');
    await waitFor(() => state.done && !page.isOpen, { what: 'the answer, and the page to close' });
    assert.deepEqual(state.answer, { answer: 'allow' });
  });

  it('wraps the arguments and draws them as text, whatever the settings of editors @approvals.wraps-arguments-draws', async () => {
    const { drawn } = ask({ command: `echo hello${' '.repeat(90)}; rm -rf ~`, code: 'a   b' });
    const [, shown] = drawn.texts;
    assert.doesNotMatch(shown!, /```/);
    assert.match(shown!, /hello⟨90 spaces⟩/);
    assert.match(shown!, /a\u00a0{3}b/);
    cancel.cancel();
  });

  it('asks once more after long arguments were edited, and shows all of the edited ones @approvals.asks-once-long', async () => {
    const pages = watchPages();
    const edited = { text: `${'y'.repeat(30_000)} edited` };
    approval = new ChatApproval(async () => edited, questions);
    const { drawn, state } = ask({ text: 'x'.repeat(30_000) });
    await approval.answer(drawn.id('Deny'), 'edit');
    await waitFor(() => drawn.answers.length > 3, { what: 'the second question' });
    assert.equal(state.done, false);
    await approval.answer(drawn.id('Show All Arguments'), 'showAll');
    const page = await pages.opened();
    assert.match(page.text, /edited"/);
    page.press('Allow');
    await waitFor(() => state.done, { what: 'the answer' });
    assert.deepEqual(state.answer, { answer: 'allow', args: edited });

    const short = { text: 'short' };
    approval = new ChatApproval(async () => short, questions);
    const second = ask({ text: 'also short' });
    await approval.answer(second.drawn.id('Deny'), 'edit');
    await waitFor(() => second.state.done, { what: 'the answer to what was seen and written' });
    assert.deepEqual(second.state.answer, { answer: 'allow', args: short });
  });

  describe('are answered by a key', () => {
    let now = 1_000_000;
    const later = () => {
      now += 1_000;
    };
    beforeEach(() => void mock.method(Date, 'now', () => now));

    it('if exactly one is open, and allows that one call @approvals.key-one-call', async () => {
      const { state } = ask();
      const second = ask();
      later();
      await approval.allowByKey();
      await settled();
      assert.deepEqual([state.done, second.state.done], [false, false]);
      await approval.answer(second.drawn.id('Deny'), 'deny');
      await waitFor(() => second.state.done, { what: 'the answer by a button' });
      later();
      await approval.allowByKey();
      await waitFor(() => state.done, { what: 'the answer by the key' });
      assert.deepEqual(state.answer, { answer: 'allow' });
    });

    it('not when the key is pressed as the question appears, or is held down', async () => {
      const { state } = ask();
      for (let times = 0; times < 20; times++) {
        now += 100;
        await approval.allowByKey();
      }
      await settled();
      assert.equal(state.done, false);
      later();
      await approval.allowByKey();
      await waitFor(() => state.done, { what: 'the answer by the key' });
    });

    it('not while the input has a text that an app put there, with the focus @approvals.no-key-draft', async () => {
      const { trust } = await api();
      const never = () => assert.fail('it only writes a draft');
      const app = { server, tool: call().tool, title: 'App', tellModels: never, setHeight: never, close: never };
      const services = { trust: trust(), log: { log: never }, openLink: never, sampling: () => undefined };
      const { state } = ask();
      later();
      const requests = appRequests({ ...app, takeGesture: () => true }, new PersonsAnswers(), services);
      await requests.message([{ type: 'text', text: 'Press the keys again.' }]);
      later();
      await approval.allowByKey();
      await settled();
      assert.equal(state.done, false);
      approval.inputSent();
      later();
      await approval.allowByKey();
      await waitFor(() => state.done, { what: 'the answer by the key' });
    });

    it('not where something may be deleted, or something unusual is to be read first', async () => {
      const destructive = { ...call().tool, annotations: { destructiveHint: true } };
      const unusual: [CallToApprove, PinState][] = [
        [{ ...call(), tool: destructive }, 'accepted'],
        [{ ...call(), tool: { ...destructive, annotations: { readOnlyHint: false } } }, 'accepted'],
        [call({ text: 'x'.repeat(30_000) }), 'accepted'],
        [call(), 'changed'],
        [call(), 'new'],
        [{ ...call(), because: phrase('The test has a reason.') }, 'accepted'],
      ];
      for (const [asked, pin] of unusual) {
        let isDone = false;
        const { stream } = new Drawn();
        const over = approval.ask(asked, pin, stream, cancel.token).then(() => {
          isDone = true;
        });
        later();
        await approval.allowByKey();
        await settled();
        assert.equal(isDone, false);
        cancel.cancel();
        await over;
        cancel = new vscode.CancellationTokenSource();
      }
    });
  });

  it('take their editor along when their turn ends', async () => {
    let signal: AbortSignal | undefined;
    approval = new ChatApproval(edited => {
      signal = edited.signal;
      return new Promise(resolve => signal?.addEventListener('abort', () => resolve(undefined)));
    }, questions);
    const { drawn, state } = ask();
    await approval.answer(drawn.id('More…'), 'edit');
    await waitFor(() => signal !== undefined, { what: 'the editor' });
    const asked = drawn.answers.length;
    cancel.cancel();
    await waitFor(() => state.done, { what: 'the question to end' });
    assert.deepEqual([state.answer, drawn.answers.length], [undefined, asked]);
  });

  it('leaves questions unanswered when their turn ends, or has ended before @approvals.leaves-questions', async () => {
    cancel.cancel();
    const { state } = ask();
    await waitFor(() => state.done, { what: 'the question to end' });
    assert.equal(state.answer, undefined);
  });
});

const never = async () => assert.fail('nobody is to be asked');

describe('what an app may call while it is open', () => {
  it('is a definition: the tool that it becomes is asked about, whether or not it was pinned @approvals.app-definition', async () => {
    await configure({ asks: fixture('hostile') });
    const server = await loads('asks');
    const tool = server.catalog.tools[0]!;
    const asked: Tool[] = [];
    const run = async () => ({ result: { content: [] } });
    const trust = {
      flow: (await api()).trust().flow,
      requests: { as: () => () => ({}) },
      askForCall: async (call: CallToApprove) => {
        asked.push(call.tool);
        return { answer: 'allow', whileOpen: true };
      },
      calls: {
        approve: async (
          call: WantedCall,
          ask: (call: WantedCall, pin: PinState) => Promise<PersonsAnswer | undefined>,
        ) => (await ask(call, 'unpinned')) && { approved: true, run },
      },
    };
    let listed = tool;
    const never = () => assert.fail('it only calls a tool');
    const of = new Proxy(server, {
      get: (target, name) => (name === 'offers' ? () => [listed] : (Reflect.get(target, name, target) as unknown)),
    });
    const app = {
      server: of,
      tool,
      title: 'App',
      tellModels: never,
      setHeight: never,
      takeGesture: never,
      close: never,
    };
    const services = { trust: trust as never, log: { log: never }, openLink: never, sampling: () => undefined };
    const requests = appRequests(app, new PersonsAnswers(), services);
    const call = () => requests.callTool(tool.name, {}, new AbortController().signal);
    await call();
    await call();
    assert.deepEqual(asked, [tool]);
    listed = { ...tool, description: 'It does something else now.' };
    await call();
    assert.deepEqual(asked, [tool, listed]);
    await configure(undefined);
  });
});

describe('answers that are kept', () => {
  let server: ServerConnection;
  before(async () => {
    await configure({ kept: fixture('hostile') });
    server = await loads('kept');
  });
  after(() => configure(undefined));
  const callOf = (tool: Tool): ToolCall => ({
    serverId: 'kept',
    serverName: 'kept',
    scope: 'user',
    launch: server.definition.launch,
    tool,
    args: {},
    isChanged: false,
    origin: 'chat',
  });

  it('can be changed and revoked, each with a line in the audit log; only offered choices can be allowed', async () => {
    const { servers, trust } = await api();
    const { policy, audit } = trust();
    const changes = { servers, trust: trust() };
    const tool = server.catalog.tools[0]!;
    const place = { scope: 'workspace', serverId: 'kept', toolName: tool.name } as const;
    const decide = () => policy.decide(callOf(tool)).answer;
    const rules = () => policy.rules.filter(({ serverId }) => serverId === 'kept' || serverId === 'gone');

    assert.deepEqual(possibleAnswers(changes, place), ['allow', 'ask', 'deny', 'forget']);
    await applyAnswer(changes, place, 'allow');
    assert.equal(decide(), 'allow');
    assert.equal(isCurrent(changes, rules()[0]!), true);
    await applyAnswer(changes, place, 'deny');
    assert.equal(decide(), 'deny');
    await applyAnswer(changes, place, 'forget');
    assert.equal(decide(), 'ask');
    assert.deepEqual(rules(), []);

    const gone = { ...place, serverId: 'gone' };
    assert.deepEqual(possibleAnswers(changes, gone), ['ask', 'deny', 'forget']);
    await applyAnswer(changes, gone, 'allow');
    assert.deepEqual(rules(), []);
    await applyAnswer(changes, gone, 'deny');
    assert.equal(rules().length, 1);
    await applyAnswer(changes, gone, 'forget');
    const answers = [...(await audit.read()).matchAll(/"type":"approval","server":"kept",.*?"answer":"(\w+)"/g)];
    assert.deepEqual(
      answers.map(([, answer]) => answer),
      ['allow', 'deny', 'revoked'],
    );
  });

  it("for a user's server do not apply to a workspace server of the same name @approvals.user-server-apply", async () => {
    const { policy } = (await api()).trust();
    const tool = server.catalog.tools[0]!;
    const mine = callOf(tool);
    await policy.remember(mine, 'allow', 'workspace');
    assert.equal(policy.decide(mine).answer, 'allow');
    assert.equal(policy.decide({ ...mine, scope: 'workspace' }).answer, 'ask');
    await policy.withdraw('kept', tool.name);
  });

  it('do not hold for another program that settings put under the same id @approvals.hold-program-settings', async () => {
    const { trust } = await api();
    const { calls, policy } = trust();
    const wanted = (): WantedCall => ({ server, tool: server.catalog.tools[0]!, args: {}, origin: 'chat' });
    await policy.remember(callOf(wanted().tool), 'allow', 'user');
    const before = server.definition.launch;
    assert.equal((await calls.approve(wanted(), never)).approved, true);
    const entry = fixture('hostile');
    await configure({ kept: { ...entry, env: { ...entry.env, OTHER: '1' } } });
    await waitFor(() => server.definition.launch !== before, { what: 'the other program' });
    server = await loads('kept');
    const asked: string[] = [];
    const answer = await calls.approve(wanted(), async ({ tool }) => {
      asked.push(tool.name);
      return undefined;
    });
    assert.deepEqual([answer.approved, asked], [false, [wanted().tool.name]]);
    await policy.forget({ scope: 'user', serverId: 'kept' });
  });

  it('are narrowed to arguments from the call at hand, and shown, changed and revoked one by one @approvals.narrowed-arguments-call', async () => {
    const { servers, trust } = await api();
    const { calls, policy, audit } = trust();
    const tool = server.catalog.tools[0]!;
    const inside = realpathSync.native(vscode.workspace.workspaceFolders![0]!.uri.fsPath);
    const args = { path: join(inside, 'notes', 'a.txt'), url: 'https://example.com/x', mode: 'r' };
    const answers = ['path', `in ${inside}`, 'mode', 'any value', 'url', 'on https://example.com', 'Continue'];
    answers.push('Always allow in this workspace');
    const seen: string[] = [];
    mock.method(vscode.window, 'showQuickPick', async (rows: vscode.QuickPickItem[]) => {
      const label = answers.shift();
      seen.push(...rows.map(row => `${row.label}${row.detail ? `: ${row.detail}` : ''}`));
      return rows.find(row => row.label === label) ?? assert.fail(`no row ${label}: ${rows.map(row => row.label)}`);
    });
    try {
      const narrowed = (await narrowApproval({ server, tool, args })) ?? assert.fail('nothing was chosen');
      assert.equal(ruleText(narrowed.rule), `path: in ${inside} · url: on https://example.com · mode: any value`);
      assert.ok(seen.includes(`path: exactly ${JSON.stringify(args.path)}`));
      const wanted = (more: object): WantedCall => ({ server, tool, args: { ...args, ...more }, origin: 'gateway' });
      await calls.approve(wanted({}), async () => ({ answer: 'allow', ...narrowed }));
      assert.equal((await calls.approve(wanted({ mode: 'w', path: join(inside, 'b') }), never)).approved, true);
      for (const more of [{ path: '/etc/passwd' }, { url: 'https://example.com@evil.example' }, { more: 1 }]) {
        assert.equal((await calls.approve(wanted(more), async () => undefined)).approved, false, JSON.stringify(more));
      }
      const changes = { servers, trust: trust() };
      const rules = () => policy.rules.filter(({ serverId }) => serverId === 'kept');
      assert.equal(isCurrent(changes, rules()[0]!), true);
      answers.push('url', 'any value', 'Continue');
      const edited = (await editRule(plain('x'), rules()[0]!.arguments!)) ?? assert.fail('nothing was changed');
      await narrowRule(changes, rules()[0]!, edited);
      assert.equal((await calls.approve(wanted({ url: 'x' }), never)).approved, true);
      await applyAnswer(changes, rules()[0]!, 'forget');
      assert.deepEqual(rules(), []);
      assert.match(await audit.read(), /"server":"kept",.*"answer":"allow","scope":"workspace","rule":"[0-9a-f]{16}"/);
    } finally {
      mock.restoreAll();
    }
  });
});

describe('flow of data', () => {
  after(() => configure(undefined));

  it('come despite approvals; a workspace can add marks but not switch them off @approvals.come-despite-approvals', async () => {
    await configure({ flowing: fixture('hostile') });
    const server = await loads('flowing');
    const { calls, flow, policy } = (await api()).trust();
    const tool = server.catalog.tools.find(({ name }) => name === 'echo')!;
    const { Workspace } = vscode.ConfigurationTarget;
    const trail = flow().trail();
    const call: WantedCall = { server, tool, args: { text: 'hi' }, origin: 'chat', trail };
    const reasons: string[] = [];
    const approve = () =>
      calls.approve(call, async ({ because }) => {
        reasons.push(because?.text ?? 'none');
        return { answer: 'allow', scope: 'workspace' };
      });
    try {
      assert.ok((await approve()).approved);
      assert.deepEqual(reasons, ['none']);
      await flow().mark(server, ['private']);
      await setting('flowMarks', { flowing: ['untrusted', 'sends'] }, Workspace);
      await waitFor(() => flow().marks(server).size === 3, { what: 'the marks of the workspace' });
      // A workspace has no say in this one.
      await setting('flow', 'off', Workspace).catch(() => undefined);
      const made = await approve();
      assert.ok(made.approved);
      await made.run();
      assert.equal(reasons.length, 1, 'nothing had been read');
      assert.ok((await approve()).approved);
      assert.ok((await approve()).approved);
      assert.deepEqual(
        reasons.slice(1).map(text => /can send data out/.test(text)),
        [true, true],
      );
      await setting('flowMarks', { flowing: [] }, Workspace);
      await waitFor(() => flow().marks(server).size === 1, { what: 'the marks of the workspace to go' });
      assert.deepEqual([...flow().marks(server)], [['private', 'person']]);
      // What was read stays what it was then; the server just can't send any more.
      assert.ok((await approve()).approved);
      assert.equal(reasons.length, 3);
    } finally {
      await flow().mark(server, undefined);
      await setting('flowMarks', undefined, Workspace);
      for (const rule of policy.rules.filter(({ serverId }) => serverId === 'flowing')) await policy.forget(rule);
    }
  });
});
