/** The requests of which a step of a test can be made (`recordedTest`). */
export const RECORDABLE: readonly string[] = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/read',
  'resources/list',
  'resources/subscribe',
  'resources/templates/list',
  'completion/complete',
];
