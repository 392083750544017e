import assert from 'node:assert/strict';
import { FocusGuard, type FocusView } from '../../../../../src/features/apps/core/focusGuard';

const AWAY: FocusView = { isInApp: false, isInPage: false, isPointed: false, isActive: false };
const PAGE: FocusView = { ...AWAY, isInPage: true };
const APP: FocusView = { ...PAGE, isInApp: true };
const CLICK = { isPointed: true, isActive: true };

describe('the focus of an app', () => {
  let guard: FocusGuard;
  beforeEach(() => {
    guard = new FocusGuard();
  });

  it("is the person's after a click, until it goes elsewhere", () => {
    assert.equal(guard.look({ ...APP, ...CLICK }, 0), 'entered');
    assert.equal(guard.isIn, true);
    assert.equal(guard.look(APP, 100_000), undefined);
    // The window is behind another, and comes back.
    assert.equal(guard.look({ ...APP, isInPage: false }, 100_000), undefined);
    assert.equal(guard.look(APP, 100_000), undefined);
    guard.look(AWAY, 100_000);
    assert.equal(guard.isIn, false);
    assert.equal(guard.look(APP, 100_000), 'taken');
  });

  it("is the person's who came by the Tab key, soon after it", () => {
    guard.press('Tab', 0);
    guard.look(PAGE, 10);
    assert.equal(guard.look(APP, 20), 'entered');
    guard.look(PAGE, 30);
    assert.equal(guard.look(APP, 40), 'taken');
    guard.expect(100);
    assert.equal(guard.look(APP, 60_000), 'taken');
  });

  it('does not come by a Tab of somebody who types elsewhere, until they have left the page or clicked', () => {
    assert.equal(guard.look(APP, 0), 'taken');
    const click = () => {
      guard.look(PAGE, 0);
      guard.look({ ...APP, ...CLICK }, 0);
    };
    for (const leave of [() => guard.look(AWAY, 0), click]) {
      assert.equal(guard.isOpen, false);
      guard.press('Tab', 0);
      guard.look(PAGE, 0);
      assert.equal(guard.look(APP, 0), 'taken');
      leave();
      assert.equal(guard.isOpen, true);
      guard.look(PAGE, 0);
      for (const key of ['Tab', 'Shift', 'Enter', ' ']) guard.press(key, 0);
      assert.equal(guard.isOpen, true);
      guard.press('a', 0);
    }
  });

  it('does not come by a gesture from before the focus left the app, in the page, or elsewhere in the editor', () => {
    guard.look({ ...APP, ...CLICK }, 0);
    guard.look({ ...AWAY, ...CLICK }, 10);
    assert.equal(guard.isMeant({ ...AWAY, ...CLICK }, 10), false);
    assert.equal(guard.look({ ...APP, ...CLICK }, 20), undefined);
    assert.equal(guard.look({ ...APP, ...CLICK }, 200), 'taken');
    guard.look({ ...PAGE, isPointed: true }, 6_000);
    guard.press('a', 7_000);
    guard.look({ ...APP, ...CLICK }, 7_010);
    assert.equal(guard.look({ ...APP, ...CLICK }, 7_100), 'taken');
    // The pointer was elsewhere meanwhile.
    guard.look({ ...PAGE, isActive: true }, 7_120);
    assert.equal(guard.look({ ...APP, ...CLICK }, 7_130), 'entered');
    // The person types elsewhere while the pointer rests over the app.
    guard.look(AWAY, 20_000);
    guard.look({ ...AWAY, ...CLICK }, 20_010);
    guard.look({ ...AWAY, ...CLICK }, 22_000);
    assert.equal(guard.look({ ...APP, ...CLICK }, 22_010), undefined);
    assert.equal(guard.look({ ...APP, ...CLICK }, 22_100), 'taken');
    // They click there: the frame tells of it, perhaps a moment later.
    guard.look({ ...PAGE, ...CLICK }, 22_110);
    assert.equal(guard.look({ ...APP, ...CLICK }, 22_120), undefined);
    guard.clickInApp(22_130);
    assert.equal(guard.look({ ...APP, ...CLICK }, 22_140), 'entered');
    // That click does not count again once the focus was elsewhere.
    guard.look({ ...PAGE, ...CLICK }, 22_150);
    guard.look({ ...APP, ...CLICK }, 22_160);
    assert.equal(guard.look({ ...APP, ...CLICK }, 22_300), 'taken');
  });

  it("is not the person's who has left the page on the way", () => {
    guard.expect(0);
    guard.look(AWAY, 10);
    assert.equal(guard.look(APP, 20), 'taken');
  });

  it('is taken back, and an app that keeps taking it is greedy; one that does it now and then is not', () => {
    const take = (now: number) => {
      guard.look(PAGE, now);
      return guard.look(APP, now);
    };
    for (let n = 0; n < 5; n++) assert.equal(take(n), 'taken');
    assert.equal(take(6), 'greedy');
    guard = new FocusGuard();
    for (let n = 0; n < 20; n++) assert.equal(take(n * 61_000), 'taken');
  });
});
