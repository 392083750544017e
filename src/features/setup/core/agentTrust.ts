import { dirname, join, relative } from 'node:path';
import { parse } from 'jsonc-parser';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { type AgentFile, ENTRY } from './agentFiles';

/** Where Gemini CLI keeps which folders it trusts. */
export const trustFileOf = (file: AgentFile): string | undefined =>
  file.agent === 'Gemini CLI' ? join(dirname(file.path), 'trustedFolders.json') : undefined;

interface Told {
  readonly file: AgentFile;
  /** The text of the file. */
  readonly text: string;
  /** That of `trustFileOf`. */
  readonly trust: string | undefined;
  /** Paths of the folders of the workspace. */
  readonly folders: readonly string[];
}

/** Why an agent will not start the server although the entry is there: agents have a trust of their own. Sentences. */
export function agentRefusals({ file, text, trust, folders }: Told): Phrase[] {
  // Codex has its servers in TOML, and asks nothing about those of the person.
  if (file.format === 'codex') return [];
  const settings = objectOf(text);
  if (file.inWorkspace)
    return [
      phrase('Claude Code reads this file only in folders that it trusts, and asks once whether to use its servers.'),
    ];
  if (file.agent !== 'Gemini CLI') return [];
  const { allowed, excluded } = objectIn(settings, 'mcp');
  const isExcluded = Array.isArray(excluded) && excluded.includes(ENTRY);
  const isLeftOut = Array.isArray(allowed) && !allowed.includes(ENTRY);
  const said: Phrase[] = [];
  if (isExcluded)
    said.push(phrase('"{0}" in this file turns the server off. Take "{1}" out of it.', 'mcp.excluded', ENTRY));
  if (isLeftOut)
    said.push(
      phrase('"{0}" in this file lists the only servers that are used. Add "{1}" to it.', 'mcp.allowed', ENTRY),
    );
  const { enabled } = objectIn(objectIn(settings, 'security'), 'folderTrust');
  const rules = objectOf(trust ?? '');
  for (const folder of folders) {
    const answer = geminiTrust(rules, folder);
    if (enabled === false || answer === true || (answer === undefined && enabled !== true)) continue;
    said.push(
      phrase(
        'Gemini CLI starts no servers in {0}, because it does not trust that folder. Run /permissions in it there.',
        visible(folder, 200),
      ),
    );
  }
  return said;
}

/** Undefined: it will ask. */
function geminiTrust(rules: Readonly<Record<string, unknown>>, folder: string): boolean | undefined {
  const isIn = (outer: string) => !/^(\.\.([\\/]|$)|[A-Za-z]:|\/)/.test(relative(outer, folder));
  const answers = Object.entries(rules);
  if (answers.some(([path, answer]) => answer === 'TRUST_FOLDER' && isIn(path))) return true;
  if (answers.some(([path, answer]) => answer === 'TRUST_PARENT' && isIn(dirname(path)))) return true;
  return answers.some(([path, answer]) => answer === 'DO_NOT_TRUST' && relative(path, folder) === '')
    ? false
    : undefined;
}

const objectOf = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
  return isObject(value) ? value : {};
};
const objectIn = (object: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> =>
  Object.hasOwn(object, key) && isObject(object[key]) ? object[key] : {};
