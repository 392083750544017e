// How big what ships is: the minified production build.
import * as fs from 'node:fs';
import { absolute, type BenchRow } from '../setup/benchRow';
import { inRepository } from '../setup/paths';
import { productVsix } from '../setup/vsix';

const kilobytes = (file: string) => fs.statSync(file).size / 1024;

export async function* rows(): AsyncGenerator<BenchRow> {
  const vsix = await productVsix();
  yield absolute('bundle: dist/extension.js', kilobytes(inRepository('dist/extension.js')), 'KB', 60);
  const first = ['extension', 'servers', 'host'].map(name => kilobytes(inRepository(`dist/${name}.js`)));
  yield absolute(
    'bundle: all for the first stdio server',
    first.reduce((a, b) => a + b),
    'KB',
    634,
  );
  yield absolute('bundle: VSIX', kilobytes(vsix), 'KB', 2665);
}
