/** The list of sources that can be imported from. Each is a folder or file of `import/` with an `ImportSource`. */
import { buildRouteMap } from '@stricli/core'
import { defineCommand, textArg, textFlag } from './build-command.ts'
import { langfuseCommand, mlflowCommand, phoenixCommand } from './import-server-routes.ts'
import { importFlags } from './shared-flags.ts'

const fileFlags = {
  ...importFlags,
  dataset: textFlag('Name of the dataset (default: by the content or the name of the file)', 'dataset'),
} as const

const files = { kind: 'array', parameter: textArg('Files to read, or - for stdin', 'file'), minimum: 1 } as const

export const importRoutes = buildRouteMap({
  routes: {
    promptfoo: defineCommand({
      brief: 'Import configs and results of promptfoo, and exports of OpenAI Evals',
      examples: [
        ['promptfooconfig.yaml --component Bot', 'tests become a dataset, prompts become prompts'],
        ['results.json --component Bot --dry-run', 'reports what would be imported'],
      ],
      flags: fileFlags,
      args: files,
      load: async () => {
        const { promptfooSource } = await import('./import/promptfoo/promptfoo-source.ts')
        return (await import('./import/run-import.ts')).importCommand(promptfooSource)
      },
    }),
    inspect: defineCommand({
      brief: 'Import logs of Inspect AI',
      examples: [
        ['logs/2026-11-17_capitals.json --component Bot', 'samples become a dataset, a run and traces'],
        ['logs-json/*.json --component Bot', 'after: inspect log convert logs --to json --output-dir logs-json'],
      ],
      flags: fileFlags,
      args: files,
      load: async () => {
        const { inspectSource } = await import('./import/inspect/inspect-source.ts')
        return (await import('./import/run-import.ts')).importCommand(inspectSource)
      },
    }),
    langsmith: defineCommand({
      brief: 'Import runs, examples and feedback of LangSmith',
      examples: [
        ['runs.jsonl --component Bot', 'runs become traces'],
        ['examples.jsonl --dataset Questions --component Bot', 'examples become a dataset'],
        ['examples.jsonl experiment.jsonl --component Bot', 'together: the experiment becomes a run of the dataset'],
      ],
      flags: fileFlags,
      args: files,
      load: async () => {
        const { langsmithSource } = await import('./import/langsmith/langsmith-source.ts')
        return (await import('./import/run-import.ts')).importCommand(langsmithSource)
      },
    }),
    helicone: defineCommand({
      brief: 'Import requests of Helicone',
      examples: [['requests.jsonl --component Bot', 'after: npx @helicone/export --format jsonl --include-body']],
      flags: importFlags,
      args: files,
      load: async () => {
        const { heliconeSource } = await import('./import/helicone/helicone-source.ts')
        return (await import('./import/run-import.ts')).importCommand(heliconeSource)
      },
    }),
    phoenix: phoenixCommand,
    mlflow: mlflowCommand,
    langfuse: langfuseCommand,
  },
  docs: { brief: 'Import datasets, runs, traces and scores from other tools' },
})
