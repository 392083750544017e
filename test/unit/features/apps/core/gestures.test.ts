import assert from 'node:assert/strict';
import { Gestures } from '../../../../../src/features/apps/core/gestures';

describe('gestures of the person in an app', () => {
  let isActive: boolean;
  let looks: (() => void)[];
  let gestures: Gestures;
  beforeEach(() => {
    [isActive, looks] = [false, []];
    gestures = new Gestures(
      () => isActive,
      look => looks.push(look),
    );
  });
  const pass = () => {
    for (const look of looks.splice(0)) look();
  };

  it('have a number while fresh, and none otherwise', () => {
    assert.equal(gestures.latest, 0);
    isActive = true;
    assert.deepEqual([gestures.latest, gestures.latest], [1, 1]);
    pass();
    assert.equal(gestures.latest, 1);
    isActive = false;
    assert.equal(gestures.latest, 0);
  });

  it('get a new number each, even without a message in between', () => {
    isActive = true;
    assert.equal(gestures.latest, 1);
    isActive = false;
    pass();
    isActive = true;
    assert.equal(gestures.latest, 2);
  });

  it('are no longer polled after their end', () => {
    isActive = true;
    assert.equal(gestures.latest, 1);
    pass();
    assert.equal(looks.length, 1);
    isActive = false;
    pass();
    assert.equal(looks.length, 0);
  });
});
