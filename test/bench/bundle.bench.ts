// How big what ships is: the minified production build.
import * as fs from 'node:fs';
import { inRepository } from '../setup/paths';
import { loadedWith } from '../setup/programs';
import { productVsix } from '../setup/vsix';
import { absolute, type BenchRow } from './row';

const kilobytes = (file: string) => fs.statSync(file).size / 1024;

export async function* rows(): AsyncGenerator<BenchRow> {
  const vsix = await productVsix();
  const size = (files: string[]) =>
    [...new Set(files)].reduce((sum, file) => sum + kilobytes(inRepository('dist', file)), 0);
  const [activation, server] = [loadedWith('extension.js'), loadedWith('servers.js')];
  yield absolute('bundle: what activation loads', size(activation), 'KB', 50);
  yield absolute('bundle: all for the first stdio server', size([...activation, ...server]), 'KB', 720);
  yield absolute('bundle: VSIX', kilobytes(vsix), 'KB', 2_300);
}
