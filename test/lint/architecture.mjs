// The layers of src (ARCHITECTURE.md): run by `npm run lint`. Prints what breaks them, and exits with 1 when anything does.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { featureOf, files, imports, roomOf, src } from './imports.mjs';
import { KEPT_TO } from './keptTo.mjs';

/** The folders of src/host, lowest first: what a server is, its program, the wire, the connection. */
const HOST_FOLDERS = [
  ...['settings', 'definition', 'launch', 'sandbox', 'reading'],
  ...['sdk', 'transport', 'trace', 'secrets', 'auth', 'subscriptions', 'catalog', 'connection'],
];
/** Undefined outside of them. */
const layerOf = file => {
  const [, folder] = /^host\/([^/]+)\//.exec(file) ?? [];
  if (folder === undefined) return file.startsWith('host/') ? HOST_FOLDERS.length : undefined;
  return HOST_FOLDERS.indexOf(folder);
};

const RULES = [
  {
    rule: 'base rests on nothing of ours',
    breaks: (from, to) => from.startsWith('base/') && !to.startsWith('base/'),
  },
  {
    rule: 'the host knows no feature, no editor and no gateway: it asks for what it needs through host/definition/ports.ts',
    breaks: (from, to) => from.startsWith('host/') && /^(features|editor|gateway)\//.test(to),
  },
  {
    rule: 'what is free of the editor uses only what is: base, host, gateway, a core',
    breaks: (from, to) => /^gateway\/|\/core\//.test(from) && !/^(base|host|gateway)\/|\/core\//.test(to),
  },
  {
    rule: 'what is outside the host uses its index.ts, or that of its catalog, definition, launch or settings',
    breaks: (from, to) =>
      /^(features|editor|gateway)\//.test(from) &&
      /^host\//.test(to) &&
      !/^host\/((catalog|definition|launch|settings)\/)?index$/.test(to),
  },
  {
    rule: `of the folders of the host, each rests on those before it: ${HOST_FOLDERS.join(', ')}`,
    breaks: (from, to) => layerOf(to) > layerOf(from),
  },
  {
    rule: 'src/editor is below the features',
    breaks: (from, to) => from.startsWith('editor/') && to.startsWith('features/'),
  },
  {
    rule: "a feature uses another through that one's index.ts",
    breaks: (from, to) => {
      const [mine, other] = [featureOf(from), featureOf(to)];
      return (
        other !== undefined &&
        (mine !== undefined || from.startsWith('gateway/')) &&
        mine !== other &&
        !/\/index$/.test(to)
      );
    },
  },
];

/** What an error says in English. A person is told it by src/editor/errorText.ts, in their language. */
const ENGLISH = /\bmessageOf\(|\b(?:error|Error\))\??\.(?:message|action|reason|remedy|summary)\b/;
/** These tell it to a model, a server or a log. */
const TELLS_ENGLISH = new Set([
  'editor/errorText',
  'features/clients/apiError',
  'features/chat/participant',
  'features/chat/toolCaller',
  'features/elicitation/elicitation',
  'features/languageModelTools/languageModelTools',
  'features/sampling/generate',
]);
const showsEnglish = file =>
  /^(editor|features)\/(?!.*(core|webview)\/)/.test(file) && !TELLS_ENGLISH.has(file) && ENGLISH.test(textOf(file));

/**
 * Commands that nobody reaches: neither in the palette, a menu, a key binding or a text of package.json, nor run by a page, a row or a
 * question, whose sources name them.
 */
function unreachable() {
  const { contributes } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8'));
  const { commands, menus, ...others } = contributes;
  const { commandPalette, ...places } = menus;
  const hidden = new Set(commandPalette.filter(({ when }) => when === 'false').map(({ command }) => command));
  const texts = JSON.stringify([places, others]) + readFileSync(join(src, '../package.nls.json'), 'utf8');
  const sources = files.filter(file => file !== 'editor/commandNames').map(textOf);
  return commands
    .map(({ command }) => command)
    .filter(command => hidden.has(command) && !new RegExp(`\\b${command}\\b`).test(texts))
    .filter(command => {
      // A handler's name is no use of it.
      const use = new RegExp(`['\`]${command}\\b|(?<!\\| )'${command.replace('mcpHost.', '')}'(?! ?[|>])`);
      return !sources.some(text => use.test(text));
    });
}

const MAX_LINES = 400;

/** A folder's own: what it gives to others, the script of its page; where a gateway listens, where a URL leads. */
const SHARED_FILE_NAMES = new Set(['index', 'main', 'address']);
const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm;

const problems = [
  ...[...imports].flatMap(([from, all]) =>
    all.flatMap(to =>
      RULES.filter(({ breaks }) => breaks(from, to)).map(({ rule }) => `src/${from}.ts imports src/${to}.ts: ${rule}`),
    ),
  ),
  ...files
    .filter(showsEnglish)
    .map(
      file => `src/${file}.ts reads the English of an error: what a person reads goes through src/editor/errorText.ts`,
    ),
  ...KEPT_TO.flatMap(({ name, files: keepers, rule, comments }) => {
    const found = files.filter(file => name.test(comments ? textOf(file) : codeOf(file)));
    return [
      ...found.filter(file => !keepers.test(file)).map(file => `src/${file}.ts has ${name.source}: ${rule}`),
      ...[...(keepers.names ?? [])]
        .filter(file => !found.includes(file))
        .map(file => `test/lint/keptTo.mjs lets src/${file}.ts have ${name.source}, which it has not`),
    ];
  }),
  ...documentedPaths(),
  ...files
    .map(file => [file, textOf(file).split('\n').length - 1])
    .filter(([, lines]) => lines > MAX_LINES)
    .map(([file, lines]) => `src/${file}.ts has ${lines} lines: ${MAX_LINES} at most`),
  ...unreachable().map(command => `${command} is in no menu, key binding, page or text: nobody can run it`),
  // Who searches for a name should find one thing.
  ...named(files, file => [basename(file)])
    .filter(([name]) => !SHARED_FILE_NAMES.has(name))
    .map(([name, found]) => `several files are called ${name}.ts: ${found.join(', ')}`),
  ...named(files, exportedTypes).map(([name, found]) => `several files export a type ${name}: ${found.join(', ')}`),
  ...circles(files, file => imports.get(file)).map(
    circle => `a circle: ${circle.map(file => `src/${file}.ts`).join(' → ')}`,
  ),
  // Also by types alone: of two folders one is the lower, within a feature too.
  ...[roomOf, dirname].flatMap(folderOf =>
    circles([...new Set(files.map(folderOf))], folder =>
      files.filter(file => folderOf(file) === folder).flatMap(file => imports.get(file).map(folderOf)),
    ).map(circle => `a circle of folders: ${circle.join(' → ')}`),
  ),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${files.length} files of src keep to their layers.`);

function textOf(file) {
  return readFileSync(join(src, `${file}.ts`), 'utf8');
}

/** The text of a source without comments. */
function codeOf(file) {
  return textOf(file).replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
}

/** What is wrong with the paths in ARCHITECTURE.md: which files a call passes, from those that begin it. */
function documentedPaths() {
  const text = readFileSync(join(src, '../ARCHITECTURE.md'), 'utf8');
  const lists = [...text.matchAll(/^\*\*(A .*?)\*\*[\s\S]*?\n\n((?:\d\. .*\n(?: {3}.*\n)*)+)/gm)];
  const paths = new Map(
    lists.map(([, name, list]) => [
      name,
      list
        .split(/^\d\. /m)
        .slice(1)
        .map(step => [...step.matchAll(/`([\w/]+)\.ts`/g)].map(([, file]) => file)),
    ]),
  );
  const approving = files.filter(file => /\bcalls\.approve\(/.test(codeOf(file)));
  const callers = paths.get('A tool call')?.[0] ?? [];
  return [
    ...[...paths].flatMap(([name, steps]) => [
      ...(steps.length > 8 ? [`ARCHITECTURE.md: more than eight steps: ${name}`] : []),
      ...steps
        .flat()
        .filter(file => !files.includes(file))
        .map(file => `ARCHITECTURE.md: ${name}: no src/${file}.ts`),
    ]),
    ...approving
      .filter(file => !callers.includes(file))
      .map(file => `ARCHITECTURE.md: src/${file}.ts calls tools, too`),
    ...callers.filter(file => !approving.includes(file)).map(file => `ARCHITECTURE.md: src/${file}.ts calls no tools`),
  ];
}

function exportedTypes(file) {
  const text = textOf(file);
  return [...text.matchAll(EXPORTED_TYPE)].map(([, name]) => name);
}

/** The names that several of the files have, each with its files. */
function named(files, namesOf) {
  const found = new Map();
  for (const file of files)
    for (const name of new Set(namesOf(file))) found.set(name, [...(found.get(name) ?? []), `src/${file}.ts`]);
  return [...found].filter(([, all]) => all.length > 1);
}

/** The first circle through each node that is in one (depth first). */
function circles(nodes, next) {
  const [done, path, found] = [new Set(), [], []];
  const visit = node => {
    const start = path.indexOf(node);
    if (start >= 0) return void found.push([...path.slice(start), node]);
    if (done.has(node)) return;
    path.push(node);
    for (const other of new Set(next(node))) if (other !== node) visit(other);
    path.pop();
    done.add(node);
  };
  for (const node of nodes) visit(node);
  return found;
}
