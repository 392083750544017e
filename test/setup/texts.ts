// The texts of the sources that the editor can translate: what `t` and `verbatim` of `src/editor/window.ts` and `phrase` of
// `src/base/phrase.ts` are called with, here always a string literal.
import { readdirSync, readFileSync } from 'node:fs';
import { inRepository } from './paths';

/** The languages there are bundles for, besides English. */
export const LANGUAGES = ['de', 'ja', 'ko', 'zh-cn'] as const;

/** Every text, sorted, once. @throws Error naming the place of a call that has no string literal, which no bundle could have. */
export function textsOfSources(): string[] {
  const files = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.ts'),
  );
  return [...new Set(files.flatMap(file => textsOf(readFileSync(inRepository('src', file), 'utf8'), file)))].sort();
}

function textsOf(source: string, file: string): string[] {
  const called = [
    /import \{[^}]*\b(?:t|verbatim)\b[^}]*\} from '[^']*\/window'/.test(source) && 't|verbatim',
    /import \{[^}]*\bphrase\b[^}]*\} from '[^']*\/phrase'/.test(source) && 'phrase',
  ].filter(Boolean);
  if (called.length === 0) return [];
  return [...source.matchAll(new RegExp(`(?<![\\w.])(?:${called.join('|')})\\(\\s*`, 'g'))].map(
    ({ index, 0: call }) => {
      const literal = /^(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)(?=\s*[,)])/.exec(
        source.slice(index + call.length),
      );
      const line = source.slice(0, index).split('\n').length;
      if (!literal) throw new Error(`src/${file}:${line}: the text of t() is no string literal`);
      return contentOf(literal[0]);
    },
  );
}

/** What a string literal stands for. */
function contentOf(literal: string): string {
  const escapes: Record<string, string> = { n: '\n', t: '\t' };
  return literal
    .slice(1, -1)
    .replace(/\\(?:u\{?([0-9a-fA-F]+)\}?|(.))/gs, (_, code: string | undefined, character: string) =>
      code ? String.fromCodePoint(Number.parseInt(code, 16)) : (escapes[character] ?? character),
    );
}

/** The texts of a bundle of translations. @param file such as `l10n/bundle.l10n.de.json`. */
export const readTexts = (file: string): Record<string, string> => JSON.parse(readFileSync(inRepository(file), 'utf8'));

/** `{0}` and the like, commands of links, and code: what a translation has to keep. */
export const partsOf = (text: string): string[] =>
  [...text.matchAll(/\{\d+\}|\(command:[^)]*\)|`[^`]*`|\$\([\w-]+\)/g)].map(([part]) => part).sort();
