import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cardChoices, findServerCards } from '../../../../../src/features/setup/core/serverCards';

describe('server cards', () => {
  let pages: Record<string, (response: ServerResponse) => void>;
  let asked: { url: string; accept: string }[];
  let origin: string;
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', accept: request.headers.accept ?? '' });
    const page = pages[request.url ?? ''];
    if (page) page(response);
    else response.writeHead(404).end('nothing');
  });
  before(done => {
    server.listen(0, '127.0.0.1', () => {
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after(() => server.closeAllConnections());
  after(done => void server.close(() => done()));
  beforeEach(() => {
    [pages, asked] = [{}, []];
  });

  const json = (value: unknown) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const card = (name: string, ...urls: string[]) => ({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `com.example/${name}`,
    title: `The ${name}`,
    description: 'What it does',
    version: '1.0.0',
    remotes: urls.map(url => ({
      type: 'streamable-http',
      url,
      headers: [{ name: 'X-Key', isRequired: true, isSecret: true, description: 'Your key' }],
    })),
  });
  const catalog = (...entries: object[]) => json({ specVersion: '1.0', entries });
  const type = 'application/mcp-server-card+json';

  it('are asked for below the address, in their media type, and fill in name, address and headers', async () => {
    pages['/mcp/server-card'] = json(card('weather', `${origin}/mcp`));
    const found = await findServerCards(`${origin}/mcp/`);
    assert.deepEqual(
      asked.map(({ url }) => url),
      ['/mcp/server-card'],
    );
    assert.match(asked[0]!.accept, /^application\/mcp-server-card\+json/);
    const [choice, ...more] = cardChoices(found);
    assert.equal(more.length, 0);
    assert.deepEqual(
      [choice?.server.title, choice?.draft.name, choice?.draft.entry],
      [
        'The weather',
        'weather',
        { type: 'http', url: `${origin}/mcp`, headers: { 'X-Key': '${input:weather-X-Key}' } },
      ],
    );
    assert.deepEqual(
      choice?.draft.inputs.map(({ id, password }) => [id, password]),
      [['weather-X-Key', true]],
    );
  });

  it('come from the catalog of the site when the server has none, by reference or embedded', async () => {
    pages['/.well-known/ai-catalog.json'] = catalog(
      { identifier: 'urn:air:example.com:a', displayName: 'A', type, url: '/cards/a' },
      {
        identifier: 'urn:air:example.com:b',
        displayName: 'B',
        mediaType: 'application/mcp-server+json',
        data: card('b', 'https://b.example/mcp'),
      },
      {
        identifier: 'urn:air:example.com:agent',
        displayName: 'No server',
        type: 'application/a2a-agent-card+json',
        url: '/cards/agent',
      },
    );
    pages['/cards/a'] = json(card('a', 'https://a.example/mcp', 'https://a.example/other'));
    const choices = cardChoices(await findServerCards(`${origin}/mcp`));
    assert.deepEqual(
      choices.map(({ address }) => address),
      ['https://a.example/mcp', 'https://a.example/other', 'https://b.example/mcp'],
    );
    assert.ok(!asked.some(({ url }) => url === '/cards/agent'));
  });

  it('come from the ard.json of the site first', async () => {
    pages['/.well-known/ard.json'] = catalog({ type, data: card('new', 'https://new.example/mcp') });
    pages['/.well-known/ai-catalog.json'] = catalog({ type, data: card('old', 'https://old.example/mcp') });
    const [choice] = cardChoices(await findServerCards(`${origin}/mcp`));
    assert.equal(choice?.address, 'https://new.example/mcp');
    assert.ok(!asked.some(({ url }) => url.endsWith('ai-catalog.json')));
  });

  it('of a catalog are not fetched from other machines without TLS, and no more than ten', async () => {
    const other = origin.replace('127.0.0.1', 'localhost');
    pages['/.well-known/ai-catalog.json'] = catalog(
      { type, url: `${other}/inside` },
      { type, url: 'file:///etc/passwd' },
      ...Array.from({ length: 30 }, (_, i) => ({ type, url: `/cards/${i}` })),
    );
    assert.deepEqual(await findServerCards(`${origin}/mcp`), []);
    assert.deepEqual(asked.length, 3 + 8);
    assert.ok(!asked.some(({ url }) => url === '/inside'));
  });

  it('never name a program to run', async () => {
    pages['/server-card'] = json({
      ...card('x', `${origin}/mcp`),
      packages: [{ registryType: 'npm', identifier: 'evil' }],
    });
    const found = await findServerCards(origin);
    assert.deepEqual(
      cardChoices(found).map(({ address }) => address),
      [`${origin}/mcp`],
    );
  });

  for (const [what, page] of Object.entries<(response: ServerResponse) => void>({
    'is no JSON': response => response.end('<html>'),
    'is no card': json([1, 2, 3]),
    'has no remotes': json({ ...card('x'), remotes: 'none' }),
    'is too large': response =>
      response.end(JSON.stringify({ ...card('x', 'https://x.example'), more: 'x'.repeat(300_000) })),
    'is a redirect': response => response.writeHead(302, { location: '/elsewhere' }).end(),
    'is an error': response => response.writeHead(500).end(),
    'breaks off': response => void response.writeHead(200).destroy(),
  }))
    it(`are left out silently when what comes ${what}`, async () => {
      pages['/mcp/server-card'] = page;
      pages['/.well-known/ai-catalog.json'] = page;
      pages['/elsewhere'] = json(card('x', 'https://x.example'));
      assert.deepEqual(await findServerCards(`${origin}/mcp`), []);
    });

  it('are given up when the site does not answer in time', async () => {
    pages['/mcp/server-card'] = () => {};
    assert.deepEqual(await findServerCards(`${origin}/mcp`, 50), []);
    assert.deepEqual(await findServerCards('not an address'), []);
  });
});
