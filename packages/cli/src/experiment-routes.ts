import { buildRouteMap } from '@stricli/core'
import { defineCommand, switchFlag, textArg } from './build-command.ts'
import { component, limit } from './shared-flags.ts'

const one = { kind: 'tuple', parameters: [textArg('Name or id of the experiment', 'experiment')] } as const
const commands = () => import('./commands/experiment-commands.ts')

export const experimentRoutes = buildRouteMap({
  routes: {
    run: defineCommand({
      brief: 'Start an experiment: look for a better version of a prompt',
      examples: [
        ['plan.yaml --wait', 'searches, tests on new items, and reports the verdict'],
        ['plan.yaml', 'starts it and does not wait'],
        ['plan.yaml --dry-run', 'what it would cost, and what its test items can show'],
        ['- --wait --json', 'a plan from stdin, as YAML or JSON'],
      ],
      flags: {
        component,
        wait: switchFlag('Wait for the end, and report it'),
        dryRun: switchFlag('Start nothing, only estimate'),
      },
      args: {
        kind: 'tuple',
        parameters: [textArg('The plan, or - for stdin: the body of the API, with names instead of ids', 'file')],
      },
      load: async () => (await commands()).runExperiment,
    }),
    watch: defineCommand({
      brief: 'Follow an experiment that was started before, and report it',
      examples: [['"shorter answers"', 'the newest with this name']],
      flags: { component },
      args: one,
      load: async () => (await commands()).watchExperiment,
    }),
    list: defineCommand({
      brief: 'List the experiments of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await commands()).listExperiments,
    }),
    get: defineCommand({
      brief: 'Get an experiment with its progress and its cost',
      examples: [['"shorter answers" --json', '']],
      flags: { component },
      args: one,
      load: async () => (await commands()).getExperiment,
    }),
    start: defineCommand({
      brief: 'Start an experiment that was created before',
      examples: [['"shorter answers"', '']],
      flags: { component },
      args: one,
      load: async () => (await commands()).startExperiment,
    }),
    stop: defineCommand({
      brief: 'End the search now, and test the best proposals so far',
      examples: [['"shorter answers"', '']],
      flags: { component },
      args: one,
      load: async () => (await commands()).stopExperiment,
    }),
    cancel: defineCommand({
      brief: 'Cancel an experiment; what it has found is kept',
      examples: [['"shorter answers"', '']],
      flags: { component },
      args: one,
      load: async () => (await commands()).cancelExperiment,
    }),
    resume: defineCommand({
      brief: 'Continue an experiment that was canceled or has failed before its test',
      examples: [['"shorter answers"', '']],
      flags: { component },
      args: one,
      load: async () => (await commands()).resumeExperiment,
    }),
  },
  docs: { brief: 'Run experiments, which look for better prompts' },
})
