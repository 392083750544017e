// Pictures that readers see, in README and in the walkthrough: made by the ui tests, so that they can't show another product.
// Every run makes them, beside its other pictures; `npm run pictures` also puts them where they are published.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { crc32 } from 'node:zlib';
import { inPage } from './dom';
import { artifacts, inRepository } from './paths';
import type { Workbench } from './workbench';

type Clip = { x: number; y: number; width: number; height: number };

/**
 * Publishes a part of what the window shows, in the light theme as `name.webp`, and in the dark one, where it must not glare, as
 * `name-dark.webp`.
 */
export async function publishThemed(w: Workbench, name: string, clip: Clip): Promise<void> {
  write(`${name}.webp`, await webp(w, await still(w, clip)));
  const pages = await w.page.locator('iframe.webview.ready').count();
  const use = async (theme: string, isDark: boolean) => {
    await w.host.eval(
      (vscode, id) => vscode.workspace.getConfiguration().update('workbench.colorTheme', id, true),
      theme,
    );
    await w.page.locator(`.monaco-workbench.${isDark ? 'vs-dark' : 'vs'}`).waitFor();
    if (pages > 0)
      await w.wb
        .webview()
        .locator(`body.vscode-${isDark ? 'dark' : 'light'}`)
        .waitFor();
  };
  await use('Dark Modern', true);
  write(`${name}-dark.webp`, await webp(w, await still(w, clip)));
  await use('Default Light Modern', false);
}

/** The same picture in half the bytes, which every person who installs the extension loads: made by the browser. */
async function webp(w: Workbench, png: Buffer): Promise<Buffer> {
  const page = await w.page.context().newPage();
  try {
    const run = `async data => {
      const image = new Image();
      image.src = 'data:image/png;base64,' + data;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext('2d').drawImage(image, 0, 0);
      // A quality of 1 is without loss, which is smaller where there is much text.
      const blobs = await Promise.all([0.92, 1].map(quality => canvas.convertToBlob({ type: 'image/webp', quality })));
      const [smallest] = blobs.sort((a, b) => a.size - b.size);
      return [...new Uint8Array(await smallest.arrayBuffer())];
    }`;
    return Buffer.from(await page.evaluate(inPage<Promise<number[]>>(run), png.toString('base64')));
  } finally {
    await page.close();
  }
}

/** One frame of a moving picture. */
export async function still(w: Workbench, clip: Clip): Promise<Buffer> {
  await w.page.mouse.move(2, 2);
  return w.page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

/** Publishes frames of one size as one moving picture (APNG) that runs for ever. @param seconds how long each is shown. */
export function publishMoving(file: string, frames: readonly Buffer[], seconds: number): void {
  const parts: Buffer[] = [SIGNATURE];
  let sequence = 0;
  for (const [index, frame] of frames.entries()) {
    const chunks = chunksOf(frame);
    const header = chunks.find(({ type }) => type === 'IHDR')?.data;
    assert.ok(header, 'a picture has a header');
    if (index === 0) parts.push(chunk('IHDR', header), chunk('acTL', numbers(frames.length, 0)));
    // Its number, width, height, no offset, the time it is shown, and that it replaces the one before.
    const control = Buffer.concat([numbers(sequence++), header.subarray(0, 8), numbers(0, 0), Buffer.alloc(6)]);
    control.writeUInt16BE(Math.round(seconds * 100), 20);
    control.writeUInt16BE(100, 22);
    parts.push(chunk('fcTL', control));
    for (const { data } of chunks.filter(({ type }) => type === 'IDAT'))
      parts.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers(sequence++), data])));
  }
  write(file, Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]));
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function write(file: string, content: Buffer): void {
  const targets = [
    path.join(artifacts(), 'published', file),
    ...(process.env.TEST_PICTURES ? [inRepository(file)] : []),
  ];
  for (const target of targets) {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, content);
  }
  assert.ok(fs.existsSync(inRepository(file)), `${file} is not published yet: npm run pictures`);
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}

function numbers(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}
