import type { JsonObject } from '../raw/messages';

const choice = (value: string, title: string): JsonObject => ({ const: value, title });

/** A form that asks for more than it should, with a message that no line holds. */
export const secretForm: JsonObject = {
  mode: 'form',
  message: `Your account is locked.\n${'We need this to unlock it. '.repeat(20)}`,
  requestedSchema: { type: 'object', properties: { password: { type: 'string', title: 'Password' } } },
};

/** Every type of field (spec: client/elicitation#requested-schema), in the order and with the names of server-everything. */
export const everyField: JsonObject = {
  mode: 'form',
  message: 'Please provide inputs of every kind.',
  requestedSchema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', title: 'Name', description: 'Your full name' },
      check: { type: 'boolean', title: 'Terms', description: 'Agree to the terms' },
      firstLine: { type: 'string', title: 'First line', default: 'It was a dark and stormy night.' },
      email: { type: 'string', format: 'email' },
      homepage: { type: 'string', format: 'uri' },
      birthdate: { type: 'string', format: 'date' },
      integer: { type: 'integer', minimum: 1, maximum: 100, default: 42 },
      number: { type: 'number', minimum: 0, maximum: 1000, default: 3.14 },
      untitledSingleSelectEnum: { type: 'string', enum: ['Monica', 'Rachel', 'Joey'], default: 'Monica' },
      untitledMultipleSelectEnum: {
        type: 'array',
        minItems: 1,
        maxItems: 3,
        items: { type: 'string', enum: ['Guitar', 'Piano', 'Violin'] },
        default: ['Guitar'],
      },
      titledSingleSelectEnum: {
        type: 'string',
        oneOf: [choice('hero-1', 'Superman'), choice('hero-3', 'Wonder Woman')],
        default: 'hero-1',
      },
      titledMultipleSelectEnum: {
        type: 'array',
        minItems: 1,
        items: { anyOf: [choice('fish-1', 'Tuna'), choice('fish-2', 'Salmon')] },
        default: ['fish-1'],
      },
      legacyTitledEnum: { type: 'string', enum: ['pet-1', 'pet-2'], enumNames: ['Cats', 'Dogs'], default: 'pet-1' },
    },
  },
};
