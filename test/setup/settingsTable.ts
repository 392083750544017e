// The settings of docs/settings.md, made of package.json.
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
  const texts = JSON.parse(readFileSync(inRepository('package.nls.json'), 'utf8')) as Record<string, string>;
  const manifest = readFileSync(inRepository('package.json'), 'utf8').replace(/"%([\w.]+)%"/g, (_, key: string) =>
    JSON.stringify(texts[key]),
  );
  return JSON.parse(manifest).contributes.configuration.map((category: Manifested) => ({
    title: category.title,
    settings: Object.entries(category.properties),
  }));
}

/** Each setting in full, by category. */
export function settingsTable(): string {
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
