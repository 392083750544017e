// Pictures that readers see, in README and in the walkthrough: made by the ui tests, so that they can't show another product.
// Every run makes them, beside its other pictures; `npm run pictures` also puts them where they are published.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inPage } from '../drivers/dom';
import type { Workbench } from '../drivers/workbench';
import { artifacts, inRepository } from '../setup/paths';

type Clip = { x: number; y: number; width: number; height: number };

/**
 * Publishes a part of what the window shows, in the light theme as `name.webp`, and in the dark one, where it must not glare, as
 * `name-dark.webp`.
 */
export async function publishThemed(w: Workbench, name: string, clip: Clip): Promise<void> {
  await publishStill(w, name, clip);
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

/** Publishes a part of what the window shows as `name.webp`. */
export async function publishStill(w: Workbench, name: string, clip: Clip): Promise<void> {
  write(`${name}.webp`, await webp(w, await still(w, clip)));
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
      const blobs = await Promise.all([0.6, 1].map(quality => canvas.convertToBlob({ type: 'image/webp', quality })));
      const [smallest] = blobs.sort((a, b) => a.size - b.size);
      return [...new Uint8Array(await smallest.arrayBuffer())];
    }`;
    return Buffer.from(await page.evaluate(inPage<Promise<number[]>>(run), png.toString('base64')));
  } finally {
    await page.close();
  }
}

async function still(w: Workbench, clip: Clip): Promise<Buffer> {
  await w.page.mouse.move(2, 2);
  return w.page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

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
