import assert from 'node:assert/strict';
import { crc32, deflateSync } from 'node:zlib';
import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { mediaTypeOf } from '../../../../../src/base/mediaType';
import {
  type ImagePart,
  type ModelMessage,
  text,
  user,
} from '../../../../../src/features/languageModel/core/modelMessage';
import {
  pictureTokens,
  scaledIn,
  withinPictureBudget,
} from '../../../../../src/features/languageModel/core/modelPictures';
import { scalePictures } from '../../../../../src/features/languageModel/core/scalePictures';
import { chequeredPng } from '../../../../servers/content/png';
import { inRepository } from '../../../../setup/paths';

const scale = scalePictures(inRepository('dist/picture-worker.js'));
const image = (data: Uint8Array, mimeType = 'image/png'): ImagePart => ({ kind: 'image', mimeType, data });

/** A PNG that says it has this size, whatever is in it. */
function saying(
  width: number,
  height: number,
  change: (header: Buffer) => void = () => {},
  data = Buffer.alloc(10),
): Buffer {
  const png = Buffer.from(chequeredPng(16));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  change(png);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  const packed = deflateSync(data);
  const body = Buffer.concat([Buffer.from('IDAT'), packed]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(packed.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 33), length, body, sum, png.subarray(-12)]);
}

describe('a picture that is larger than models see', () => {
  it('is scaled to 1,568 pixels on its longer side, as PNG or JPEG as it was', async () => {
    const wide = new PNG({ width: 3_000, height: 600 });
    wide.data.fill(255);
    // A line of one pixel, which every second pixel alone would lose.
    for (let x = 0; x < wide.width; x++) wide.data.fill(0, (301 * wide.width + x) * 4, (301 * wide.width + x) * 4 + 3);
    const square = chequeredPng(2_000);
    const photograph = jpeg.encode({ width: 1_000, height: 2_000, data: Buffer.alloc(8_000_000, 200) }, 80).data;
    const parts = [image(PNG.sync.write(wide)), image(square), image(photograph, 'image/jpeg')];
    const scaled = await scale(parts);
    assert.deepEqual(
      scaled.map(({ data }) => mediaTypeOf(data)),
      [
        { type: 'image/png', width: 1_568, height: 314 },
        { type: 'image/png', width: 1_568, height: 1_568 },
        { type: 'image/jpeg', width: 784, height: 1_568, scans: 1 },
      ],
    );
    const [line, tiles] = scaled.slice(0, 2).map(({ data }) => PNG.sync.read(Buffer.from(data)));
    const column = Array.from({ length: 314 }, (_, y) => line!.data[(y * 1_568 + 700) * 4]!);
    assert.ok(Math.min(...column) < 150, `the line is there: ${Math.min(...column)}`);
    assert.deepEqual([...tiles!.data.subarray(0, 4)], [0x20, 0x60, 0xc0, 255]);
    assert.deepEqual([...tiles!.data.subarray(500 * 4, 500 * 4 + 4)], [0xff, 0xd0, 0x40, 255]);
  });

  it('stays as it is if it can not be read, is too large to be read, or would unpack to more than it says', async () => {
    const bomb = Buffer.alloc(8 << 20);
    const odd = {
      'of 10 billion pixels': saying(100_000, 100_000),
      interlaced: saying(1_600, 10, header => header.writeUInt8(1, 28), bomb),
      'cut off': chequeredPng(1_600).subarray(0, 200),
      'of another type': Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0xd0, 7, 0xd0, 7]), Buffer.alloc(20)]),
    };
    for (const [what, data] of Object.entries(odd)) {
      const part = image(data, data[0] === 0x47 ? 'image/gif' : 'image/png');
      assert.deepEqual(await scale([part]), [part], what);
    }
    // More data than its size needs is not unpacked.
    const [overfull] = await scale([image(saying(1_600, 10, () => {}, bomb))]);
    assert.ok(overfull && (mediaTypeOf(overfull.data)?.width ?? 0) >= 1_568);
  });

  it('does not start a process for smaller ones, and does not fail without the program', async () => {
    const nowhere = scalePictures('/nowhere/at-all.js');
    const small = [image(chequeredPng(1_568))];
    assert.equal(await nowhere(small), small);
    const large = image(chequeredPng(1_600));
    assert.deepEqual(await nowhere([large]), [large]);
  });

  it('is found in questions and in results of tools', async () => {
    const [first, second] = [image(chequeredPng(16)), image(chequeredPng(20))];
    const messages: ModelMessage[] = [
      user(text('a'), first),
      user({ kind: 'result', id: '1', parts: [second, text('b')] }),
    ];
    const smaller = image(Buffer.alloc(3));
    const scaled = await scaledIn(messages, async pictures => pictures.map(() => smaller));
    assert.deepEqual(scaled, [
      user(text('a'), smaller),
      user({ kind: 'result', id: '1', parts: [smaller, text('b')] }),
    ]);
  });
});

describe('the pictures of a turn', () => {
  it('count by their pixels', () => {
    const tokens = (width: number, height: number) => pictureTokens(image(saying(width, height)));
    assert.deepEqual([tokens(1_280, 720), tokens(3_840, 2_160), tokens(100, 100)], [1_229, 1_600, 14]);
    assert.equal(pictureTokens(image(Buffer.alloc(3))), 1_600);
  });

  it('of earlier rounds go first when they are too many, half of them at once, and a text says so', () => {
    const screenshot = () => image(saying(1_280, 720));
    const round = (...pictures: ImagePart[]): ModelMessage =>
      user({ kind: 'result', id: 'x', parts: [text('seen'), ...pictures] });
    const kept = (rounds: readonly ModelMessage[]) =>
      rounds.map(
        ({ parts }) =>
          parts.flatMap(part => (part.kind === 'result' ? part.parts : [])).filter(({ kind }) => kind === 'image')
            .length,
      );
    let rounds: readonly ModelMessage[] = [];
    const sent = Array.from({ length: 10 }, () => {
      rounds = withinPictureBudget([...rounds, round(screenshot())]);
      return kept(rounds).reduce((sum, count) => sum + count);
    });
    assert.deepEqual(sent, [1, 2, 3, 4, 5, 6, 3, 4, 5, 6]);
    assert.match(
      JSON.stringify(rounds[0]),
      /"seen".*\[picture image\/png, 1280 × 720, \d+ B: no longer here, to save tokens, because later rounds have newer ones\]/,
    );
    const many = [round(screenshot()), round(...Array.from({ length: 8 }, screenshot))];
    assert.deepEqual(kept(withinPictureBudget(many)), [0, 8], 'those of the last round stay');
    const few = [round(screenshot()), round(screenshot())];
    assert.equal(withinPictureBudget(few), few);
    assert.equal(withinPictureBudget([]).length, 0);
  });
});
