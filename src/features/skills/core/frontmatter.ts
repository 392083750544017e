import { parseDocument } from 'yaml';
import { canonicalJson } from '../../../base/fingerprint';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { MAX_FRONTMATTER } from './skill';

/** How often names may stand for parts of a document: a few lines of them can stand for a text without end. */
const MAX_ALIASES = 50;
const MAX_NAMED = 3;

/**
 * Why the head of a SKILL.md is not the one that its entry shows, by which the person approved the skill
 * (skills#frontmatter-verification). Undefined: it is the same, field by field.
 */
export function frontmatterProblem(markdown: string, entry: Readonly<Record<string, unknown>>): Phrase | undefined {
  const start = /^\ufeff?---\r?\n/.exec(markdown)?.[0].length;
  const rest = markdown.slice(start, 2 * MAX_FRONTMATTER);
  const end = /^---[\t ]*$/m.exec(rest)?.index;
  if (start === undefined || end === undefined)
    return phrase('its SKILL.md has no frontmatter between two lines "---"');
  const parsed = parse(rest.slice(0, end));
  if (!isObject(parsed)) return phrase('the frontmatter of its SKILL.md cannot be read');
  const names = [...new Set([...Object.keys(entry), ...Object.keys(parsed)])];
  const other = names.filter(name => !isSame(entry[name], parsed[name]));
  if (other.length === 0) return undefined;
  const named = other.slice(0, MAX_NAMED).map(name => visible(name, 60));
  return phrase('the frontmatter of its SKILL.md is not what the server listed ({0})', named.join(', '));
}

/** Undefined for what is no YAML. */
function parse(text: string): unknown {
  try {
    const document = parseDocument(text, { schema: 'core', uniqueKeys: true, logLevel: 'silent' });
    return document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return undefined;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    return (one === undefined) === (other === undefined) && canonicalJson(one) === canonicalJson(other);
  } catch {
    return false; // too deep, or a number that JSON has not
  }
}
