import { mapTexts } from '../../../base/json';
import { isSecretName } from '../../../base/secretWords';
import { isContainerEngine } from '../../../host/launch';
import { findPlainSecrets, parseServers } from '../../../host/settings';
import { freeId } from '../../settings/core';
import { type DraftInput, type Json, promptFor, type ServerDraft } from './serverDraft';

/**
 * Placeholders in READMEs: `<your token>`, `YOUR_API_KEY`, `https://your-site.example`, `sk-...`, `xxxx`, `/path/to/folder`,
 * `/Users/username/Desktop`.
 */
const STAND_IN = new RegExp(
  [
    /<[A-Za-z][^<>\n]{1,60}>/,
    /\[(?:your|insert|enter|my)\b[^[\]\n]{1,60}\]/,
    /\{(?:your|insert|enter|my)\b[^{}\n]{1,60}\}/,
    /(?<![\w/@.-])(?:your|my|insert|replace|enter)[-_ ][\w -]{0,50}?(?:key|token|secret|password|id|here|url|user|username|name|me)(?![\w/])/,
    /(?<=:\/\/)your[-_][\w-]{1,50}/,
    /(?<![\w-])(?:[A-Za-z]{2,6}[-_])?(?:x{4,}|\*{3,}|\.{3}|…)(?!\w)/,
    /(?<![\w.])\/(?:absolute\/)?path\/to(?:\/[\w.-]+)*\/?/,
    /(?<!\w)(?:\/Users|\/home|[A-Za-z]:[\\/]Users)[\\/](?:your-?_?)?(?:user-?_?name|user|me|you|name)(?:[\\/][\w.-]+)*[\\/]?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);
/** Nothing longer is a stand-in, and texts from elsewhere are not searched without end. */
const MAX_LENGTH = 1_000;

/**
 * The draft with an input for each value that it leaves to the person: for stand-ins, for empty variables that are secrets by
 * their name, and for variables of the environment that the editor does not have. They are asked for once all else is settled.
 * @param hasEnv whether the editor has a variable of the environment.
 */
export function askForMissing(draft: ServerDraft, hasEnv: (name: string) => boolean): ServerDraft {
  const inputs: DraftInput[] = [...draft.inputs];
  const made = new Map<string, string>();
  const input = (name: string, what: string): string => {
    const key = `${name}\n${what}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const id = freeId(`${draft.name}-${name}`, new Set(inputs.map(({ id }) => id)));
    const description = says(what, name) ? `${name} (${what})` : name;
    inputs.push(
      promptFor(id, description, { password: isSecretName(name) || isSecretName(what.replace(/[<>[\]{} ]+/g, '_')) }),
    );
    made.set(key, `\${input:${id}}`);
    return `\${input:${id}}`;
  };
  const filled = (name: string, text: string): string => {
    if (text.length > MAX_LENGTH) return text;
    if (text === '' && isSecretName(name)) return input(name, name);
    return text
      .replace(/(\$?)\$\{env:([^{}]+)\}/g, (all, dollar: string, variable: string) =>
        dollar || variable.includes(':-') || hasEnv(variable) ? all : input(variable, variable),
      )
      .split(/(\$?\$\{[^{}]*\})/)
      .map((part, index) => (index % 2 === 1 ? part : part.replace(STAND_IN, found => input(name, found))))
      .join('');
  };
  const { args, command, env } = draft.entry;
  const list = Array.isArray(args) ? args : [];
  // `docker run -e NAME` hands on a variable that it is started with.
  const handedOn = isContainerEngine(String(command))
    ? list.filter(
        (name, index): name is string =>
          typeof name === 'string' && /^(-e|--env)$/.test(String(list[index - 1])) && /^[A-Za-z_]\w*$/.test(name),
      )
    : [];
  const wanted = handedOn.filter(name => !Object.hasOwn((env ?? {}) as object, name) && !hasEnv(name));
  const given = Object.fromEntries(wanted.map(name => [name, input(name, name)]));
  const entry = mapTexts(draft.entry, (text, [field, key]) => {
    if (field === 'args') return filled(nameOfArgument(text, list[Number(key) - 1]), text);
    if (field === 'env' || field === 'headers') return filled(String(key), text);
    return field === 'url' || field === 'cwd' ? filled(field, text) : text;
  });
  if (wanted.length > 0) entry.env = { ...Object(entry.env), ...given };
  return inputs.length === draft.inputs.length ? draft : { ...draft, entry, inputs };
}

/** Whether a placeholder says more than the name that it stands for, as `YOUR_API_KEY` does not. */
function says(what: string, name: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\b(your|my|insert|enter|replace|here)\b|[^a-z\d]/g, '');
  const words = plain(what.replace(/_/g, ' '));
  return !/^[x.*…]*$/.test(words) && !plain(name.replace(/_/g, ' ')).includes(words);
}

/** `--api-key X`, `--api-key=X` and `API_KEY=X` are named; all else is an argument. */
function nameOfArgument(argument: string, before: unknown): string {
  const named = /^-{0,2}([A-Za-z][\w-]*)=/.exec(argument)?.[1];
  const option = typeof before === 'string' ? /^--?([A-Za-z][\w-]+)$/.exec(before)?.[1] : undefined;
  return named ?? option ?? 'argument';
}

const LOOKS = 10;

/**
 * The draft with `${input:…}` for every secret in plain text; their values go into `values`.
 * @param byName see `findPlainSecrets`: for writing without a question about single values.
 * @param keep whether the string at a path within the entry stays unchanged.
 */
export function secretsToInputs(
  draft: ServerDraft,
  {
    byName = false,
    keep = () => false,
  }: { byName?: boolean; keep?: (path: readonly (string | number)[]) => boolean } = {},
): ServerDraft {
  const entry = structuredClone(draft.entry);
  const inputs: DraftInput[] = [...draft.inputs];
  const values = new Map(draft.values);
  const add = (name: string, value: string): string => {
    const id = freeId(`${draft.name}-${name}`, new Set(inputs.map(({ id }) => id)));
    inputs.push(promptFor(id, `${name} of the MCP server ${draft.name}`));
    values.set(id, value);
    return `\${input:${id}}`;
  };
  // One string may hold several: each look finds one more, and the last takes all of a string that still has some.
  for (let look = 0; look <= LOOKS; look++) {
    const [server] = parseServers({ [draft.name]: entry }).servers;
    const found = (server ? findPlainSecrets(server, { byName }) : []).filter(({ path }) => !keep(path.slice(1)));
    if (found.length === 0) break;
    if (
      server?.entry?.type === 'stdio' &&
      entry.args === undefined &&
      found.some(({ path }) => path.at(-2) === 'args')
    ) {
      // A whole command line in `command`: its secrets stand in the arguments that it is split into.
      const { command, args } = server.entry;
      Object.assign(entry, { command, ...(args.length > 0 && { args: [...args] }) });
    }
    for (const { path, name, value, index } of found) {
      const holder = path.slice(1, -1).reduce<unknown>((of, key) => (of as Json)?.[key], entry) as Json | undefined;
      const key = path.at(-1)!;
      const text = String(holder?.[key]);
      const part = look < LOOKS ? value : text;
      // There may be spaces before `index` that reading has left out.
      const start = look < LOOKS ? text.indexOf(part, index) : 0;
      if (holder && start >= 0) holder[key] = text.slice(0, start) + add(name, part) + text.slice(start + part.length);
    }
  }
  return { ...draft, entry, inputs, values };
}
