/** Imports from servers of other tools. Their keys are only read from the environment, which no list of processes shows. */
import { defineCommand, textArg, textFlag } from './build-command.ts'
import { importFlags } from './shared-flags.ts'

const address = {
  kind: 'array',
  parameter: textArg('Address of the server to import from', 'address'),
  minimum: 1,
  maximum: 1,
} as const

const since = {
  ...textFlag(
    'Import only traces that started at this time or later, such as 2026-01-31 or 2026-01-31T12:00:00Z',
    'time',
  ),
  parse(text: string) {
    const time = Date.parse(text)
    if (Number.isNaN(time)) throw new RangeError('must be a date, or a date and time')
    return new Date(time).toISOString()
  },
} as const

export const phoenixCommand = defineCommand({
  brief: 'Import datasets, experiments, traces and annotations from Arize Phoenix',
  examples: [
    ['http://localhost:6006 --component Bot', 'the key of Phoenix is PHOENIX_API_KEY'],
    ['http://localhost:6006 --component Bot --project support --since 2026-01-31', 'traces of one project'],
  ],
  flags: {
    ...importFlags,
    project: textFlag('Import only the traces of this project, and the dataset of --dataset', 'project'),
    dataset: textFlag('Import only this dataset with its experiments, and the project of --project', 'dataset'),
    since,
  },
  args: address,
  load: async () => {
    const { phoenixSource } = await import('./import/phoenix/phoenix-source.ts')
    return (await import('./import/run-import.ts')).importCommand(phoenixSource)
  },
})

export const mlflowCommand = defineCommand({
  brief: 'Import datasets, evaluation runs, traces and assessments from MLflow',
  examples: [
    [
      'http://localhost:5000 --component Bot',
      'the key of MLflow is MLFLOW_TRACKING_TOKEN or …_USERNAME and …_PASSWORD',
    ],
    ['http://localhost:5000 --component Bot --experiment support --dry-run', 'reports what would be imported'],
  ],
  flags: {
    ...importFlags,
    experiment: textFlag('Name or id of an experiment: import only its runs, traces and datasets', 'experiment'),
    since,
  },
  args: address,
  load: async () => {
    const { mlflowSource } = await import('./import/mlflow/mlflow-source.ts')
    return (await import('./import/run-import.ts')).importCommand(mlflowSource)
  },
})

export const langfuseCommand = defineCommand({
  brief: 'Import datasets, runs, traces, scores, comments and prompts from Langfuse',
  examples: [
    ['https://cloud.langfuse.com --component Bot', 'the keys are LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY'],
    ['http://localhost:3000 --component Bot --dry-run', 'reports what would be imported'],
  ],
  flags: { ...importFlags, since },
  args: address,
  load: async () => {
    const { langfuseSource } = await import('./import/langfuse/langfuse-source.ts')
    return (await import('./import/run-import.ts')).importCommand(langfuseSource)
  },
})
