import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { SamplingChoices } from '../../../src/features/sampling/core/samplingLimits';
import { samplingStore } from '../../../src/features/sampling/samplingPort';
import type { ServerConnection } from '../../../src/host';
import { chequeredPng } from '../../servers/content/png';
import { npmServerPath } from '../../servers/npm';
import { waitFor } from '../../servers/spawn';
import { since } from '../../setup/since';
import { api, configure, fixture, loads, run } from '../window';
import { answer, audited, call, closed, confirm, deny, question, replace, request, said, set, shown } from './reviews';

/** As a person does in the list of "Manage Trust…". */
const choose = async ({ definition }: ServerConnection, change: Parameters<SamplingChoices['set']>[1]) =>
  new SamplingChoices(samplingStore((await api()).context), () => 'ask').set(definition, change);

since('language models of extensions').describe('sampling', () => {
  before(async () => {
    const { context } = await api();
    await configure({ first: fixture('hostile') });
    await waitFor(() => context.globalState.get('mcpHost.hasModels'), { what: 'the models' });
  });
  after(() => configure(undefined));

  describe('by server-everything (legacy)', () => {
    let server: ServerConnection;
    before(async () => {
      await configure({ everything: run(npmServerPath('everything')) });
      server = await loads('everything');
    });

    it('shows the whole request, sends it as edited, and returns the answer as edited @sampling.shows-whole-request', async () => {
      const called = call<string>(server, 'trigger-sampling-request', { prompt: 'what?', maxTokens: 50 });
      const asked = await request();
      assert.deepEqual(JSON.parse(asked.getText()), {
        messages: [{ role: 'user', content: said('Resource trigger-sampling-request context: what?') }],
        systemPrompt: 'You are a helpful test server.',
        temperature: 0.7,
        maxTokens: 50,
      });
      await replace(asked, 'Resource trigger-sampling-request context: what?', 'options?');
      await confirm();
      const answered = await answer();
      assert.match(answered.getText(), /\\"modelOptions\\":\{\\"temperature\\":0\.7\}/);
      await replace(answered, '0.7', '0.8');
      await confirm();
      const text = await called;
      assert.match(text, /LLM sampling result/);
      assert.match(text, /temperature\\":0\.8/);
      assert.match(text, /"model": "demo-model"/);
      assert.match(text, /"stopReason": "endTurn"/);
      await closed();
      await audited(/"type":"sampling","server":"everything","answer":"edit","model":"demo-model","tokens":\d+/);
    });

    it('is refused with the error of the specification when the person denies it @sampling.refused-error', async () => {
      const called = call<string>(server, 'trigger-sampling-request', { prompt: 'no' });
      await request();
      await deny();
      assert.match(await called, /-1|User rejected sampling request/);
      await closed();
    });
  });

  for (const era of ['legacy', 'modern'] as const) {
    describe(`by a server of the ${era} era`, () => {
      let server: ServerConnection;
      const ask = (params: object) => call(server, 'ask', { params });
      before(async () => {
        await set('requestsPerMinute', 1_000);
        await set('reviewAnswers', false);
        const entry = era === 'modern' ? fixture('sampling', '--modern') : fixture('sampling');
        await configure({ [era]: entry });
        server = await loads(era);
        assert.equal(server.info?.era, era);
      });
      after(async () => {
        await set('requestsPerMinute', undefined);
        await set('reviewAnswers', undefined);
      });

      it('gives the model exactly what was reviewed: prompt, roles, hidden characters and images @sampling.gives-model-exactly', async () => {
        const texts = ['system\r\nprompt\n', 'tag \u{e0041} bidi \u202e end', 'raw?'];
        const image = { type: 'image', mimeType: 'image/png', data: chequeredPng(8).toString('base64') };
        const messages = [
          { role: 'user', content: [said(texts[1]!), image] },
          { role: 'assistant', content: said('yes') },
          { role: 'user', content: said('raw?') },
        ];
        const called = ask({ systemPrompt: texts[0], messages, maxTokens: 500 });
        const document = await request();
        assert.ok(document.getText().includes('tag \\udb40\\udc41 bidi \\u202e end'), document.getText());
        await confirm();
        const { content, model } = await called;
        assert.deepEqual(JSON.parse(content.text), [texts[0], texts[1], 'yes', texts[2]]);
        assert.equal(model, 'demo-vision', 'the one that sees images');
      });

      it('uses the model that the server hints at, of three @sampling.uses-model-server', async () => {
        for (const [hint, model] of [
          ['vision', 'demo-vision'],
          ['small', 'demo-small'],
          ['gpt-4o-mini', 'demo-model'],
        ] as const) {
          const called = ask(question('options?', { modelPreferences: { hints: [{ name: hint }] } }));
          await request();
          await confirm();
          assert.equal((await called).model, model, hint);
        }
      });

      it('uses the model that the person chose for the server, whatever its hints', async () => {
        await choose(server, { model: 'demo-small' });
        try {
          const called = ask(question('options?', { modelPreferences: { hints: [{ name: 'vision' }] } }));
          await request();
          await confirm();
          assert.equal((await called).model, 'demo-small');
        } finally {
          await choose(server, { model: undefined });
        }
      });

      it('passes without a question, within limits, once the person allowed the server @sampling.passes-question-within', async () => {
        await choose(server, { policy: 'allow' });
        try {
          assert.equal((await ask(question('hello'))).content.text, 'You said: hello');
          await audited(new RegExp(`"server":"${era}","answer":"allow","model":"demo-model","tokens":\\d+`));
          await set('tokensPerHour', 1);
          const refused = await ask(question('hello')).then(JSON.stringify, (error: Error) => error.message);
          assert.match(refused, /tokens were used in the last hour; 1 are allowed/);
          assert.equal(shown(), undefined, 'nothing is shown');
          await closed();
        } finally {
          await set('tokensPerHour', undefined);
          await choose(server, { policy: undefined });
        }
      });

      it('stops the answer at the requested end, and reports why @sampling.stops-answer-requested', async () => {
        const send = async (params: object) => {
          const called = ask(params);
          await request();
          await confirm();
          const { content, stopReason } = await called;
          return [content.text, stopReason];
        };
        assert.deepEqual(await send(question('one STOP two', { stopSequences: ['STOP'] })), [
          'You said: one ',
          'stopSequence',
        ]);
        assert.deepEqual(await send(question('words words', { maxTokens: 3 })), ['You said: wo', 'maxTokens']);
        assert.deepEqual((await send(question('slow', { maxTokens: 4 })))[1], 'maxTokens');
      });

      /** The answer to a request that the person sends as it is. */
      const sent = async (params: object) => {
        const called = ask(params);
        await request();
        await confirm();
        return called;
      };

      it('lets the model call tools of the request, and returns their results @sampling.lets-model-call', async () => {
        const tools = [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }];
        const called = ask(question('call look {"at": "it"}', { tools, toolChoice: { mode: 'required' } }));
        await request();
        await confirm();
        const { content, stopReason } = await called;
        const use = [content].flat()[0]!;
        assert.deepEqual(
          [use.type as string, use.name, use.input, stopReason],
          ['tool_use', 'look', { at: 'it' }, 'toolUse'],
        );
        const options = await sent(question('options?', { tools, toolChoice: { mode: 'required' } }));
        const { toolMode } = JSON.parse(options.content.text as string);
        assert.equal(toolMode, vscode.LanguageModelChatToolMode.Required, 'the model must use one');
        const result = { type: 'tool_result', toolUseId: use.id, content: [said('a cat')] };
        const messages = [
          { role: 'user', content: said('call look {"at": "it"}') },
          { role: 'assistant', content: [use] },
          { role: 'user', content: [result] },
        ];
        const again = ask({ messages, tools, maxTokens: 100 });
        await request();
        await confirm();
        assert.equal([(await again).content].flat()[0]!.text, 'The tool answered: a cat');
      });

      it('renames tools that no model accepts, and passes on resources, links and sounds of results', async () => {
        const name = `admin.tools.${'x'.repeat(100)}`;
        const tools = [{ name, description: 'Looks', inputSchema: { type: 'object' } }];
        const [offered = ''] = JSON.parse((await sent(question('options?', { tools }))).content.text as string).tools;
        assert.match(offered, /^admin_tools_x+_[0-9a-f]{10}$/);
        const { content } = await sent(question(`call ${offered} {}`, { tools }));
        const use = [content].flat()[0]!;
        assert.equal(use.name, name);
        const parts = [
          { type: 'resource', resource: { uri: 'x:/a', text: 'inside' } },
          { type: 'resource_link', uri: 'x:/b', name: 'b' },
          { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        ];
        const messages = [
          { role: 'user', content: said(`call ${offered} {}`) },
          { role: 'assistant', content: [use] },
          { role: 'user', content: [{ type: 'tool_result', toolUseId: use.id, content: parts }] },
        ];
        const { content: last } = await sent({ messages, tools, maxTokens: 100 });
        const told = String([last].flat()[0]!.text);
        for (const part of ['Resource x:/a:', 'inside', 'b (x:/b)', '[audio audio/wav, 3 B]'])
          assert.ok(told.includes(part), told);
      });

      it('refuses invalid requests at once with the reason, without showing anything', async () => {
        const refused = async (params: object, reason: RegExp) => {
          const outcome = await ask(params).then(
            answered => JSON.stringify(answered),
            (error: Error) => error.message,
          );
          assert.match(outcome, reason);
        };
        await refused(question('x'.repeat(10_000_000)), /10000000 characters of text/);
        await refused({ messages: [{ role: 'system', content: said('x') }], maxTokens: 5 }, /Invalid sampling|role/);
        const image = { type: 'image', mimeType: 'image/png', data: 'bm8=' };
        await refused({ messages: [{ role: 'user', content: image }], maxTokens: 5 }, /its image is invalid/);
        await refused({ messages: [], maxTokens: 5 }, /no messages/);
        await closed();
      });

      it('does not send a review edited into something other than a request', async () => {
        const called = ask(question('hello'));
        const document = await request();
        await replace(document, '"user"', '"system"');
        await confirm();
        assert.equal(shown()?.uri.toString(), document.uri.toString(), 'it stays open');
        await replace(document, '"system"', '"user"');
        await confirm();
        assert.equal((await called).content.text, 'You said: hello');
      });

      it('stays undecided when the review is closed, which can be reopened', async () => {
        const called = ask(question('hello'));
        await request();
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await closed();
        await request();
        await confirm();
        assert.equal((await called).content.text, 'You said: hello');
      });

      it('names the reason when the model fails', async () => {
        const called = ask(question('quota')).catch((error: Error) => error.message);
        await request();
        await confirm();
        assert.match(JSON.stringify(await called), /No answer from a language model: .*quota/);
      });

      it('closes its review when the server dies @sampling.closes-review-server', async () => {
        const called = ask(question('hello')).catch((error: Error) => error.message);
        await request();
        await call(server, 'die').catch(() => undefined);
        await closed();
        assert.equal(typeof (await called), 'string');
        await loads(era);
      });
    });
  }

  describe('an excessive sampling server', () => {
    let server: ServerConnection;
    before(async () => {
      await configure({ greedy: fixture('sampling') });
      server = await loads('greedy');
    });

    it('has its review closed when it cancels @sampling.review-closed-cancels', async () => {
      const called = call(server, 'ask', { params: question('hello') });
      await request();
      assert.deepEqual(await call(server, 'cancel'), ['ask-1']);
      await called;
      await closed();
      await audited(/"server":"greedy","answer":"cancelled"/);
    });

    it('is refused all but a few of a thousand requests in a second, one review at a time', async () => {
      const flood = call(server, 'flood', { params: question('hello'), count: 1_000 });
      await request();
      for (let open = 0; open < 9; open++) {
        const document = await request();
        await deny();
        await waitFor(() => document.isClosed || shown()?.uri.path !== document.uri.path, { what: 'the next review' });
      }
      assert.deepEqual(await flood, { '-1': 9, '-32000': 991 });
      await closed();
      const { audit } = (await api()).trust();
      const limited = (await audit.read()).match(/"server":"greedy","answer":"limited"/g) ?? [];
      assert.equal(limited.length, 1, 'once in a minute');
    });

    it('has nothing more reviewed that waits when it is denied', async () => {
      await configure({ waiting: fixture('sampling') });
      server = await loads('waiting');
      const flood = call(server, 'flood', { params: question('hello'), count: 3 });
      await request();
      await set('policy', 'deny');
      try {
        await deny();
        assert.deepEqual(await flood, { '-1': 3 });
        await closed();
      } finally {
        await set('policy', undefined);
      }
    });

    it('gets no answer once the setting denies it, and learns that at its next start @sampling.gets-answer-once', async () => {
      await set('policy', 'deny');
      try {
        const { error } = await call(server, 'ask', { params: question('hello') });
        assert.deepEqual([error.code, /denies/.test(error.message)], [-1, true]);
        await configure({ everything: run(npmServerPath('everything')) });
        const { catalog } = await loads('everything');
        assert.ok(!catalog.tools.some(({ name }) => name === 'trigger-sampling-request'));
      } finally {
        await set('policy', undefined);
      }
    });
  });
});
