// An MCP Registry with the API of the official one, well-behaved below `/good` and not so below other paths.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const OFFICIAL = 'io.modelcontextprotocol.registry/official';

interface Published {
  name: string;
  version: string;
  description: string;
  [key: string]: unknown;
}

/** Stands for where the registry is. */
const ORIGIN = 'http://registry.invalid';
const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><circle cx="16" cy="16" r="14" fill="#e0a000"/></svg>';
const BLUE = ICON.replace('#e0a000', '#3070d0');

const README = `# Weather
<p align="center"><img src="https://tracker.example/pixel.png" onerror="alert(1)"></p>

[![build](https://badge.example/build.svg)](https://ci.example) Forecasts from [the office](https://office.example/) for *every* place.

## Tools

- \`forecast\`: the next days
- \`warnings\`: what to **prepare** for

\`\`\`sh
npx -y @example/weather-mcp Berlin
\`\`\`
`;

/** What strangers may publish. */
const hostile: Published = {
  name: 'com.example/hostile',
  title: '<img src=x onerror=alert(1)> \u202egnp.exe',
  description: '$(trash) [click](command:workbench.action.reloadWindow) <b>bold</b>',
  version: '1.0.0\n2.0.0',
  websiteUrl: 'javascript:alert(1)',
  repository: { url: 'http://insecure.example/', source: 'github' },
  icons: [{ src: 'https://169.254.169.254/latest.png' }, { src: 'javascript:alert(1)' }, { src: 7 }],
  packages: [
    { registryType: 'npm', identifier: '--call=evil', version: '1.0.0', transport: { type: 'stdio' } },
    { registryType: '__proto__', identifier: 'x', transport: { type: 'stdio' } },
  ],
};

const weather = (version: string): Published => ({
  name: 'io.github.example/weather-mcp',
  title: 'Weather',
  description: 'Forecasts and warnings for every place',
  version,
  websiteUrl: 'https://weather.example/mcp',
  repository: { url: 'https://github.com/example/weather-mcp', source: 'github' },
  icons: [{ src: `${ORIGIN}/icons/weather.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
  _meta: { [PROVIDED]: { github: { stargazerCount: 12_345, readme: README } } },
  packages: [
    {
      registryType: 'npm',
      identifier: '@example/weather-mcp',
      version,
      transport: { type: 'stdio' },
      runtimeHint: 'npx',
      packageArguments: [
        { type: 'positional', valueHint: 'city', description: 'City to begin with', isRequired: true },
        { type: 'named', name: '--units', description: 'Units', default: 'metric', choices: ['metric', 'imperial'] },
        { type: 'named', name: '--cache', value: '{folder}/cache', variables: { folder: { default: '/tmp' } } },
      ],
      environmentVariables: [
        { name: 'WEATHER_API_KEY', description: 'Key of the weather service', isRequired: true, isSecret: true },
        { name: 'WEATHER_MODE', value: 'fast' },
        { name: 'WEATHER_PROXY', description: 'Proxy to use', format: 'string' },
      ],
    },
    { registryType: 'pypi', identifier: 'weather-mcp', version, transport: { type: 'stdio' } },
    {
      registryType: 'oci',
      identifier: 'ghcr.io/example/weather-mcp:1.1.0',
      transport: { type: 'stdio' },
      runtimeArguments: [
        { type: 'named', name: '-v', value: '{data}:/data', variables: { data: { isRequired: true } } },
      ],
      environmentVariables: [{ name: 'WEATHER_API_KEY', isRequired: true, isSecret: true }],
    },
    {
      registryType: 'mcpb',
      identifier: 'https://example.com/weather.mcpb',
      fileSha256: 'fe',
      transport: { type: 'stdio' },
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{tenant}.weather.example/mcp',
      variables: { tenant: { description: 'Your tenant', isRequired: true } },
      headers: [
        { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isRequired: true, isSecret: true } } },
        { name: 'X-Trace', description: 'Trace id' },
      ],
    },
  ],
});

const published: Published[] = [
  weather('1.1.0'),
  { name: 'com.example/empty', description: 'Says no way to run it', version: '0.1.0' },
  hostile,
  {
    name: 'com.example/old',
    description: 'Was replaced',
    version: '1.2.0',
    status: 'deprecated',
    icons: [{ src: `data:image/svg+xml;base64,${Buffer.from(BLUE).toString('base64')}` }],
    remotes: [{ type: 'streamable-http', url: 'https://old.example/mcp' }],
  },
  { name: 'com.example/gone', description: 'Was deleted', version: '9.9.9', status: 'deleted' },
  ...Array.from({ length: 70 }, (_, index) => ({
    name: `io.github.many/server-${String(index + 1).padStart(2, '0')}`,
    description: `The server with the number ${index + 1}`,
    version: '1.0.0',
    packages: [
      { registryType: 'npm', identifier: `many-${index + 1}`, version: '1.0.0', transport: { type: 'stdio' } },
    ],
  })),
];

const listed = ({ status = 'active', ...server }: Published) => ({
  server,
  _meta: { [OFFICIAL]: { status, publishedAt: '2026-01-01T00:00:00Z', isLatest: true } },
});

function answer(api: string, url: URL): unknown {
  const versions = /^\/servers\/([^/]+)\/versions$/.exec(api);
  if (versions) {
    const name = decodeURIComponent(versions[1]!);
    return name === weather('').name
      ? { servers: [listed(weather('1.1.0')), listed(weather('1.0.0'))], metadata: { count: 2 } }
      : undefined;
  }
  if (api !== '/servers') return undefined;
  const search = url.searchParams.get('search') ?? '';
  const [limit, from] = [Number(url.searchParams.get('limit') ?? 30), Number(url.searchParams.get('cursor') ?? 0)];
  const found = published.filter(({ name }) => name.includes(search));
  const servers = found.slice(from, from + limit).map(listed);
  const more = from + limit < found.length;
  return { servers, metadata: { count: servers.length, ...(more && { nextCursor: String(from + limit) }) } };
}

/** What it was asked, and where it is: `url('/good')`. */
export interface RegistryFixture {
  url(path: string): string;
  readonly requests: string[];
  stop(): Promise<void>;
}

export async function startRegistry(): Promise<RegistryFixture> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    respond(request, response);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: path => `http://127.0.0.1:${port}${path}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      return new Promise(done => server.close(() => done()));
    },
  };
}

function respond(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, kind = '', version = '', rest = ''] = /^\/([^/]*)\/(v[\d.]+)(\/.*)$/.exec(url.pathname) ?? [];
  const send = (status: number, body: string) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json' })
      .end(body.replaceAll(ORIGIN, `http://${request.headers.host}`));
  if (url.pathname === '/icons/weather.svg')
    return void response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(ICON);
  switch (kind) {
    case 'old':
      if (version !== 'v0') return void send(404, '{"error":"not found"}');
      break;
    case '500':
      return void send(500, '{"error":"database is down"}');
    case 'slow':
      return; // never
    case 'malformed':
      return void send(200, '<html>Welcome</html>');
    case 'other':
      return void send(200, '{"hello":"world"}');
    case 'huge': {
      const fill = () => {
        while (!response.destroyed && response.write(`"${'x'.repeat(65_536)}",`));
      };
      response.writeHead(200).write('{"servers":[');
      response.on('drain', fill);
      fill();
      return;
    }
    case 'here':
      return void response.writeHead(307, { Location: `/good/${version}${rest}${url.search}` }).end();
    case 'away':
      return void response.writeHead(302, { Location: `http://localhost.example/good/${version}${rest}` }).end();
    case 'loop':
      return void response.writeHead(302, { Location: request.url ?? '' }).end();
    case 'odd':
      return void send(
        200,
        JSON.stringify({ servers: [5, null, { server: {} }, { server: { name: 7 } }, listed(weather('1.1.0'))] }),
      );
  }
  const found = answer(rest, url);
  if (found) send(200, JSON.stringify(found));
  else send(404, '{"error":"Server not found"}');
}
