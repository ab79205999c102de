import { buildRouteMap } from '@stricli/core'
import { defineCommand, switchFlag, textArg, textFlag } from './build-command.ts'
import { parseGate } from './commands/plan-evaluation.ts'
import { component } from './shared-flags.ts'

export const evaluationFlags = {
  component,
  dataset: textFlag('Name or id of the dataset', 'dataset'),
  run: textFlag('Name or id of the run; without one, the outputs of the dataset are evaluated', 'run'),
  baseline: textFlag('Name or id of the run to compare with', 'run'),
  noBaseline: switchFlag('Evaluate without the baseline and the gate of touchstone.yaml'),
  evaluator: { ...textFlag('Type of an evaluator; can be repeated', 'type'), variadic: true },
  gate: {
    kind: 'parsed',
    parse: parseGate,
    brief: 'Metric and accepted loss: correct:0.02. Needs --baseline',
    placeholder: 'metric:margin',
    optional: true,
  },
  name: textFlag('Name of the evaluation', 'name'),
  split: {
    kind: 'enum',
    values: ['train', 'validation', 'test'],
    brief: 'Only the items of this split',
    optional: true,
  },
} as const

const outputFlags = {
  junit: textFlag('Write JUnit XML', 'file'),
  summary: switchFlag('Write Markdown to $GITHUB_STEP_SUMMARY, or to stdout'),
  annotations: switchFlag('Print up to 10 annotations of GitHub Actions'),
  comment: textFlag('Write a comment for a pull request, with a marker to find it again', 'file'),
  report: textFlag('Write the report of the comparison as one HTML file', 'file'),
} as const

export const evalRoutes = buildRouteMap({
  routes: {
    run: defineCommand({
      brief: 'Evaluate a run, compare it with a baseline, and decide a gate',
      examples: [
        ['--run v2 --baseline v1 --gate correct:0.02', 'exit code 0: not worse, 10: worse, 11: cannot decide'],
        [
          '--run "$GITHUB_SHA" --summary --annotations --junit results.xml',
          'in CI, with the settings of touchstone.yaml',
        ],
        ['--run v1 --no-baseline', 'evaluates the baseline itself, once'],
        ['--component Bot --dataset Questions --run v1 --evaluator exactMatch', 'without touchstone.yaml'],
      ],
      flags: { ...evaluationFlags, ...outputFlags },
      load: async () => (await import('./commands/eval-commands.ts')).runEvaluation,
    }),
    wait: defineCommand({
      brief: 'Wait for an evaluation that was started before, and report it',
      examples: [['0192… --component Bot', '']],
      flags: { component, ...outputFlags },
      args: { kind: 'tuple', parameters: [textArg('Id of the evaluation', 'evaluation')] },
      load: async () => (await import('./commands/eval-commands.ts')).waitForEnd,
    }),
  },
  docs: { brief: 'Run evaluations and gates' },
})
