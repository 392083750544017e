import vscode = require('vscode');

import { lazy } from '../base/events';
import { isObject, parsedJson } from '../base/json';
import { fileAssociations, isNamed, languagesOf } from './fileAssociations';

/**
 * Languages that are only coloured. Ours are in `media/languages`: no extension knows them, and they use those grammars of the editor that
 * stay fast. Markdown has a grammar of its own, because the editor's includes the grammars of all other languages.
 */
const SHOWN = /^(plaintext|log|jsonl|csv|tsv|mcp-host-.*)$/;
/** The ending of files in our languages. */
const OURS = '.mcp';
/** Languages that extensions read by the name of the file (`package.json`) and by what it names: they fetch schemas, and run scripts. */
const JSON_LANGUAGE = /^(json|jsonc|snippets)$/;
/** Characters of a line that is coloured, in the page of the window, in a time that may grow with its square. */
const MAX_COLOURED = 300;

/** A text of a server. */
interface ServersText {
  /** The id of the server which may have named it. */
  readonly server?: string | undefined;
  /** Absent: it is not known yet. */
  readonly text?: (() => string) | undefined;
}

/** Stands for a text that is not known: nothing that the editor's grammars colour, and no name without an ending. */
const unknownText = (): string => '';

/** Servers that are confined: the editor is not to fetch what their texts name. */
const confined = new Set<string>();

/** To be called for each server that is confined. */
export const noteConfined = (server: string): void => void confined.add(server);

const isConfined = ({ server }: ServersText): boolean => server !== undefined && confined.has(server);

/** What the editor's own previews show, or one that the person has installed for it. */
const MEDIA =
  /\.(png|jpe?g|jpe|gif|webp|bmp|ico|avif|tiff|mp3|wav|og[agv]|opus|flac|aac|m4a|weba|mp4|m4v|webm|mpeg|mov|pdf|svg)$/i;

/** Of these, what the editor itself has a preview of. */
const PREVIEWED = /\.(png|jpe?g|jpe|gif|webp|bmp|ico|avif|mp3|wav|og[ag]|mp4|webm)$/i;
const isPreviewed = (path: string): boolean =>
  (PREVIEWED.test(path) || (MEDIA.test(path) && fileAssociations().others.some(isNamed(path)))) &&
  !fileAssociations().asText.some(isNamed(path));

/**
 * Whether an extension opens what is at a path as a notebook, whose output the editor runs, or in an editor of its own, which reads it as it
 * likes, in the process of all extensions, or the workspace chooses an editor. Pages of the editor in a browser draw SVG in that of the
 * window.
 */
const opensElsewhere = (path: string): boolean =>
  fileAssociations().chosen.some(isNamed(path)) ||
  (fileAssociations().others.some(isNamed(path)) && !MEDIA.test(path)) ||
  (vscode.env.uiKind === vscode.UIKind.Web && /\.svg$/i.test(path));

/** Whether the editor does more than show a text at a path. What is not known to be harmless is. */
export function isActedOn(path: string, of: ServersText): boolean {
  if (opensElsewhere(path)) return true;
  const languages = languagesOf(path);
  // A workspace may have what has a preview open as text, in a language that it chooses. SVG is XML.
  if (isPreviewed(path)) return !languages.every(language => SHOWN.test(language) || language === 'xml');
  return languages.length === 0 ? isActedOnUnnamed(path, of) : !languages.every(language => isShown(language, of));
}

/** A name for a text of a server, which the editor only shows. */
export function nameToOpen(name: string, of: ServersText): string {
  const shown = { ...of, text: of.text ? lazy(of.text) : unknownText };
  const asLines = languagesOf(name).some(language => JSON_LANGUAGE.test(language)) || /\.ipynb$/i.test(name);
  const names = [
    name,
    ...(asLines ? [`${name}.jsonl`] : []),
    name + OURS,
    `${name}.txt`,
    `_${name}.txt`,
    `_${name}.jsonl`,
  ];
  return names.find(one => !isActedOn(one, shown)) ?? `${name}.txt`;
}

/** Of a document that we name, JSON stays JSON, and only what it says counts. */
function isShown(language: string, { server, text }: ServersText): boolean {
  if (JSON_LANGUAGE.test(language)) return server === undefined && (text === undefined || !namesSchema(text()));
  // It has a button for the editor's preview, which fetches pictures. Its grammar is our own.
  if (language === 'mcp-host-markdown') return !isConfined({ server });
  return (
    SHOWN.test(language) && (!language.startsWith('mcp-host-') || (text !== unknownText && !hasLongLine(text?.())))
  );
}

/** Of a confined server, also an ending that says nothing to the editor may say something to an extension. */
const isActedOnUnnamed = (path: string, of: ServersText): boolean =>
  !fileAssociations().isComplete ||
  path.endsWith(OURS) ||
  of.text === unknownText ||
  (isConfined(of) && path.lastIndexOf('.') > path.lastIndexOf('/') + 1) ||
  fileAssociations().firstLines.some(pattern => pattern.test(firstLineOf(of.text?.() ?? '')));

/** As much as the editor reads of it. */
const firstLineOf = (text: string): string =>
  text
    .slice(0, 1_000)
    .replace(/^\ufeff/, '')
    .split(/[\r\n]/, 1)[0]!;

function hasLongLine(text = ''): boolean {
  for (let at = 0; text.length - at > MAX_COLOURED; ) {
    const end = text.lastIndexOf('\n', at + MAX_COLOURED);
    if (end < at) return true;
    at = end + 1;
  }
  return false;
}

/** As a member of the root; of what is no JSON, as the editor may read it otherwise, in any place, spelling and encoding. */
function namesSchema(text: string): boolean {
  const root = parsedJson(text.replace(/^\ufeff/, ''));
  if (root !== undefined) return isObject(root) && '$schema' in root;
  const unescaped = text
    .replaceAll('\0', '')
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return unescaped.includes('$schema');
}
