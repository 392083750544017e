// The tables of settings in README.md (the first sentence of each) and docs/settings.md (all of it), made of package.json.
import { readFileSync } from 'node:fs';
import { inRepository } from './paths';

interface Setting {
  default?: unknown;
  description?: string;
  markdownDescription?: string;
  enum?: string[];
  enumDescriptions?: string[];
  markdownEnumDescriptions?: string[];
  scope?: string;
  minimum?: number;
  maximum?: number;
}

interface Manifested {
  title: string;
  properties: Record<string, Setting>;
}

interface Category {
  title: string;
  settings: [key: string, setting: Setting][];
}

/** The pages with a table, and how much of a setting each says. */
export const PAGES = { 'README.md': shortTable, 'docs/settings.md': longTable } as const;
export type PageWithSettings = keyof typeof PAGES;

const BEGIN = '<!-- settings: npm run generate -->';
const END = '<!-- end of settings -->';

/** A page with its table made anew. @throws Error when it has no place for one. */
export function withSettings(page: PageWithSettings, text: string): string {
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${page} has no ${BEGIN} … ${END}`);
  return `${before}${BEGIN}\n${PAGES[page](settings())}\n${END}${after}`;
}

export const readPage = (page: PageWithSettings): string => readFileSync(inRepository(page), 'utf8');

/** In the order of the Settings editor: by category, then as `order` says. */
function settings(): Category[] {
  const texts = JSON.parse(readFileSync(inRepository('package.nls.json'), 'utf8')) as Record<string, string>;
  const manifest = readFileSync(inRepository('package.json'), 'utf8').replace(/"%([\w.]+)%"/g, (_, key: string) =>
    JSON.stringify(texts[key]),
  );
  return JSON.parse(manifest).contributes.configuration.map((category: Manifested) => ({
    title: category.title,
    settings: Object.entries(category.properties),
  }));
}

function shortTable(all: readonly Category[]): string {
  const rows = all
    .flatMap(({ settings }) => settings)
    .map(([key, setting]) => {
      const choices = setting.enum ? ` (${setting.enum.map(value => `\`${value}\``).join(', ')})` : '';
      return `| \`${key}\` | ${value(setting)} | ${firstSentence(meaning(setting))}${choices} |`;
    });
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function longTable(all: readonly Category[]): string {
  return all.map(({ title, settings }) => [`## ${title}`, longTableOf(settings)].join('\n\n')).join('\n\n');
}

function longTableOf(settings: Category['settings']): string {
  return settings
    .map(([key, setting]) => {
      const { minimum, maximum, scope } = setting;
      const range = maximum === undefined ? minimum !== undefined && `from ${minimum}` : `${minimum} to ${maximum}`;
      const facts = [`Default: ${value(setting)}`, range, scope === 'application' && 'user settings only'];
      const explained = setting.markdownEnumDescriptions ?? setting.enumDescriptions ?? [];
      const choices = (setting.enum ?? []).map((name, n) => `- \`${name}\`${explained[n] ? `: ${explained[n]}` : ''}`);
      return [
        `### \`${key}\``,
        `${linked(meaning(setting))}`,
        ...(choices.length > 0 ? [choices.join('\n')] : []),
        `${facts.filter(Boolean).join(' · ')}`,
      ].join('\n\n');
    })
    .join('\n\n');
}

const meaning = ({ markdownDescription, description = '' }: Setting) => markdownDescription ?? description;
const value = ({ default: standard }: Setting) => `\`${JSON.stringify(standard)}\``;
/** `#other.setting#` is a link in the settings editor only. */
const linked = (text: string) => text.replace(/`#([\w.]+)#`/g, '`$1`');
const firstSentence = (text: string) =>
  linked(text.match(/^.*?[^.]\.(?= |$)/s)?.[0] ?? text)
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
