import { HostClient } from './hostClient';
import { RawClient } from './rawClient';

export type WireClient = RawClient | HostClient;
export interface Sides<T> {
  ours: T;
  floor: T;
}

/** Runs `use` with a client of each side, each with a server process of its own. */
export async function* withSides<T>(use: (sides: Sides<WireClient>) => AsyncIterable<T>): AsyncGenerator<T> {
  const sides = { floor: new RawClient(), ours: await HostClient.start() };
  try {
    yield* use(sides);
  } finally {
    await Promise.all([sides.floor.close(), sides.ours.close()]);
  }
}

/** Measures both sides in turn, `rounds` times after a warm-up. @returns what was measured. */
export async function alternate<T>(
  sides: Sides<T>,
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
  measure: (side: T) => Promise<number>,
): Promise<Sides<number[]>> {
  const values: Sides<number[]> = { ours: [], floor: [] };
  for (let round = -warmUps; round < rounds; round++) {
    const order: (keyof Sides<unknown>)[] = round % 2 === 0 ? ['floor', 'ours'] : ['ours', 'floor'];
    for (const side of order) {
      const value = await measure(sides[side]);
      if (round >= 0) values[side].push(value);
    }
  }
  return values;
}
