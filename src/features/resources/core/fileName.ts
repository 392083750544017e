import { ownMember } from '../../../base/json';
import { percentDecoded } from '../../../base/text';

/** The parts of a resource that make its file name. */
export interface NamedResource {
  uri: string;
  name?: string;
  mimeType?: string | undefined;
  /** Absent: it is not known yet. */
  text?: (() => string) | undefined;
}

const MAX_LENGTH = 100;
/** Control, format (bidi, zero width) and private characters, halves of surrogate pairs, separators, blank letters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f/gu;
/** Characters that some file system forbids: "Save a Copy…" suggests the name too. */
const FORBIDDEN = /[\\/:*?"<>|]/g;
const EXTENSION = /\.([A-Za-z0-9_+-]{1,12})$/;
/** Names that tell an editor more without an extension than with `.txt`: `.env`, `LICENSE`, `Makefile`. */
const CONVENTIONAL = /^\.|^[A-Z]{3,}$|file$/;

/**
 * A file name from which the editor picks language, icon and preview. It is what the server calls the resource, or the
 * last part of its URI when only that has an extension; made safe and bounded. The extension follows the MIME type where
 * the name has none, or one that would open the wrong kind of editor.
 */
export function resourceFileName({ uri, name, mimeType }: NamedResource): string {
  const candidates = [clean(name ?? ''), clean(lastSegment(uri))].filter(Boolean);
  const chosen = candidates.find(candidate => extensionOf(candidate)) ?? candidates[0] ?? 'resource';
  const added = missingExtension(chosen, mimeType);
  return added ? `${bound(chosen, MAX_LENGTH - added.length - 1)}.${added}` : boundBeforeExtension(chosen);
}

/** The names that a file may have for its server which is called `opened` in the editor (see `nameToOpen`): that one, and shorter ones. */
export function namesBefore(opened: string): readonly string[] {
  const [, start, name] = /^(_?(.*))\.(?:mcp|txt|jsonl)$/s.exec(opened) ?? [];
  return [opened, start, name].filter(one => one !== undefined);
}

/** The extension of a file name without its dot; undefined for `README`, `.env`, `v1.2` and `Mr. Smith`. */
export function extensionOf(fileName: string): string | undefined {
  const extension = EXTENSION.exec(fileName.slice(1))?.[1];
  return extension && /[a-z]/i.test(extension) ? extension : undefined;
}

function missingExtension(fileName: string, mimeType: string | undefined): string | undefined {
  const [usual, ...others] = extensionsOf(mimeType);
  if (!usual) return undefined;
  const extension = extensionOf(fileName)?.toLowerCase();
  if (!extension) return essence(mimeType) === 'text/plain' && CONVENTIONAL.test(fileName) ? undefined : usual;
  if (extension === usual || others.includes(extension)) return undefined;
  const kinds = [mediaKindOf(mimeType), mediaKindOfExtension(extension)];
  return kinds[0] === kinds[1] || !kinds.some(kind => kind && kind !== 'text' && kind !== 'binary') ? undefined : usual;
}

/** The last part of the path, decoded where it can be; without a path, the last part of the URI. */
function lastSegment(uri: string): string {
  const path = uri.slice(0, 10_000).replace(/[?#].*/s, '');
  const segment = path.split(/[\\/:]+/).findLast(part => part !== '') ?? '';
  return percentDecoded(segment);
}

function clean(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(HIDDEN, '_')
    .replace(FORBIDDEN, '-')
    .replace(/\s+/g, ' ')
    .replace(/^ +/, '')
    .replace(/(?<![ .])[ .]+$/, '');
}

function boundBeforeExtension(fileName: string): string {
  const extension = extensionOf(fileName);
  if (fileName.length <= MAX_LENGTH || !extension) return bound(fileName, MAX_LENGTH);
  return `${bound(fileName.slice(0, -extension.length - 1), MAX_LENGTH - extension.length - 1)}.${extension}`;
}

/** Never half a surrogate pair, never a space or a dot at the end. */
function bound(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .replace(/[\ud800-\udbff]$/, '')
        .replace(/(?<![ .])[ .]+$/, '');
}

/**
 * Media types of content. `mime` (39 KB; this is 5 KB) has another usual extension, or none, for 44 of the 95 types here
 * (`text/x-python`, `application/yaml`, `audio/mpeg`), `mime/lite` (12 KB) for 54, because servers write what editors use rather
 * than what is registered: this table would stay.
 */

/** The kind of editor for content. */
export type MediaKind = 'text' | 'image' | 'audio' | 'video' | 'pdf' | 'binary';

/** File name extensions by MIME type: the first is added to a name that has none. Libraries name the usual ones, not those that editors know. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/ecmascript': 'js mjs cjs',
  'application/graphql': 'graphql gql',
  'application/javascript': 'js mjs cjs jsx',
  'application/json': 'json',
  'application/json5': 'json5',
  'application/jsonl': 'jsonl ndjson',
  'application/msword': 'doc',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/sql': 'sql',
  'application/toml': 'toml',
  'application/typescript': 'ts mts cts tsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/wasm': 'wasm',
  'application/x-httpd-php': 'php',
  'application/x-ndjson': 'ndjson jsonl',
  'application/x-powershell': 'ps1 psm1',
  'application/x-sh': 'sh bash zsh',
  'application/x-tar': 'tar',
  'application/xhtml+xml': 'xhtml html htm',
  'application/xml': 'xml',
  'application/yaml': 'yaml yml',
  'application/gzip': 'gz tgz',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/jpeg': 'jpg jpeg jpe',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'text/calendar': 'ics',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html htm',
  'text/javascript': 'js mjs cjs jsx',
  'text/jsx': 'jsx',
  'text/less': 'less',
  'text/markdown': 'md markdown mdx',
  'text/plain': 'txt text log',
  'text/rtf': 'rtf',
  'text/tab-separated-values': 'tsv',
  'text/tsx': 'tsx',
  'text/typescript': 'ts mts cts tsx',
  'text/vtt': 'vtt',
  'text/x-c': 'c h',
  'text/x-c++': 'cpp cc cxx hpp hh',
  'text/x-clojure': 'clj cljs edn',
  'text/x-csharp': 'cs',
  'text/x-dart': 'dart',
  'text/x-diff': 'diff patch',
  'text/x-elixir': 'ex exs',
  'text/x-go': 'go',
  'text/x-haskell': 'hs',
  'text/x-ini': 'ini cfg conf properties',
  'text/x-java': 'java',
  'text/x-julia': 'jl',
  'text/x-kotlin': 'kt kts',
  'text/x-lua': 'lua',
  'text/x-objectivec': 'm',
  'text/x-perl': 'pl pm',
  'text/x-php': 'php',
  'text/x-powershell': 'ps1 psm1',
  'text/x-python': 'py pyi',
  'text/x-r': 'r',
  'text/x-ruby': 'rb',
  'text/x-rst': 'rst',
  'text/x-rust': 'rs',
  'text/x-scala': 'scala sc',
  'text/x-scss': 'scss',
  'text/x-shellscript': 'sh bash zsh',
  'text/x-sql': 'sql',
  'text/x-swift': 'swift',
  'text/x-tex': 'tex',
  'text/x-toml': 'toml',
  'text/x-vb': 'vb',
  'text/x-vue': 'vue',
  'text/xml': 'xml',
  'text/yaml': 'yaml yml',
  'video/mp4': 'mp4 m4v',
  'video/mpeg': 'mpg mpeg',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

/** Other spellings of the same types, but for an `x-` in front. */
const ALIASES: Readonly<Record<string, string>> = {
  'application/csv': 'text/csv',
  'application/x-javascript': 'text/javascript',
  'application/x-python': 'text/x-python',
  'application/x-ruby': 'text/x-ruby',
  'application/x-rust': 'text/x-rust',
  'application/x-typescript': 'text/typescript',
  'application/x-zip-compressed': 'application/zip',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'image/jpg': 'image/jpeg',
  'image/svg': 'image/svg+xml',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'text/json': 'application/json',
  'text/x-c++src': 'text/x-c++',
  'text/x-csrc': 'text/x-c',
  'text/x-golang': 'text/x-go',
  'text/x-java-source': 'text/x-java',
  'text/x-json': 'application/json',
  'text/x-patch': 'text/x-diff',
  'text/x-properties': 'text/x-ini',
  'text/x-script.python': 'text/x-python',
  'text/x-sh': 'text/x-shellscript',
  'text/x-yaml': 'application/yaml',
};

const SUFFIXES: Readonly<Record<string, string>> = { json: 'json', xml: 'xml', yaml: 'yaml', zip: 'zip' };
const TEXTUAL =
  /^(text\/.*|application\/(ecmascript|graphql|javascript|json5?|jsonl|rtf|sql|toml|typescript|x-httpd-php|x-ndjson|x-powershell|x-sh|xml|yaml)|.*\+(json|xml|yaml))$/;

/** The type without its parameters, in lower case and in its usual spelling; undefined when it is not a media type. */
export function essence(mimeType: string | undefined): string | undefined {
  const type = (mimeType ?? '').slice(0, 200).replace(/;.*/s, '').trim().toLowerCase();
  if (!type || !/^[\w.+-]+\/[\w.+-]+$/.test(type)) return undefined;
  const spellings = [type, type.replace('/x-', '/')];
  return ownMember(ALIASES, type) ?? spellings.find(one => Object.hasOwn(EXTENSIONS, one)) ?? type;
}

/** Extensions for a MIME type, without the dot, the usual one first. Empty when nothing better than none is known. */
export function extensionsOf(mimeType: string | undefined): readonly string[] {
  const type = essence(mimeType);
  if (type === undefined) return [];
  const known = ownMember(EXTENSIONS, type);
  if (known !== undefined) return known.split(' ');
  const suffix = ownMember(SUFFIXES, /\+(\w+)$/.exec(type)?.[1] ?? '');
  return suffix === undefined ? [] : [suffix];
}

/** The kind of content of a MIME type; undefined when it is absent or generic, like octet-stream. */
export function mediaKindOf(mimeType: string | undefined): MediaKind | undefined {
  const type = essence(mimeType);
  if (type === undefined || type === 'application/octet-stream') return undefined;
  if (type === 'application/pdf') return 'pdf';
  // SVG is both: text to read, and a picture for who asks for a preview.
  const media = type === 'image/svg+xml' ? undefined : /^(image|audio|video)\//.exec(type)?.[1];
  if (media) return media as MediaKind;
  return TEXTUAL.test(type) ? 'text' : 'binary';
}

/** The kind of content of an extension, if it is a media extension. */
export function mediaKindOfExtension(extension: string): MediaKind | undefined {
  return MEDIA_EXTENSIONS.get(extension.toLowerCase());
}

export function isJson(mimeType: string | undefined): boolean {
  const type = essence(mimeType);
  return type !== undefined && (type === 'application/json' || type.endsWith('+json'));
}

const MEDIA_EXTENSIONS = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, extensions]) => {
    const kind = mediaKindOf(type);
    return kind && kind !== 'text' && kind !== 'binary' ? extensions.split(' ').map(one => [one, kind] as const) : [];
  }),
);
