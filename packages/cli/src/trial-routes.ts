import { buildRouteMap } from '@stricli/core'
import { defineCommand, numberFlag, switchFlag, textArg, textFlag } from './build-command.ts'
import { component, limit } from './shared-flags.ts'

const one = { kind: 'tuple', parameters: [textArg('Name or id of the trial', 'trial')] } as const

const reportFlags = {
  gate: switchFlag('Exit with 10 if a variant is worse than the baseline, with 11 if that cannot be decided. Waits'),
  junit: textFlag('Write JUnit XML of all compared variants. Waits', 'file'),
  summary: switchFlag('Write Markdown to $GITHUB_STEP_SUMMARY, or to stdout. Waits'),
} as const

export const trialRoutes = buildRouteMap({
  routes: {
    run: defineCommand({
      brief: 'Start a trial: each variant answers each item of a dataset',
      examples: [
        ['plan.yaml --wait --gate', 'exit code 0: not worse, 10: worse, 11: cannot tell'],
        ['plan.yaml', 'starts it and does not wait'],
        ['plan.yaml --dry-run', 'what it would cost'],
        ['- --wait --json', 'a plan from stdin, as YAML or JSON'],
      ],
      flags: {
        component,
        wait: switchFlag('Wait for the end, and report it'),
        dryRun: switchFlag('Start nothing, only estimate cost, time and what can be seen'),
        ...reportFlags,
      },
      args: {
        kind: 'tuple',
        parameters: [textArg('The plan, or - for stdin: the body of the API, with names instead of ids', 'file')],
      },
      load: async () => (await import('./commands/trial-commands.ts')).runTrial,
    }),
    worker: defineCommand({
      brief: 'Run the calls of a queue by a command, until Ctrl-C',
      examples: [
        [
          '--queue support-agent -- node agent.js',
          'a line of JSON per call on its stdin, one per answer on its stdout',
        ],
        ['--queue support-agent --trial nightly -- python agent.py', 'ends when all calls of this trial have'],
      ],
      flags: {
        component,
        queue: textFlag('The queue of the variant', 'queue'),
        trial: textFlag('Name or id of a trial: only its calls, until it has ended', 'trial'),
        concurrency: numberFlag('How many calls at a time (default: 4)', { min: 1, max: 1000 }),
        timeout: numberFlag('Seconds to wait for an answer (default: 600)', { min: 1, max: 86_400 }),
        grace: numberFlag('Seconds that calls may continue after Ctrl-C (default: 5)', { min: 0, max: 86_400 }),
      },
      args: { kind: 'array', parameter: textArg('The command, after --', 'command') },
      load: async () => (await import('./commands/trial-worker.ts')).runTrialWorker,
    }),
    wait: defineCommand({
      brief: 'Wait for a trial that was started before, and report it',
      examples: [['nightly --gate', '']],
      flags: { component, ...reportFlags },
      args: one,
      load: async () => (await import('./commands/trial-commands.ts')).waitForTrialEnd,
    }),
    list: defineCommand({
      brief: 'List the trials of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await import('./commands/trial-commands.ts')).listTrials,
    }),
    get: defineCommand({
      brief: 'Get a trial with its progress and its variants',
      examples: [['nightly --json', 'the newest with this name']],
      flags: { component },
      args: one,
      load: async () => (await import('./commands/trial-commands.ts')).getTrial,
    }),
    retry: defineCommand({
      brief: 'Send the calls again that failed and can succeed, and those that were skipped',
      examples: [['nightly', '']],
      flags: { component },
      args: one,
      load: async () => (await import('./commands/trial-commands.ts')).retryTrial,
    }),
    cancel: defineCommand({
      brief: 'Cancel a trial; what has ended is kept',
      examples: [['nightly', '']],
      flags: { component },
      args: one,
      load: async () => (await import('./commands/trial-commands.ts')).cancelTrial,
    }),
  },
  docs: { brief: 'Run trials, and workers for their calls' },
})
