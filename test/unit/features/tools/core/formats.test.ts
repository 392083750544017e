import * as assert from 'node:assert/strict';
import { formatOf, pickedText, pickerValue } from '../../../../../src/features/tools/core/formats';

describe('a format', () => {
  const texts: Readonly<Record<string, readonly [good: string, ...bad: string[]]>> = {
    date: ['2026-02-28', '2026-02-30', '1.2.2026'],
    'date-time': ['2026-01-31T08:00:00Z', '2026-01-31', 'now'],
    time: ['08:00:00Z', '24:00:00Z', '8'],
    duration: ['-PT1H', '1H'],
    email: ['a@b.c', 'a', 'a b@c'],
    uri: ['https://x.y/z', 'x', '/a'],
    url: ['x:y', 'x.y/z'],
    uuid: ['9B2f8f5e-3c1d-4a6b-8e7f-0a1b2c3d4e5f', '9b2f8f5e'],
    ipv4: ['192.0.2.1', '::1', '1'],
    ipv6: ['2001:db8::1', '192.0.2.1'],
    cidrv4: ['192.0.2.0/24', '192.0.2.0'],
    hostname: ['example.com', 'https://example.com', 'a b'],
    e164: ['+441632960000', '01632'],
    decimal: ['-12.50', '12,50'],
    month: ['2026-01', '1/2026'],
  };
  for (const [name, [good, ...bad]] of Object.entries(texts))
    it(`${name} takes its own texts alone`, () => {
      const format = formatOf(name)!;
      for (const text of [good, format.example!]) assert.ok(format.accepts(text), text);
      for (const text of bad) assert.ok(!format.accepts(text), text);
    });

  it('of any other name is for the server to judge', () => {
    for (const name of ['constructor', 'x', undefined]) assert.equal(formatOf(name), undefined);
  });
});

describe('a picker', () => {
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = 'Europe/Berlin';
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const summer = new Date('2026-07-01T12:00:00Z');

  it("shows a moment of any zone in the person's own", () => {
    for (const text of ['2026-01-31T08:00:00Z', '2026-01-31t08:00:00z', '2026-01-31 10:00:00+02:00'])
      assert.equal(pickerValue('date-time', text), '2026-01-31T09:00');
    assert.equal(pickerValue('date-time', '2026-07-31T23:30:05.250Z'), '2026-08-01T01:30:05.250');
    assert.equal(pickerValue('time', '08:00:00Z', summer), '10:00');
    assert.equal(pickerValue('date', '2026-01-31'), '2026-01-31');
  });

  it('gives the moment with the offset of that day', () => {
    assert.equal(pickedText('date-time', '2026-01-31T09:00'), '2026-01-31T09:00:00+01:00');
    assert.equal(pickedText('date-time', '2026-07-31T09:00:05'), '2026-07-31T09:00:05+02:00');
    assert.equal(pickedText('time', '10:00', summer), '10:00:00+02:00');
    assert.equal(pickedText('date', '2026-01-31'), '2026-01-31');
    process.env.TZ = 'America/St_Johns';
    assert.equal(pickedText('date-time', '2026-01-31T09:00'), '2026-01-31T09:00:00-03:30');
    process.env.TZ = 'Europe/Berlin';
  });

  it('shows what it gave, also nothing', () => {
    for (const value of ['2026-01-31T09:00', '2026-01-31T09:00:07', ''])
      assert.equal(pickerValue('date-time', pickedText('date-time', value)), value);
    for (const value of ['00:00', '23:59:59', '']) assert.equal(pickerValue('time', pickedText('time', value)), value);
  });

  it('does not show what has no zone, or is no moment', () => {
    for (const text of ['2026-01-31T08:00:00', '2026-01-31T25:00:00Z', 'tomorrow', '2026-01-31'])
      assert.equal(pickerValue('date-time', text), undefined);
    for (const text of ['09:00', '09:00:60Z', 'noon']) assert.equal(pickerValue('time', text), undefined);
    assert.equal(pickerValue('date', 'tomorrow'), undefined);
  });
});
