// The pages that `npm run generate` makes, whole or in part.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { SENTENCES_PAGE, sentencesPage } from '../conformance/sentences';
import { THREATS_PAGE, threatsPage } from '../security/threats';
import { FAULTS_PAGE, faultsPage } from '../soak/faults';
import { inRepository } from './paths';
import { settingsTable } from './settingsTable';

const layersPicture = () =>
  `\`\`\`text\n${execFileSync(process.execPath, [inRepository('test/setup/layersPicture.mjs')], { encoding: 'utf8' })}\`\`\``;

/** Makes each page from its present text. */
const PAGES: Record<string, (text: string) => string> = {
  [SENTENCES_PAGE]: sentencesPage,
  [THREATS_PAGE]: threatsPage,
  [FAULTS_PAGE]: faultsPage,
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
