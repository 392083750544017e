import assert from 'node:assert/strict';
import { HostError } from '../../../src/base/errors';
import { english, PhraseError, phrase, withValues, worded } from '../../../src/base/phrase';

describe('A phrase', () => {
  const inner = phrase('the command "{0}" was not found', 'x {1} y');
  const whole = phrase('{1}, {0}: {2} of {3}', 'it', inner, 3, '{0}');

  it('is English with its values in place, each inserted once', () => {
    assert.equal(english(whole), 'the command "x {1} y" was not found, it: 3 of {0}');
    assert.equal(english('{0} is from elsewhere'), '{0} is from elsewhere');
    assert.equal(english(phrase('no value for {0}, { } or ${x}')), 'no value for {0}, { } or ${x}');
  });

  it('is translated from the inside out, and leaves foreign values unchanged', () => {
    const texts: Record<string, string> = {
      'the command "{0}" was not found': 'Befehl {0} nicht gefunden',
      '{1}, {0}: {2} of {3}': '{0} | {1} | {2} | {3}',
    };
    const translate = (text: string, ...values: (string | number)[]) => english(phrase(texts[text]!, ...values));
    assert.equal(worded(whole, translate), 'it | Befehl x {1} y nicht gefunden | 3 | {0}');
    assert.equal(worded('as it is', translate), 'as it is');
  });

  it('keeps its texts and numbers when its values are mapped', () => {
    const changed = withValues(whole, value => value.toUpperCase());
    assert.deepEqual(
      changed,
      phrase('{1}, {0}: {2} of {3}', 'IT', phrase('the command "{0}" was not found', 'X {1} Y'), 3, '{0}'),
    );
    assert.equal(
      withValues('text', () => 'other'),
      'other',
    );
  });

  it('is the message of an error, in English and for translation', () => {
    const error = new PhraseError(inner, { cause: 'x' });
    assert.deepEqual([error.message, error.phrase, error.cause], ['the command "x {1} y" was not found', inner, 'x']);
    const { message, action, reason, phrases } = new HostError({
      code: 'EXITED',
      server: 'one',
      action: phrase('read {0}', 'a:b'),
      reason: phrase('{0} must be {1}.', 'x', phrase('true or false')),
    });
    assert.equal(message, 'MCP server "one" could not read a:b: x must be true or false.');
    assert.deepEqual([action, reason], ['read a:b', 'x must be true or false']);
    assert.deepEqual(phrases, {
      action: phrase('read {0}', 'a:b'),
      reason: phrase('{0} must be {1}.', 'x', phrase('true or false')),
    });
  });
});
