import assert from 'node:assert/strict';
import { UI_EXTENSION } from '../../../src/host/catalog';
import { fixture, hostile } from '../host/testHost';
import { ERAS, TestGateway } from './testGateway';

/** As the editor's own client says that it draws apps. */
const drawing = { capabilities: { extensions: { [UI_EXTENSION]: { mimeTypes: ['text/html;profile=mcp-app'] } } } };
/** As it marks the calls that a chat makes. */
const inChat = { _meta: { 'vscode.conversationId': 'chat-1' } };

for (const era of ERAS) {
  describe(`apps through the gateway, ${era} era:`, () => {
    let t: TestGateway;
    beforeEach(async () => {
      t = new TestGateway();
      await t.serve({ apps: fixture('apps') });
    });
    afterEach(() => t.close());

    it('a client that draws no apps neither gets nor calls app-only tools @apps.client-draws-apps', async () => {
      const client = await t.connect('apps', era);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      assert.deepEqual(names, ['say', 'show_board', 'plan', 'erase']);
      await assert.rejects(client.callTool({ name: 'refresh', arguments: {} }), /Unknown tool: refresh/);
      assert.deepEqual(
        t.events.filter(({ type }) => type === 'call'),
        [],
      );
    });

    it('a client that draws apps gets all tools, with what it needs to draw them', async () => {
      const client = await t.connect('apps', era, drawing);
      const { tools } = await client.listTools();
      const refresh = tools.find(({ name }) => name === 'refresh') ?? assert.fail('no refresh');
      assert.deepEqual(refresh._meta, { ui: { resourceUri: 'ui://apps/board', visibility: ['app'] } });
      const { contents } = await client.readResource({ uri: 'ui://apps/board' });
      assert.equal(contents[0]?.mimeType, 'text/html;profile=mcp-app');
      assert.match('text' in contents[0]! ? contents[0].text : '', /^<!doctype html>/);
    });

    it('a chat of such a client cannot call app-only tools; its apps can, after a question @apps.chat-client-call', async () => {
      const asked: string[] = [];
      t.answer = ({ tool }) => {
        asked.push(tool.name);
        return { answer: 'allow' };
      };
      const client = await t.connect('apps', era, drawing);
      await client.listTools();
      await assert.rejects(client.callTool({ name: 'refresh', arguments: {}, ...inChat }), /Unknown tool: refresh/);
      assert.deepEqual(asked, []);
      await client.callTool({ name: 'refresh', arguments: {} });
      assert.deepEqual(asked, ['refresh']);
      // The editor asks before calls of its chat, and not before those of an app.
      await client.callTool({ name: 'erase', arguments: {}, ...inChat });
      assert.deepEqual(asked, ['refresh']);
      await client.callTool({ name: 'erase', arguments: {} });
      assert.deepEqual(asked, ['refresh', 'erase']);
    });

    it('a client that draws apps gets the page that the person agreed to, or none', async () => {
      const asked: string[] = [];
      t.appPage = async (server, uri) => {
        asked.push(`${server.name} ${uri}`);
        return { contents: [{ uri, text: 'agreed' }] };
      };
      const client = await t.connect('apps', era, drawing);
      const uri = 'ui://apps/board';
      assert.deepEqual((await client.readResource({ uri })).contents, [{ uri, text: 'agreed' }]);
      assert.deepEqual(asked, [`apps ${uri}`]);
      t.appPage = () => Promise.reject(new Error('you did not agree to it'));
      await assert.rejects(client.readResource({ uri }), /you did not agree to it/);
    });

    it('a client that draws apps gets no address of one that is none', async () => {
      await t.serve({ drawing: fixture('apps', '--drawing') });
      const { tools } = await (await t.connect('drawing', era, drawing)).listTools();
      const uiOf = (name: string) => tools.find(tool => tool.name === name)?._meta?.ui;
      assert.deepEqual(uiOf('odd'), { visibility: ['model'] });
      assert.deepEqual(uiOf('show_board'), { resourceUri: 'ui://apps/board' });
    });

    it('a chat that draws apps gets no picture that it could not draw beside them; an app gets all', async () => {
      await t.serve({ drawing: fixture('apps', '--drawing') });
      const client = await t.connect('drawing', era, drawing);
      await client.listTools();
      const kinds = async (name: string, meta = {}) =>
        (await client.callTool({ name, arguments: {}, ...meta })).content.map(({ type }) => type);
      assert.deepEqual(await kinds('show_board', inChat), ['text', 'text']);
      assert.deepEqual(await kinds('refresh'), ['text', 'image']);
    });

    it('a call that no chat makes is asked about only where a server has apps that may make it', async () => {
      await t.serve({ hostile: hostile() });
      let asked = 0;
      t.answer = () => {
        asked++;
        return { answer: 'allow' };
      };
      const client = await t.connect('hostile', era, drawing);
      await client.listTools();
      await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
      assert.equal(asked, 0);
    });

    it('two clients, one drawing apps, do not notify each other endlessly', async () => {
      const [plain, other] = [await t.connect('apps', era), await t.connect('apps', era, drawing)];
      let changes = 0;
      for (const client of [plain, other])
        client.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
      for (const client of [plain, other, plain, other]) await client.listTools();
      await plain.callTool({ name: 'say', arguments: {}, ...inChat });
      assert.equal(changes, 0);
    });
  });
}
