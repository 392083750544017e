// Ten tasks for a model, with what a good one does in each of two ways: the scripted model of test/bench/codeMode.bench.ts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One call of a tool of a server. */
export type TaskCall = readonly [server: 'filesystem' | 'memory' | 'everything', tool: string, args: object];

export interface Task {
  readonly ask: string;
  /** The calls of each answer of the model: what is independent is called at once, as good models do. */
  readonly rounds: readonly (readonly TaskCall[])[];
  readonly scripts: readonly string[];
  /** What must come out of the scripts. */
  readonly finds: RegExp;
}

const files = Array.from({ length: 8 }, (_, at) => `module${at}.ts`);

/** Writes the project that the tasks are about. */
export function writeProject(folder: string): void {
  for (const name of ['src', 'logs', 'data']) mkdirSync(join(folder, name), { recursive: true });
  for (const [at, name] of files.entries()) {
    const lines = Array.from({ length: 60 }, (_, line) =>
      line % 23 === at
        ? `// TODO(${name}): handle case ${line}`
        : `export const value${line} = compute(${at}, ${line});`,
    );
    writeFileSync(join(folder, 'src', name), lines.join('\n'));
  }
  for (let day = 1; day <= 5; day++) {
    const lines = Array.from({ length: 120 }, (_, line) => {
      const level = (line * 7 + day) % 40 === 0 ? 'ERROR' : 'INFO';
      return `2026-11-0${day}T08:${String(line % 60).padStart(2, '0')}:00Z ${level} request ${line} took ${(line * 37) % 900} ms`;
    });
    writeFileSync(join(folder, 'logs', `day${day}.log`), lines.join('\n'));
  }
  const orders = Array.from({ length: 80 }, (_, id) => ({
    id,
    customer: `customer ${id % 9}`,
    state: id % 4 === 0 ? 'open' : 'shipped',
    total: (id * 13) % 250,
  }));
  writeFileSync(join(folder, 'data', 'orders.json'), JSON.stringify(orders, null, 1));
  writeFileSync(join(folder, 'data', 'readme.txt'), 'Orders of the last month.');
}

export function tasksIn(folder: string): readonly Task[] {
  const path = (...parts: string[]) => join(folder, ...parts);
  const read = (...parts: string[]): TaskCall => ['filesystem', 'read_text_file', { path: path(...parts) }];
  const list = (name: string): TaskCall => ['filesystem', 'list_directory', { path: path(name) }];
  const sources = files.map(name => read('src', name));
  const logs = [1, 2, 3, 4, 5].map(day => read('logs', `day${day}.log`));
  const at = (...parts: string[]) => JSON.stringify(path(...parts));
  return [
    {
      ask: 'What does the readme in data say?',
      rounds: [[read('data', 'readme.txt')]],
      scripts: [`return (await tools.filesystem__read_text_file({ path: ${at('data', 'readme.txt')} })).content;`],
      finds: /Orders of the last month/,
    },
    {
      ask: 'What is 17 and 25 together?',
      rounds: [[['everything', 'get-sum', { a: 17, b: 25 }]]],
      scripts: ['return tools.everything__get_sum({ a: 17, b: 25 });'],
      finds: /42/,
    },
    {
      ask: 'Which source files have a TODO, and in which lines?',
      rounds: [[list('src')], sources],
      scripts: [
        `const dir = ${at('src')};
const { content } = await tools.filesystem__list_directory({ path: dir });
for (const [, name] of content.matchAll(/\\[FILE\\] (\\S+)/g)) {
  const file = await tools.filesystem__read_text_file({ path: dir + '/' + name });
  file.content.split('\\n').forEach((line, i) => line.includes('TODO') && console.log(name, i + 1));
}`,
      ],
      finds: /module7\.ts 8\nmodule7\.ts 31/,
    },
    {
      ask: 'How many errors are in the log of each day?',
      rounds: [[list('logs')], logs],
      scripts: [
        `for (let day = 1; day <= 5; day++) {
  const { content } = await tools.filesystem__read_text_file({ path: ${at('logs')} + '/day' + day + '.log' });
  console.log(day, content.split('ERROR').length - 1);
}`,
      ],
      finds: /^1 3\n/,
    },
    {
      ask: 'What is the total of the open orders, for each customer?',
      rounds: [[read('data', 'orders.json')]],
      scripts: [
        `const { content } = await tools.filesystem__read_text_file({ path: ${at('data', 'orders.json')} });
const totals = {};
for (const { customer, state, total } of JSON.parse(content))
  if (state === 'open') totals[customer] = (totals[customer] ?? 0) + total;
return totals;`,
      ],
      finds: /"customer 0":\d+/,
    },
    {
      ask: 'Which request was the slowest on the third day?',
      rounds: [[read('logs', 'day3.log')]],
      scripts: [
        `const { content } = await tools.filesystem__read_text_file({ path: ${at('logs', 'day3.log')} });
const ms = line => Number(/took (\\d+)/.exec(line)[1]);
return content.split('\\n').sort((a, b) => ms(b) - ms(a))[0];`,
      ],
      finds: /request 73 took 1 ms|took 8\d\d ms/,
    },
    {
      ask: 'Remember every source file with its number of lines as an entity.',
      rounds: [
        [list('src')],
        sources,
        [
          [
            'memory',
            'create_entities',
            { entities: files.map(name => ({ name, entityType: 'source', observations: ['60 lines'] })) },
          ],
        ],
      ],
      scripts: [
        `const dir = ${at('src')};
const { content } = await tools.filesystem__list_directory({ path: dir });
const entities = [];
for (const [, name] of content.matchAll(/\\[FILE\\] (\\S+)/g)) {
  const file = await tools.filesystem__read_text_file({ path: dir + '/' + name });
  entities.push({ name, entityType: 'source', observations: [file.content.split('\\n').length + ' lines'] });
}
await tools.memory__create_entities({ entities });
return entities.length + ' remembered';`,
      ],
      finds: /8 remembered/,
    },
    {
      ask: 'Which remembered source files have 60 lines?',
      rounds: [[['memory', 'read_graph', {}]]],
      scripts: [
        `const { entities } = await tools.memory__read_graph();
return entities.filter(one => one.observations.includes('60 lines')).map(one => one.name).join();`,
      ],
      finds: /module0\.ts,module1\.ts/,
    },
    {
      ask: 'Which file of the project is the largest?',
      rounds: [
        [list('src'), list('logs'), list('data')],
        [
          ...files.map((name): TaskCall => ['filesystem', 'get_file_info', { path: path('src', name) }]),
          ...[1, 2, 3, 4, 5].map(
            (day): TaskCall => ['filesystem', 'get_file_info', { path: path('logs', `day${day}.log`) }],
          ),
          ['filesystem', 'get_file_info', { path: path('data', 'orders.json') }],
          ['filesystem', 'get_file_info', { path: path('data', 'readme.txt') }],
        ],
      ],
      scripts: [
        `const sizes = [];
for (const dir of ['src', 'logs', 'data']) {
  const { content } = await tools.filesystem__list_directory({ path: ${at()} + '/' + dir });
  const names = [...content.matchAll(/\\[FILE\\] (\\S+)/g)].map(found => found[1]);
  await Promise.all(names.map(async name => {
    const info = await tools.filesystem__get_file_info({ path: [${at()}, dir, name].join('/') });
    sizes.push([Number(/size: (\\d+)/.exec(info.content)[1]), dir + '/' + name]);
  }));
}
return sizes.sort((a, b) => b[0] - a[0])[0];`,
      ],
      finds: /data\/orders\.json/,
    },
    {
      ask: 'Write the slowest request of each day into logs/slowest.txt.',
      rounds: [
        logs,
        [
          [
            'filesystem',
            'write_file',
            {
              path: path('logs', 'slowest.txt'),
              content: [1, 2, 3, 4, 5].map(day => `2026-11-0${day}T08:13:00Z INFO request 73 took 899 ms`).join('\n'),
            },
          ],
        ],
      ],
      scripts: [
        `const ms = line => Number(/took (\\d+)/.exec(line)[1]);
const slowest = [];
for (let day = 1; day <= 5; day++) {
  const { content } = await tools.filesystem__read_text_file({ path: ${at('logs')} + '/day' + day + '.log' });
  slowest.push(content.split('\\n').sort((a, b) => ms(b) - ms(a))[0]);
}
await tools.filesystem__write_file({ path: ${at('logs', 'slowest.txt')}, content: slowest.join('\\n') });
return slowest.length + ' written';`,
      ],
      finds: /5 written/,
    },
  ];
}
