import { buildRouteMap } from '@stricli/core'
import { defineCommand, numberFlag, textArg, textFlag } from './build-command.ts'
import type { GivenEvidence } from './commands/prompt-commands.ts'
import { component, limit } from './shared-flags.ts'

const note = textFlag('Why, for the history', 'text')
const name = textArg('Name of the prompt', 'name')
const label = textArg('Label, such as production', 'label')

const versionArg = (brief: string, placeholder: string) => ({
  brief,
  placeholder,
  parse(text: string) {
    if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new RangeError('must be the number of a version')
    return Number(text)
  },
})

const ID = '[0-9a-fA-F-]{36}'

/** A decision, or two runs as of a range. */
function parseEvidence(text: string): GivenEvidence {
  if (new RegExp(`^${ID}$`).test(text)) return { decisionId: text }
  const [, baselineRunId, candidateRunId] = new RegExp(`^(${ID})\\.\\.(${ID})$`).exec(text) ?? []
  if (baselineRunId === undefined || candidateRunId === undefined)
    throw new RangeError('must be the id of a decision, or the ids of two runs as BASELINE..CANDIDATE')
  return { comparison: { baselineRunId, candidateRunId } }
}

export const promptRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List the prompts of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await import('./commands/prompt-commands.ts')).listPrompts,
    }),
    push: defineCommand({
      brief: 'Save a version of each file, unless the prompt has it already',
      examples: [
        ['prompts/answer.md', 'creates the prompt if there is none'],
        ['prompts/*.md --label staging --note "$GITHUB_SHA"', 'in CI: the label points to these versions'],
      ],
      flags: { component, label: textFlag('Label that points to the versions from then on', 'label'), note },
      args: { kind: 'array', parameter: textArg('Files to read', 'file'), minimum: 1 },
      load: async () => (await import('./commands/prompt-file-commands.ts')).pushPrompts,
    }),
    pull: defineCommand({
      brief: 'Write prompts to files, all or those that are named',
      examples: [
        ['', 'the newest versions, to the folder prompts'],
        ['answer --label production --folder .', 'what production serves'],
      ],
      flags: {
        component,
        label: textFlag('Version of this label (default: the newest version)', 'label'),
        folder: textFlag('Folder of the files (default: prompts)', 'folder'),
      },
      args: { kind: 'array', parameter: name },
      load: async () => (await import('./commands/prompt-file-commands.ts')).pullPrompts,
    }),
    diff: defineCommand({
      brief: 'Compare two versions of a prompt',
      examples: [['answer 11 12', '']],
      flags: { component },
      args: {
        kind: 'tuple',
        parameters: [name, versionArg('Version before', 'from'), versionArg('Version after', 'to')],
      },
      load: async () => (await import('./commands/prompt-commands.ts')).diffPrompt,
    }),
    label: buildRouteMap({
      routes: {
        list: defineCommand({
          brief: 'List the labels of a prompt with what they serve',
          examples: [['answer', '']],
          flags: { component },
          args: { kind: 'tuple', parameters: [name] },
          load: async () => (await import('./commands/prompt-commands.ts')).listLabels,
        }),
        history: defineCommand({
          brief: 'List the changes of a label, newest first',
          examples: [['answer production', '']],
          flags: { component, limit },
          args: { kind: 'tuple', parameters: [name, label] },
          load: async () => (await import('./commands/prompt-commands.ts')).listLabelChanges,
        }),
        set: defineCommand({
          brief: 'Let a label point to a version, or to several with shares in percent',
          examples: [
            ['answer production 12 --note "asks for the number"', ''],
            ['answer production 11=90 12=10 --note canary', 'a tenth of the users get version 12'],
            ['answer production 12 --evidence 01956f1e-7c1a-7a31-9a55-1f0f4a8f2c11', 'rests on this decision'],
          ],
          flags: {
            component,
            note,
            evidence: {
              kind: 'parsed',
              optional: true,
              brief: 'Decision, or BASELINE..CANDIDATE of two runs, that the move rests on (default: the newest runs)',
              placeholder: 'id',
              parse: parseEvidence,
            },
            ifChange: numberFlag('Reject the change unless this is the number of the last one', {
              min: 0,
              max: 2_147_483_647,
            }),
          },
          args: {
            kind: 'array',
            parameter: textArg(
              'Prompt, label, and the number of a version or several as NUMBER=PERCENT',
              'name label version',
            ),
            minimum: 3,
          },
          load: async () => (await import('./commands/prompt-commands.ts')).setLabel,
        }),
      },
      docs: { brief: 'List and move labels, and show their history' },
    }),
    rollback: defineCommand({
      brief: 'Return a label to what it served before its last change',
      examples: [['answer production --note "names the wrong company"', '']],
      flags: { component, note },
      args: { kind: 'tuple', parameters: [name, label] },
      load: async () => (await import('./commands/prompt-commands.ts')).rollBackLabel,
    }),
  },
  docs: { brief: 'List, push, pull and compare prompts, move labels and roll them back' },
})
