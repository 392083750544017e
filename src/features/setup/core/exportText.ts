import { indentedJson, isObject, mapTexts } from '../../../base/json';
import { isCommonValue, isSecretName, isTokenShaped, withoutKnownTokens } from '../../../base/secretWords';
import { allSecretParts, findPlainSecrets, parseServers, reachedAs, SHARED_FIELDS } from '../../../host/settings';
import { freeId } from '../../settings/core';
import { secretsToInputs } from './missingValues';
import { projectEntries, withVariableNames } from './projectServers';
import { type DraftEntry, type DraftInput, type Json, promptFor, type ServerDraft, withInputIds } from './serverDraft';

/** A server of our settings, raw, with the inputs of its settings file: one list for all of them. */
export type ExportedServer = Pick<ServerDraft, 'entry' | 'inputs' | 'name'>;

/** A value that stands in the servers in plain text: it becomes an input, unless the person keeps it. */
export interface PlainValue {
  /** Tells it from the others of the same servers. */
  id: string;
  server: string;
  /** Name of the variable, header, option, parameter or input. */
  name: string;
  kind: 'variable' | 'header' | 'argument' | 'address' | 'default';
  value: string;
  /** It looks like a secret: not to be shown. */
  isSecret: boolean;
  /** It contains nothing of use to others. */
  isHarmless: boolean;
}

/** Every value of a variable or a header, what looks like a secret elsewhere, and what inputs have at first. */
export function plainValues(servers: readonly ExportedServer[]): PlainValue[] {
  const files = new Set(servers.map(({ inputs }) => inputs));
  const defaults = [...files].flatMap((inputs, file) =>
    inputs.flatMap((input): PlainValue[] => {
      const text = input.type === 'promptString' ? input.default : undefined;
      const user = servers.find(server => server.inputs === inputs && names(server.entry, input.id));
      if (typeof text !== 'string' || text === '' || !user) return [];
      const [id, isFound] = [idOf('default', file, input.id), input.password === true];
      return [plainValue({ id, server: user.name, kind: 'default', name: input.id, value: text, isFound })];
    }),
  );
  return [...servers.flatMap((server, index) => valuesOf(server, index)), ...defaults];
}

/**
 * The text of an `mcp.json` of VS Code, or of a `.mcp.json` of all hosts, with these servers. Without secrets: what `plainValues` finds becomes an input, and is struck out
 * wherever else it stands; values of inputs are not even known here.
 * @param kept ids of the values that stay; otherwise those that are harmless.
 */
export function exportText(
  servers: readonly ExportedServer[],
  kept: ReadonlySet<string> = harmless(plainValues(servers)),
  form: 'mcp.json' | '.mcp.json' = 'mcp.json',
): string {
  const inputs = new Map<string, DraftInput>();
  // An id belongs to a settings file: that of another file is another input.
  const idsOfFiles = new Map<readonly DraftInput[], Map<string, string>>();
  const exported: Record<string, DraftEntry> = {};
  const files = [...new Set(servers.map(({ inputs: known }) => known))];
  const removed = plainValues(servers).filter(({ id }) => !kept.has(id));
  const withDefaults = (text: string) =>
    text.replace(DEFAULT, (all, name: string, value: string) =>
      form === '.mcp.json' && isHarmlessValue(name, value) ? all : `\${env:${name}}`,
    );
  const without = (text: string) => withoutKnownTokens(withoutValues(withDefaults(text), removed), REMOVED);
  for (const [index, server] of servers.entries()) {
    const { name, inputs: known } = server;
    const { entry: safe, inputs: all } = withInputs(server, index, kept);
    let free = name;
    for (let n = 2; Object.hasOwn(exported, free); n++) free = `${name}-${n}`;
    const ids = new Map(idsOfFiles.get(known));
    for (const input of all.filter(({ id }) => !ids.has(id) && names(safe, id))) {
      const id = inputs.has(input.id) ? freeId(input.id, inputs) : input.id;
      const { default: first, ...rest } = input;
      const isKept = input.type !== 'promptString' || kept.has(idOf('default', files.indexOf(known), input.id));
      inputs.set(id, {
        ...mapTexts(rest as DraftInput, without),
        ...(isKept && first !== undefined && { default: first }),
        id,
        type: input.type,
      });
      ids.set(input.id, id);
    }
    exported[free] = mapTexts(withInputIds(safe, ids), without);
    idsOfFiles.set(known, new Map([...ids].filter(([id]) => known.some(input => input.id === id))));
  }
  const list = [...inputs.values()];
  const named = withVariableNames({ servers: exported, inputs: list, values: new Map() }, () => false);
  const content =
    form === 'mcp.json'
      ? { ...(list.length > 0 && { inputs: list }), servers: exported }
      : { mcpServers: projectEntries(named.servers) };
  return `${indentedJson(content)}\n`;
}

/** In the place of a secret that can be no input there. */
const REMOVED = '•••';
const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i;
const REFERENCE = /\$\{[^{}]*\}/g;
/** What stands for an empty variable, which VS Code does not know, and which may be a secret. */
const DEFAULT = /\$\{env:([^{}]*?):-([^{}]*)\}/g;

type Path = readonly (string | number)[];

/** The strings of an entry that may hold what is to become an input. `from`: what stands before that. */
interface Place {
  path: Path;
  kind: PlainValue['kind'];
  name: string;
  value: string;
  from: number;
}

function valuesOf(server: ExportedServer, index: number): PlainValue[] {
  const parsed = parseServers({ [server.name]: plainEntry(server.name, server.entry) }).servers[0];
  const places = placesOf(parsed?.entry as Json | undefined);
  const taken = new Set(places.map(({ path }) => String(path)));
  const others = (parsed ? findPlainSecrets(parsed, { byName: true }) : [])
    .map(({ path: [, ...path], name, value }) => {
      const kind = path[0] === 'args' ? ('argument' as const) : ('address' as const);
      return { path, kind, name, value, isFound: true };
    })
    .filter(({ path }) => !taken.has(String(path)));
  return [...places.map(place => ({ ...place, isFound: false })), ...others].map(
    ({ path, kind, name, value, isFound }) =>
      plainValue({ id: idOf(index, ...path), server: server.name, kind, name, value, isFound }),
  );
}

/** The values of variables and headers, also of those that a program such as docker is given as arguments. */
function placesOf(entry: Json | undefined): Place[] {
  const pairs = (key: 'env' | 'headers', kind: Place['kind']): Place[] =>
    Object.entries(isObject(entry?.[key]) ? entry[key] : {}).map(([name, value]) => {
      const from = SCHEME.exec(String(value ?? ''))?.[0].length ?? 0;
      return { path: [key, name], kind, name, value: String(value ?? '').slice(from), from };
    });
  const args = Array.isArray(entry?.args) ? (entry.args as string[]) : [];
  const given = args.flatMap((arg, index): Place[] => {
    const isGiven = /^(?:-e|--env)$/.test(args[index - 1] ?? '');
    const [, option = '', name, value] = /^(-e|--env=)?([A-Za-z_]\w*)=(.*)$/s.exec(arg) ?? [];
    if (name === undefined || value === undefined || !(option || isGiven)) return [];
    return [{ path: ['args', index], kind: 'variable', name, value, from: arg.length - value.length }];
  });
  return [...pairs('env', 'variable'), ...pairs('headers', 'header'), ...given].filter(
    ({ value }) => value.replace(REFERENCE, '').trim() !== '',
  );
}

function withInputs({ name, entry, inputs }: ExportedServer, index: number, kept: ReadonlySet<string>): ServerDraft {
  const draft: ServerDraft = { name, entry: plainEntry(name, entry), inputs, values: new Map(), notes: [] };
  const safe = structuredClone(draft.entry);
  const all = [...inputs];
  for (const place of placesOf(safe)) {
    if (kept.has(idOf(index, ...place.path))) continue;
    const [key, at] = place.path as [string, string];
    const holder = safe[key] as Json;
    const id = freeId(`${name}-${place.name}`, new Set(all.map(input => input.id)));
    all.push(promptFor(id, `${place.name} of the MCP server ${name}`));
    holder[at] = `${String(holder[at]).slice(0, place.from)}\${input:${id}}`;
  }
  const keep = (path: Path) => kept.has(idOf(index, ...path));
  return secretsToInputs({ ...draft, entry: safe, inputs: all }, { byName: true, keep });
}

function plainValue({
  isFound,
  ...plain
}: Omit<PlainValue, 'isSecret' | 'isHarmless'> & { readonly isFound: boolean }): PlainValue {
  const { name, value } = plain;
  const isHarmless = !isFound && isHarmlessValue(name, value);
  const isSecret =
    isFound || (!isHarmless && (isSecretName(name) || isTokenShaped(value) || allSecretParts(value).length > 0));
  return { ...plain, isSecret, isHarmless };
}

function isHarmlessValue(name: string, value: string): boolean {
  if (/^(?:true|false|yes|no|on|off|0|1)$/i.test(value)) return true;
  if (/^(?:accept|content-type)$/i.test(name)) return /^[\w.+*/,;= -]{1,100}$/.test(value);
  if (isSecretName(name)) return false;
  return HARMLESS.has(value.toLowerCase()) || /^(?:\d{1,5}|[a-z]{2}(?:[-_][A-Z]{2})?(?:\.UTF-8)?|utf-?8)$/i.test(value);
}

const HARMLESS = new Set(
  `auto default none null enabled disabled debug info notice warn warning error trace verbose production development staging
  test stdio http https sse localhost`.split(/\s+/),
);

const harmless = (values: readonly PlainValue[]) =>
  new Set(values.filter(({ isHarmless }) => isHarmless).map(({ id }) => id));

/** A secret that became an input may stand elsewhere too, such as in an option. Names of inputs stay. */
function withoutValues(text: string, removed: readonly PlainValue[]): string {
  const secrets = removed.filter(({ value, isSecret }) => isSecret && !isCommonValue(value)).map(({ value }) => value);
  return text
    .split(/(\$\{[^{}]*\})/)
    .map((part, n) => (n % 2 === 1 ? part : secrets.reduce((rest, secret) => rest.replaceAll(secret, REMOVED), part)))
    .join('');
}

const names = (entry: DraftEntry, id: string) => JSON.stringify(entry).includes(`\${input:${id}}`);
const idOf = (...parts: readonly (string | number)[]) => JSON.stringify(parts);

/** The members that the other host knows, in its format: with a type, and a command line split as it is run here. */
function plainEntry(name: string, entry: DraftEntry): DraftEntry {
  const known = parseServers({ [name]: entry }).servers[0]?.entry;
  // Others do not start what they reach at an address: a person has to.
  const parsed = known && (reachedAs(known) as Json);
  // In what can't be read nothing tells which of it is secret.
  const read = parsed ?? mapTexts(entry, () => REMOVED);
  const kept = SHARED_FIELDS.filter(key => read[key] !== undefined && !isEmpty(read[key])).map(key => [key, read[key]]);
  return Object.fromEntries(kept) as DraftEntry;
}

const isEmpty = (value: unknown) =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
