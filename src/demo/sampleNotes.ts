/** Notes of an invented project, so that there is something to search, count, summarize and review. */
export const SAMPLE_NOTES: Readonly<Record<string, string>> = {
  'release-plan': `# Release 1.4 of the teapot

## What is in it

- The lid no longer rattles above 80 °C (reported by three users).
- Refilling is counted, and the count survives a restart.
- The handle has a setting for left-handed people.

## What has to happen

1. Anna finishes the lid tests by Tuesday.
2. Ben writes the change log and asks two users to try the handle.
3. We freeze on Thursday and release on Friday, if no test fails.

## Risks

The new counter writes to disk after every refill. Nobody has measured what that costs on old kettles.
`,
  'meeting-monday': `# Meeting on Monday

Present: Anna, Ben, Chiara.

## Decisions

- The release stays on Friday. Chiara wanted a week more for the counter; Anna and Ben prefer to ship it switched off.
- Support answers questions about the old lid until March.

## Open questions

- Who tells the translators about the eleven new texts?
- Is the counter private data? Ben asks the lawyer.
`,
  'bug-rattling-lid': `# Bug: the lid rattles

## What users see

Above 80 °C the lid rattles so loudly that two users thought the teapot was broken.

## Cause

The seal was made for lids without a hole. Steam escapes on one side and lifts the lid a little, eleven times a second.

## Fix

A second hole on the other side. Anna measured no rattling up to 100 °C in twenty trials. What is missing is a trial with hard
water.
`,
  ideas: `# Ideas

- A whistle that can be switched off at night.
- A scale inside that shows how much tea is left without opening the lid.
- Let the counter remind people to descale after two hundred refills.
- A teapot for one cup. Ben thinks that nobody would buy it; Chiara would buy two.
`,
  onboarding: `# First week in the project

## Day one

Read the release plan, then make a pot of tea with each of the three prototypes and write down what annoyed you.

## Day two to four

Fix one small bug. Good ones are marked in the list of bugs. Ask Anna about lids, Ben about handles and Chiara about everything
that counts.

## Day five

Tell the team what was harder than it should be. The last three changes of this page came from that.
`,
};
