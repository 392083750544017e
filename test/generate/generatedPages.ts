// The pages that `npm run generate` makes, whole or in part.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { sentencesPage } from '../conformance/sentences';
import { threatsPage } from '../security/threats';
import { inRepository } from '../setup/paths';
import { faultsPage } from '../soak/faults';

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
  /** Of an object whose fields are explained one by one. */
  properties?: Record<string, Setting>;
}

interface Manifested {
  title: string;
  properties: Record<string, Setting>;
}

interface Category {
  title: string;
  settings: [key: string, setting: Setting][];
}

/** In the order of the Settings editor: by category, then as `order` says. */
function settings(): Category[] {
  const texts = JSON.parse(fs.readFileSync(inRepository('package.nls.json'), 'utf8')) as Record<string, string>;
  const manifest = fs
    .readFileSync(inRepository('package.json'), 'utf8')
    .replace(/"%([\w.]+)%"/g, (_, key: string) => JSON.stringify(texts[key]));
  return JSON.parse(manifest).contributes.configuration.map((category: Manifested) => ({
    title: category.title,
    settings: Object.entries(category.properties),
  }));
}

/** Each setting in full, by category. */
function settingsTable(): string {
  return settings()
    .map(({ title, settings }) => `## ${title}\n\n${tableOf(settings)}`)
    .join('\n\n');
}

function tableOf(settings: Category['settings']): string {
  return settings
    .map(([key, setting]) => {
      const facts = [factsOf(setting), setting.scope === 'application' && 'user settings only'];
      const explained = setting.markdownEnumDescriptions ?? setting.enumDescriptions ?? [];
      const choices = (setting.enum ?? []).map((name, n) => `- \`${name}\`${explained[n] ? `: ${explained[n]}` : ''}`);
      const fields = Object.entries(setting.properties ?? {})
        .filter(([, field]) => field.markdownDescription)
        .map(([name, field]) => `- \`${name}\`: ${linked(meaning(field))} ${factsOf(field)}`);
      return [
        `### \`${key}\``,
        `${linked(meaning(setting))}`,
        ...[choices, fields].filter(list => list.length > 0).map(list => list.join('\n')),
        `${facts.filter(Boolean).join(' · ')}`,
      ].join('\n\n');
    })
    .join('\n\n');
}

function factsOf(setting: Setting): string {
  const { minimum, maximum } = setting;
  const range = maximum === undefined ? minimum !== undefined && `from ${minimum}` : `${minimum} to ${maximum}`;
  return [setting.default !== undefined && `Default: ${value(setting)}`, range].filter(Boolean).join(' · ');
}

const meaning = ({ markdownDescription, description = '' }: Setting) => markdownDescription ?? description;
const value = ({ default: standard }: Setting) => `\`${JSON.stringify(standard)}\``;
/** `#other.setting#` is a link in the settings editor only. */
const linked = (text: string) => text.replace(/`#([\w.]+)#`/g, '`$1`');

const layersPicture = () =>
  `\`\`\`text\n${execFileSync(process.execPath, [inRepository('test/generate/layersPicture.mjs')], { encoding: 'utf8' })}\`\`\``;

/** Tables of what is proved, to read: they are not kept, as they are made of JSON files that are. */
export const TABLES: Record<string, () => string> = {
  'artifacts/tables/sentences.md': sentencesPage,
  'artifacts/tables/threats.md': threatsPage,
  'artifacts/tables/faults.md': faultsPage,
};

/** Makes each page from its present text. */
const PAGES: Record<string, (text: string) => string> = {
  'docs/settings.md': withPart(settingsTable),
  'ARCHITECTURE.md': withPart(layersPicture),
};
export const GENERATED_PAGES = Object.keys(PAGES);

const BEGIN = '<!-- made by npm run generate -->';
const END = '<!-- end -->';

export const readPage = (page: string): string => fs.readFileSync(inRepository(page), 'utf8');

/** The page, as it should be. @throws Error when it has no place for the part that is made. */
export const madePage = (page: string, text: string): string => PAGES[page]?.(text) ?? text;

function withPart(make: () => string): (text: string) => string {
  return text => {
    const [before, rest] = text.split(BEGIN);
    const after = rest?.split(END)[1];
    if (before === undefined || after === undefined) throw new Error(`no place between ${BEGIN} and ${END}`);
    return `${before}${BEGIN}\n${make()}\n${END}${after}`;
  };
}
