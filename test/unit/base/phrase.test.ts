import assert from 'node:assert/strict';
import { english, PhraseError, phrase, withValues, worded } from '../../../src/base/phrase';

describe('a phrase', () => {
  const nested = phrase('could not {0}: {1}', phrase('read {0}', 'x:/{0}'), 2);

  it('is English with its values, of which none is filled in again', () => {
    assert.equal(english(nested), 'could not read x:/{0}: 2');
    assert.equal(english(phrase('{1}, {0} and {2}', 'a', 'b')), 'b, a and {2}');
  });

  it('is worded from within: phrases are translated, what comes from elsewhere stays', () => {
    const asked: string[] = [];
    const german: Record<string, string> = { 'could not {0}: {1}': '{0} ging nicht: {1}', 'read {0}': 'Lesen von {0}' };
    const translate = (text: string, ...values: (string | number)[]) => {
      asked.push(text);
      return english(phrase(german[text]!, ...values));
    };
    assert.equal(worded(nested, translate), 'Lesen von x:/{0} ging nicht: 2');
    assert.deepEqual(asked, ['read {0}', 'could not {0}: {1}']);
    assert.equal(worded('as it is', translate), 'as it is');
  });

  it('can have its values changed, and only them', () => {
    const changed = withValues(nested, value => value.replaceAll('x', '•'));
    assert.equal(english(changed), 'could not read •:/{0}: 2');
  });

  it('is the English message of its error', () => {
    const cause = new Error('why');
    const error = new PhraseError(nested, { cause });
    assert.deepEqual([error.message, error.phrase, error.cause], [english(nested), nested, cause]);
  });
});
