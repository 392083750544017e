import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { chequeredPng } from './png';

type Contents = ReadResourceResult['contents'];

/** A resource of the content fixture and what reading it gives. */
export interface ContentResource {
  resource: Resource;
  contents: Contents;
}

const icon = `data:image/png;base64,${chequeredPng(16).toString('base64')}`;

function textual(resource: Resource, text: string): ContentResource {
  const { uri, mimeType } = resource;
  return { resource, contents: [{ uri, ...(mimeType ? { mimeType } : {}), text }] };
}

function binary(resource: Resource, bytes: Buffer): ContentResource {
  const { uri, mimeType } = resource;
  const contents: Contents = [{ uri, ...(mimeType ? { mimeType } : {}), blob: bytes.toString('base64') }];
  return { resource: { ...resource, size: bytes.length }, contents };
}

const several: ContentResource = {
  resource: { uri: 'content://several/three', name: 'three', title: 'Three contents in one' },
  contents: [
    { uri: 'content://several/three/first.txt', mimeType: 'text/plain', text: 'The first' },
    { uri: 'content://several/three/second.json', mimeType: 'application/json', text: '{"second":true}' },
    {
      uri: 'content://several/three/third.png',
      mimeType: 'image/png',
      blob: chequeredPng(16).toString('base64'),
    },
  ],
};

/** Reading it is answered with error -32002; it has no contents, though it is listed. */
export const missingUri = 'content://broken/missing.txt';

const missing: ContentResource = {
  resource: { uri: missingUri, name: 'missing.txt', title: 'Listed, but not there' },
  contents: [],
};

const wrongBase64: ContentResource = {
  resource: { uri: 'content://broken/base64.bin', name: 'base64.bin', mimeType: 'application/octet-stream' },
  contents: [{ uri: 'content://broken/base64.bin', mimeType: 'application/octet-stream', blob: '%%% not base64 %%%' }],
};

/** Every kind of content that a host has to show, one resource for each. */
export const contentResources: readonly ContentResource[] = [
  textual(
    { uri: 'content://docs/plain.txt', name: 'plain.txt', title: 'Plain text', mimeType: 'text/plain' },
    'Plain text.\nSecond line: äöü 日本 🗣\n',
  ),
  textual(
    { uri: 'content://docs/guide.md', name: 'guide.md', title: 'Guide', mimeType: 'text/markdown' },
    '# Guide\n\nSome *text* with a [command link](command:workbench.action.closeWindow).\n',
  ),
  textual({ uri: 'content://docs/untyped.log', name: 'untyped.log' }, 'No MIME type is given for this one.\n'),
  textual(
    {
      uri: 'content://docs/annotated.txt',
      name: 'annotated.txt',
      title: 'With icons and annotations',
      description: 'The second icon is on another machine and is not to be fetched',
      mimeType: 'text/plain',
      icons: [
        { src: icon, mimeType: 'image/png', sizes: ['16x16'] },
        { src: 'https://icons.invalid/icon.png', mimeType: 'image/png', sizes: ['48x48'] },
      ],
      annotations: { audience: ['user'], priority: 0.9, lastModified: '2026-01-02T03:04:05Z' },
    },
    'Annotated.\n',
  ),
  textual(
    {
      uri: 'content://code/greeting',
      name: 'greeting',
      title: 'TypeScript, no extension',
      mimeType: 'text/x-typescript',
    },
    "export const greeting: string = 'hello';\n",
  ),
  textual(
    { uri: 'content://data/minified', name: 'minified', title: 'Minified JSON', mimeType: 'application/json' },
    '{"name":"content","list":[1,2,{"deep":true}],"nothing":null}',
  ),
  binary(
    { uri: 'content://images/chequered.png', name: 'chequered.png', title: 'PNG', mimeType: 'image/png' },
    chequeredPng(64),
  ),
  textual(
    { uri: 'content://images/circle.svg', name: 'circle.svg', title: 'SVG', mimeType: 'image/svg+xml' },
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="teal"/></svg>',
  ),
  binary(
    {
      uri: 'content://binary/bytes.bin',
      name: 'bytes.bin',
      title: 'All 256 bytes',
      mimeType: 'application/octet-stream',
    },
    Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  ),
  several,
  textual({ uri: 'content://empty/nothing.txt', name: 'nothing.txt', title: 'Empty', mimeType: 'text/plain' }, ''),
  textual(
    {
      uri: 'content://odd/Größe und Maß/日本 語.txt?version=1&note=a b',
      name: '日本 語.txt',
      title: 'Unicode, spaces and a query',
      mimeType: 'text/plain',
    },
    'Odd address.\n',
  ),
  textual({ uri: 'memo:today', name: 'today', title: 'No authority', mimeType: 'text/plain' }, 'A memo for today.\n'),
  missing,
  wrongBase64,
];
