import { knownProgram, programName } from '../../../host/launch';
import { fitName, type Json } from './serverDraft';

/** Words after a launcher, which do not identify what is run. */
const COMMANDS = new Set(['run', 'dlx', 'exec', 'tool', 'x', 'container', '/c', '--', 'mcp-remote', 'supergateway']);
/** Options of those programs that are followed by a value. */
const WITH_VALUE =
  /^(-e|-v|-p|-w|-u|-l|-r|--(env|volume|mount|name|publish|network|net|env-file|workdir|entrypoint|user|platform|pull|add-host|label|memory|cpus|gpus|device|import|require|loader|with|python|index-url|extra-index-url|transport|header))$/;
/** Their value is the folder of a program. */
const FOLDER = /^--(directory|project|cwd|prefix)$/;
/** Names that half of all servers have for a file, a folder or a package. */
const COMMON =
  /^(index|main|__main__|server|app|cli|start|run|stdio|sse|http|mcp|mcp[-_]server|server[-_]mcp|bin|dist|build|out|output|lib|libs|src|source|target|release|debug|packages|node_modules|site-packages|cjs|esm|js|py|python|node|typescript|\.venv|venv|scripts|latest|current)$/i;

/** With spaces only in its folders: what has them elsewhere is a line for a shell. */
const PATH = /^([\\/~]|\.{1,2}[\\/]|[A-Za-z]:[\\/]).*[\\/]\S+$/;

/** A name for what has none: of its package, its program or its host. */
export function nameOfServer({ command, args, url, cwd }: Json): string {
  if (typeof url === 'string' && URL.canParse(url)) return fitName(nameOfAddress(new URL(url)));
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(word => typeof word === 'string');
  let folder = typeof cwd === 'string' ? cwd : undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, option, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? [];
    if (FOLDER.test(option ?? word)) folder = value ?? words[++at];
    else if (WITH_VALUE.test(word)) at++;
    else if (
      (!/^-|\s/.test(word) || PATH.test(word)) &&
      !COMMANDS.has(word.replace(/(?<!^)@.*$/, '')) &&
      !isLauncher(word)
    ) {
      if (/^https?:\/\//i.test(word) && URL.canParse(word)) return fitName(nameOfAddress(new URL(word)));
      const isFile = !/[\\/]/.test(word.replace(/^\.[\\/]/, '')) && COMMON.test(withoutExtension(lastPart(word)));
      return fitName(nameOfPackage(isFile && folder !== undefined ? folder : word));
    }
  }
  return fitName(nameOfPackage(folder ?? words.findLast(isLauncher) ?? words[0] ?? 'server'));
}

/**
 * The common name of a package, an image or a script: without scope, version, tag and generic parts. A meaningless name is
 * replaced by the folder or scope that it is in: `server-x/dist/index.js` is `x`.
 */
export function nameOfPackage(specifier: string): string {
  const parts = specifier
    .split(/[\\/]/)
    .map(part =>
      withoutExtension(part.replace(/(?<!^)(@|==|\[|#).*$/, '').replace(/^(git\+https?|github|npm|file|jsr):/, '')),
    )
    .filter(part => part !== '' && part !== '.' && part !== '..' && !/^[A-Za-z]:$/.test(part));
  const telling = parts.findLast(part => !COMMON.test(part)) ?? parts.at(-1) ?? specifier;
  return briefly(telling.replace(/^@/, '')) || specifier;
}

/** The first distinctive part of a host name: for `https://mcp.example.com/mcp` it is `example`. */
function nameOfAddress({ hostname, port, protocol, pathname }: URL): string {
  if (hostname === '') return nameOfPackage(decodeURI(pathname)) || protocol;
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return port === '' ? hostname : `${hostname}-${port}`;
  const labels = hostname.split('.');
  const telling = labels.slice(0, -1).find(label => !/^(mcp|mcp-server|www|api|app|server|sse)$/.test(label));
  return briefly(telling ?? labels[0]!);
}

/** Without what says only that it is a server of MCP. */
function briefly(name: string): string {
  const brief = name
    .replace(/^(mcp[-_]server|server[-_]mcp|server|mcp)[-_](?=.)/i, '')
    .replace(/(?<=.)[-_](mcp[-_]server|server[-_]mcp|mcp)$/i, '');
  return COMMON.test(brief) ? name : brief;
}

/** Whether a program only launches others, and so does not identify what is run. `mcp/time` is an image, not a program's path. */
const isLauncher = (word: string) =>
  (!/[\\/]/.test(word) || /^([\\/]|[A-Za-z]:)/.test(word)) && knownProgram(programName(word)) !== undefined;

const lastPart = (path: string) => path.split(/[\\/]/).at(-1) ?? path;
const withoutExtension = (name: string) =>
  name.replace(/(?<=.)(:[\w.-]+|\.(js|mjs|cjs|ts|mts|py|jar|dll|exe|cmd|bat|sh|git|sock))$/i, '');
