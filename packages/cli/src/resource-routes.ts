/** The commands of the resources: the same verbs, where the API has them. */
import { buildRouteMap } from '@stricli/core'
import { defineCommand, numberFlag, switchFlag, textArg, textFlag } from './build-command.ts'
import { evaluationFlags } from './eval-routes.ts'
import { component, dataset, limit, run, yes } from './shared-flags.ts'

const description = textFlag('Description', 'text')
const one = (what: string) => ({ kind: 'tuple', parameters: [textArg(what, what.split(' ').at(-1) ?? '')] }) as const

export const componentRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List components, newest first',
      examples: [
        ['', 'the newest 50'],
        ['--json --limit 1000', 'up to 1,000, with all fields'],
      ],
      flags: { limit },
      load: async () => (await import('./commands/component-commands.ts')).listComponents,
    }),
    get: defineCommand({
      brief: 'Get a component',
      examples: [
        ['"Support bot"', 'by name'],
        ['0192… --json', 'by id, as JSON'],
      ],
      args: one('Name or id of the component'),
      load: async () => (await import('./commands/component-commands.ts')).getComponent,
    }),
    create: defineCommand({
      brief: 'Create a component',
      examples: [['"Support bot"', '']],
      flags: { description },
      args: one('Its name'),
      load: async () => (await import('./commands/component-commands.ts')).createComponent,
    }),
    delete: defineCommand({
      brief: 'Delete a component with everything that belongs to it',
      examples: [
        ['"Support bot"', 'asks first'],
        ['"Support bot" --yes', 'for scripts'],
      ],
      flags: { yes },
      args: one('Name or id of the component'),
      load: async () => (await import('./commands/component-commands.ts')).deleteComponent,
    }),
  },
  docs: { brief: 'List, get, create and delete components' },
})

export const datasetRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List the datasets of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await import('./commands/dataset-commands.ts')).listDatasets,
    }),
    get: defineCommand({
      brief: 'Get a dataset',
      examples: [['Questions --component "Support bot"', 'by name']],
      flags: { component },
      args: one('Name or id of the dataset'),
      load: async () => (await import('./commands/dataset-commands.ts')).getDataset,
    }),
    create: defineCommand({
      brief: 'Create an empty dataset',
      examples: [['Questions --component "Support bot"', '']],
      flags: { component, description },
      args: one('Its name'),
      load: async () => (await import('./commands/dataset-commands.ts')).createDataset,
    }),
    delete: defineCommand({
      brief: 'Delete a dataset with its items and runs',
      examples: [['Questions --component "Support bot" --yes', '']],
      flags: { component, yes },
      args: one('Name or id of the dataset'),
      load: async () => (await import('./commands/dataset-commands.ts')).deleteDataset,
    }),
    import: defineCommand({
      brief: 'Import items from CSV, JSON lines or JSON',
      examples: [
        ['questions.csv --dataset Questions --create', 'creates the dataset if there is none'],
        ['questions.jsonl --dry-run', 'checks the file and imports nothing'],
      ],
      flags: {
        component,
        dataset,
        format: {
          kind: 'enum',
          values: ['csv', 'jsonl', 'json'],
          brief: 'Default: by the name of the file',
          optional: true,
        },
        create: switchFlag('Create the dataset if there is none with this name'),
        dryRun: switchFlag('Import nothing, only check the file'),
        skipBad: switchFlag('Import the good rows, even if others are bad'),
        skipDuplicates: switchFlag('Skip rows whose input the dataset has'),
      },
      args: one('File to read, or - for stdin: file'),
      load: async () => (await import('./commands/dataset-file-commands.ts')).importDataset,
    }),
    export: defineCommand({
      brief: 'Export the items as JSON lines or CSV',
      examples: [
        ['questions.jsonl --dataset Questions', ''],
        ['- --format csv', 'to stdout'],
      ],
      flags: {
        component,
        dataset,
        format: { kind: 'enum', values: ['csv', 'jsonl'], brief: 'Default: by the name of the file', optional: true },
      },
      args: one('File to write, or - for stdout: file'),
      load: async () => (await import('./commands/dataset-file-commands.ts')).exportDataset,
    }),
  },
  docs: { brief: 'List, get, create, delete, import and export datasets' },
})

export const runRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List the runs of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await import('./commands/run-commands.ts')).listRuns,
    }),
    get: defineCommand({
      brief: 'Get a run',
      examples: [['"prompt v2"', 'the newest with this name']],
      flags: { component },
      args: one('Name or id of the run'),
      load: async () => (await import('./commands/run-commands.ts')).getRun,
    }),
    create: defineCommand({
      brief: 'Create a run on a dataset',
      examples: [
        ['"prompt v2" --dataset Questions', ''],
        ['"prompt v2" --trace 4bf9… --trace 00f0…', 'with traces'],
      ],
      flags: {
        component,
        dataset,
        trace: { ...textFlag('Id of a trace of the run; can be repeated', 'id'), variadic: true },
      },
      args: one('Its name'),
      load: async () => (await import('./commands/run-commands.ts')).createRun,
    }),
    delete: defineCommand({
      brief: 'Delete a run with its annotations',
      examples: [['"prompt v2" --yes', '']],
      flags: { component, yes },
      args: one('Name or id of the run'),
      load: async () => (await import('./commands/run-commands.ts')).deleteRun,
    }),
  },
  docs: { brief: 'List, get, create and delete runs' },
})

export const annotationRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List the annotations of a run, newest first',
      examples: [['--run "prompt v2"', '']],
      flags: { component, run, limit },
      load: async () => (await import('./commands/annotation-commands.ts')).listAnnotations,
    }),
    create: defineCommand({
      brief: 'Create or update your annotation of a trace',
      examples: [['0192… --run "prompt v2" --rating up --comment "Precise."', '']],
      flags: { component, run, rating: textFlag('Rating', 'rating'), comment: textFlag('Comment', 'text') },
      args: one('Id of the trace'),
      load: async () => (await import('./commands/annotation-commands.ts')).createAnnotation,
    }),
    delete: defineCommand({
      brief: 'Delete an annotation',
      examples: [['0192… --run "prompt v2" --yes', '']],
      flags: { component, run, yes },
      args: one('Id of the annotation'),
      load: async () => (await import('./commands/annotation-commands.ts')).deleteAnnotation,
    }),
  },
  docs: { brief: 'List, create and delete annotations' },
})

const traceFilter = {
  component: textFlag('Only traces of this component', 'component'),
  query: textFlag('Query', 'query'),
}

export const traceRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List traces, the latest start first',
      examples: [
        ['--limit 10', ''],
        ['--query "status:error duration:>2s"', 'in the query language'],
      ],
      flags: { ...traceFilter, limit },
      aliases: { q: 'query' },
      load: async () => (await import('./commands/trace-commands.ts')).listTraces,
    }),
    get: defineCommand({
      brief: 'Get a trace with its spans',
      examples: [['4bf92f3577b34da6a3ce929d0e0e4736 --json', 'by the id of its sender']],
      args: one('Id of the trace'),
      load: async () => (await import('./commands/trace-commands.ts')).getTrace,
    }),
    delete: defineCommand({
      brief: 'Delete a trace',
      examples: [['0192… --yes', '']],
      flags: { yes },
      args: one('Id of the trace'),
      load: async () => (await import('./commands/trace-commands.ts')).deleteTrace,
    }),
    push: defineCommand({
      brief: 'Send the traces of a file: JSON or JSON lines, as the API or OTLP has them',
      examples: [
        ['traces.jsonl --component Bot', ''],
        ['otlp.json', 'OTLP names its component itself'],
      ],
      flags: { component },
      args: one('File to read, or - for stdin: file'),
      load: async () => (await import('./commands/push-traces.ts')).pushTraces,
    }),
    tail: defineCommand({
      brief: 'Print traces as they arrive, until Ctrl-C',
      examples: [
        ['--component Bot', ''],
        ['--json --query status:error', 'one JSON object per line'],
      ],
      flags: { ...traceFilter, last: numberFlag('How many to begin with (default: 10)', { min: 0, max: 100 }) },
      aliases: { q: 'query' },
      load: async () => (await import('./commands/tail-traces.ts')).tailTraces,
    }),
  },
  docs: { brief: 'List, get, delete, push and tail traces' },
})

export const evaluationRoutes = buildRouteMap({
  routes: {
    list: defineCommand({
      brief: 'List the evaluations of a component, newest first',
      examples: [['--component "Support bot"', '']],
      flags: { component, limit },
      load: async () => (await import('./commands/evaluation-commands.ts')).listEvaluations,
    }),
    get: defineCommand({
      brief: 'Get an evaluation with its results',
      examples: [['0192… --json', '']],
      flags: { component },
      args: one('Id of the evaluation'),
      load: async () => (await import('./commands/evaluation-commands.ts')).getEvaluation,
    }),
    create: defineCommand({
      brief: 'Start an evaluation without waiting for it (touchstone eval run waits)',
      examples: [['--dataset Questions --run v2 --evaluator exactMatch', '']],
      flags: evaluationFlags,
      load: async () => (await import('./commands/eval-commands.ts')).createEvaluation,
    }),
    cancel: defineCommand({
      brief: 'Cancel an evaluation that runs',
      examples: [['0192…', '']],
      flags: { component },
      args: one('Id of the evaluation'),
      load: async () => (await import('./commands/evaluation-commands.ts')).cancelEvaluation,
    }),
    delete: defineCommand({
      brief: 'Delete an evaluation with its scores',
      examples: [['0192… --yes', '']],
      flags: { component, yes },
      args: one('Id of the evaluation'),
      load: async () => (await import('./commands/evaluation-commands.ts')).deleteEvaluation,
    }),
  },
  docs: { brief: 'List, get, create, cancel and delete evaluations' },
})
