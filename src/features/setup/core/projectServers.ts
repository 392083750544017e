// A bundle of its own (esbuild.js), with the first `.mcp.json` of a folder.
import { type ParseError, parse } from 'jsonc-parser';
import { isObject, mapTexts, nestsTooDeeply } from '../../../base/json';
import { isSecretName } from '../../../base/secretWords';
import { fieldOf } from '../../../host/settings';
import { readServers } from './hostDialects';
import { type DraftEntry, type DraftInput, promptFor, type SettingsAddition, withInputIds } from './serverDraft';

/** The servers of a project's `.mcp.json`, in the form of our settings. */
export interface ProjectServers {
  /** As `mcpHost.servers`. What is no server is as written, for checks to say what is wrong. */
  readonly value: Readonly<Record<string, unknown>>;
  /** As `mcpHost.inputs`: what entries name, as the file has none. */
  readonly inputs: readonly DraftInput[];
}

/** Where a variable may stand for what the person is asked for. */
const ASKED_IN = new Set<unknown>(['args', 'env', 'headers', 'url']);

/**
 * Reads a `.mcp.json`, with its variables as Claude Code and the editor have them (`${NAME}`, `${env:NAME}`).
 *
 * @param has whether the editor has a variable of the environment. One that it lacks and that has no default becomes an input of
 *   this name: each member of a team is asked once, instead of setting it in a shell.
 * @returns undefined for a text that is not readable, as while somebody is writing it, or nested too deeply.
 */
export function projectServers(text: string, has: (name: string) => boolean = hasEnv): ProjectServers | undefined {
  try {
    return read(text, has);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function read(text: string, has: (name: string) => boolean): ProjectServers | undefined {
  if (nestsTooDeeply(text)) return undefined;
  const errors: ParseError[] = [];
  const content: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(content)) return undefined;
  const written = isObject(content.mcpServers) ? content.mcpServers : {};
  const drafts = readServers({ mcpServers: written }, 'claudeCode');
  const entries = new Map(drafts.map(({ name, entry }) => [name, entry]));
  const inputs = new Map(drafts.flatMap(draft => draft.inputs.map(input => [input.id, input] as const)));
  const asked = (text: string): string =>
    text.replace(/(\$?)\$\{env:([A-Za-z_]\w*)\}/g, (all, dollar: string, name: string) => {
      if (dollar || has(name)) return all;
      if (!inputs.has(name)) inputs.set(name, askedVariable(name));
      return `\${input:${name}}`;
    });
  const value = Object.entries(written).map(([name, raw]) => {
    const entry = entries.get(name);
    if (!entry || !isObject(raw)) return [name, raw] as const;
    // Fields of ours that the file may have, too. Other hosts ignore them.
    const own = Object.entries(raw).filter(([key]) => (fieldOf(key)?.role ?? 'program') !== 'program');
    const filled = mapTexts(entry, (text, [field, part]) =>
      ASKED_IN.has(field === 'headersHelper' ? part : field) ? asked(text) : text,
    );
    // What it may touch is a field of ours, too.
    const { sandbox } = Object(raw.headersHelper) as { readonly sandbox?: unknown };
    const confined = sandbox === undefined ? {} : { headersHelper: { ...Object(filled.headersHelper), sandbox } };
    return [name, { ...Object.fromEntries(own), ...filled, ...confined }] as const;
  });
  return { value: Object.fromEntries(value), inputs: [...inputs.values()] };
}

/** Whether the editor has a variable of the environment; an empty one is as good as none. */
export const hasEnv = (name: string): boolean => Boolean(process.env[name]);

const askedVariable = (name: string) => promptFor(name, name, { password: isSecretName(name) });

/** Servers of settings as a `.mcp.json` has them: inputs are variables of the environment, which all hosts know there. */
export function projectEntries(servers: Readonly<Record<string, DraftEntry>>): Record<string, DraftEntry> {
  return mapTexts(servers, text =>
    text.replace(/(?<!\$)\$\{(?:input|env):([A-Za-z_]\w*(?::-[^{}]*)?)\}/g, (_, name: string) => `\${${name}}`),
  );
}

/**
 * The addition as a `.mcp.json` can say it: its inputs are variables of the environment, `one-GITHUB_TOKEN` is `GITHUB_TOKEN`.
 * @param isTaken whether a variable or an input has this name already.
 */
export function withVariableNames<T extends Pick<SettingsAddition, 'servers' | 'inputs' | 'values'>>(
  addition: T,
  isTaken: (name: string) => boolean,
): T {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id } of addition.inputs) {
    const known = Object.keys(addition.servers).find(server => id.startsWith(`${server}-`));
    const rest = known === undefined ? id : id.slice(known.length + 1);
    const name = (/^[A-Z][A-Z0-9_]+$/.test(rest) ? rest : id)
      .toUpperCase()
      .replace(/\W+/g, '_')
      .replace(/^(?=\d|$)/, '_');
    let free = name;
    for (let n = 2; taken.has(free) || isTaken(free); n++) free = `${name}_${n}`;
    taken.add(free);
    names.set(id, free);
  }
  return {
    ...addition,
    servers: withInputIds(addition.servers, names),
    inputs: [...names.values()].map(askedVariable),
    values: new Map([...addition.values].map(([id, value]) => [names.get(id) ?? id, value])),
  };
}
