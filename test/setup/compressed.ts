// JSON that a script has recorded, compressed: nobody reads or edits it by hand. `gunzip -c <file>` shows it.
import * as fs from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The text of a compressed file. */
export const readCompressed = (file: string): string => gunzipSync(fs.readFileSync(file)).toString();

/** Writes a value as JSON. */
export const writeCompressed = (file: string, value: object): void =>
  fs.writeFileSync(file, gzipSync(JSON.stringify(value), { level: 9 }));
