import type { TurnRecord } from '../../../../../src/features/chat/core/turnRecord';

/** A turn as it is kept: two calls in its first round, of which one has no result, and a result without a call. */
export const record: TurnRecord = {
  rounds: [
    {
      text: 'I look.',
      calls: [
        { id: 'c', name: 's__a', input: { x: 1 } },
        { id: 'lost', name: 's__b', input: {} },
      ],
      results: [
        { id: 'c', text: 'found' },
        { id: 'stray', text: 'whose?' },
      ],
    },
    { text: 'It is there.', calls: [], results: [] },
  ],
};
