import { resolve } from 'node:path';
import fc from 'fast-check';
import { ENV, hostile, INPUT_IDS, names, oneOf, pick, secret } from './texts';

export type Json = Record<string, unknown>;

/** Any JSON, deep at times. */
export const json: fc.Arbitrary<unknown> = oneOf<unknown>(
  [
    6,
    fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        hostile,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 3 }),
      ),
    })).value,
  ],
  [1, fc.integer({ min: 50, max: 600 }).map(deep)],
);

function deep(levels: number): unknown {
  let value: unknown = 'deep';
  for (let n = 0; n < levels; n++) value = n % 2 ? [value] : { a: value };
  return value;
}

/** Now and then something that has no business there. */
const or = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> => oneOf<unknown>([60, good], [1, json]);
const record = (model: Record<string, fc.Arbitrary<unknown>>, required: readonly string[] = []): fc.Arbitrary<Json> =>
  fc.record(model, { requiredKeys: [...required] }) as fc.Arbitrary<Json>;

const variableName = oneOf<string>([5, pick('MODE', 'NODE_OPTIONS', 'PATH', 'DEBUG', 'LD_PRELOAD')], [1, names]);
const common = {
  enabled: or(fc.boolean()),
  start: or(pick('onStartup', 'onDemand', 'never')),
  timeouts: or(
    record({ startMs: fc.integer({ min: 1, max: 90_000 }), requestMs: fc.integer({ min: 1, max: 90_000 }) }),
  ),
  roots: or(oneOf<unknown>([2, pick('workspace', 'none')], [1, fc.array(hostile, { maxLength: 2 })])),
};
const path = oneOf<string>(
  [2, pick('.env', '/etc/x', '${workspaceFolder}/a', '~/b')],
  [2, hostile.map(text => `./${text}`)],
);
const program = record(
  {
    ...common,
    type: or(pick('stdio')),
    command: or(oneOf<string>([3, pick('node', 'npx', '/usr/bin/env', 'npx -y "a b" c')], [2, hostile])),
    args: or(fc.array(hostile, { maxLength: 5 })),
    env: or(fc.dictionary(variableName, oneOf<unknown>([5, hostile], [1, fc.constant(null)]), { maxKeys: 4 })),
    cwd: or(path),
    envFile: or(path),
  },
  ['command'],
);
const address = oneOf<string>(
  [
    4,
    pick(
      'https://h.example/mcp',
      'http://h.example/mcp?a=1',
      'http://localhost:3000/',
      'https://[::1]/',
      'unix:///s#/m',
    ),
  ],
  [2, hostile.map(text => `https://h.example/${text}`)],
  [1, hostile],
);
const remote = record(
  {
    ...common,
    type: or(pick('http', 'sse')),
    url: or(address),
    headers: or(fc.dictionary(pick('X-Mode', 'Accept', 'X-Odd', 'Authorization'), hostile, { maxKeys: 3 })),
    oauth: or(
      record({ clientId: hostile, scopes: fc.array(pick('read', 'write'), { maxLength: 2 }), issuer: address }),
    ),
  },
  ['url'],
).map(withHelper);

/** With a program that prints headers, made of what is there: nothing more is drawn. */
function withHelper(entry: Json): Json {
  const texts = Object.values(Object(entry.headers)).filter(value => typeof value === 'string');
  if (texts.length === 0) return entry;
  const [line = ''] = texts;
  return { ...entry, headersHelper: 'oauth' in entry ? line : { command: './print', args: texts } };
}

/** A value of `mcpHost.servers`, before secrets are put into it. */
const plainEntry = oneOf<unknown>([10, program], [7, remote], [1, json]);

/** A way to put a secret into an entry, where its name or its place says that it is one. */
const PLACES: ((entry: Json, value: string) => boolean)[] = [
  (entry, value) => into(entry, 'env', 'API_TOKEN', value, 'command'),
  (entry, value) => into(entry, 'env', 'DB_PASSWORD', value, 'command'),
  (entry, value) => into(entry, 'env', 'PGPASSWORD', value, 'command'),
  (entry, value) => into(entry, 'env', 'STORAGE', `AccountName=a;AccountKey=${value};Suffix=x`, 'command'),
  (entry, value) => append(entry, ['--token', value]),
  (entry, value) => append(entry, [`--api-key=${value}`]),
  (entry, value) => append(entry, [`postgresql://me:${encodeURIComponent(value)}@h.example/db`]),
  (entry, value) => append(entry, ['--header', `Authorization: Bearer ${value}`]),
  (entry, value) => into(entry, 'headers', 'Authorization', `Bearer ${value}`, 'url'),
  (entry, value) => into(entry, 'headers', 'X-Api-Key', value, 'url'),
  (entry, value) => into(entry, 'oauth', 'clientSecret', value, 'url'),
  (entry, value) => query(entry, url => url.searchParams.set('token', value)),
  (entry, value) => query(entry, url => Object.assign(url, { username: 'me', password: encodeURIComponent(value) })),
];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function into(entry: Json, field: string, name: string, value: string, kind: string): boolean {
  if (typeof entry[kind] !== 'string') return false;
  entry[field] = { ...(isObject(entry[field]) ? entry[field] : {}), [name]: value };
  return true;
}

function append(entry: Json, args: string[]): boolean {
  if (typeof entry.command !== 'string' || !(entry.args === undefined || Array.isArray(entry.args))) return false;
  // A whole command line in "command" is split only when there are no arguments.
  entry.args = [...(entry.args ?? []), ...args];
  return true;
}

function query(entry: Json, change: (url: URL) => void): boolean {
  if (typeof entry.url !== 'string' || !/^https?:/.test(entry.url) || !URL.canParse(entry.url)) return false;
  const url = new URL(entry.url);
  change(url);
  entry.url = url.href;
  return true;
}

export interface SecretEntry {
  entry: unknown;
  /** Those that stand in it. */
  secrets: string[];
}

export const entries: fc.Arbitrary<SecretEntry> = fc
  .tuple(plainEntry, fc.array(fc.tuple(secret, fc.nat(PLACES.length - 1)), { maxLength: 2 }))
  .map(([plain, planted]) => {
    const entry = structuredClone(plain);
    if (!isObject(entry)) return { entry, secrets: [] };
    const secrets = planted.filter(([value, place]) => PLACES[place]!(entry, value)).map(([value]) => value);
    // A later one may have taken the place of an earlier one.
    const text = JSON.stringify(entry);
    const stands = (value: string) =>
      [value, encodeURIComponent(value)].some(form => text.includes(JSON.stringify(form).slice(1, -1)));
    return { entry, secrets: secrets.filter(stands) };
  });

const id = oneOf<string>([8, pick(...INPUT_IDS)], [1, names]);
export const input = oneOf<unknown>(
  [
    4,
    record({ id, type: pick('promptString'), description: hostile, default: hostile, password: fc.boolean() }, [
      'id',
      'type',
    ]),
  ],
  [
    2,
    record(
      { id, type: pick('pickString'), options: fc.array(hostile, { minLength: 1, maxLength: 3 }), default: hostile },
      ['id', 'type', 'options'],
    ),
  ],
  [
    4,
    record(
      {
        id,
        type: pick('command'),
        command: oneOf([2, pick('workbench.action.createTerminalEditor')], [1, hostile]),
        args: json,
      },
      ['id', 'type', 'command'],
    ),
  ],
  [1, json],
);
export const inputs = or(fc.array(input, { maxLength: 4 }));

export const variables = fc.record({
  config: fc.dictionary(pick('a.b', 'proxy'), oneOf<unknown>([4, hostile], [1, json]), { maxKeys: 2 }),
  workspaceKeys: fc.subarray(['a.b', 'proxy']),
});

export type Variables = typeof variables extends fc.Arbitrary<infer T> ? T : never;

/** What variables mean in a window with the folder /work. */
export const contextOf = ({ config, workspaceKeys }: Variables) => ({
  workspaceFolder: resolve('/work'),
  workspaceFolders: { a: resolve('/work') },
  userHome: resolve('/home/me'),
  env: (name: string) => (Object.hasOwn(ENV, name) ? ENV[name as keyof typeof ENV] : undefined),
  config: (key: string) => (Object.hasOwn(config, key) ? config[key] : undefined),
  isWorkspaceConfig: (key: string) => workspaceKeys.includes(key),
});
