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
        ['promptfooconfig.yaml --component Bot', 'tests become a dataset'],
        ['results.json --component Bot --dry-run', 'reports what would be imported'],
      ],
      flags: fileFlags,
      args: files,
      load: async () => {
        const { promptfooSource } = await import('./import/promptfoo/promptfoo-source.ts')
        return (await import('./import/run-import.ts')).importCommand(promptfooSource)
      },
    }),
    phoenix: phoenixCommand,
    mlflow: mlflowCommand,
    langfuse: langfuseCommand,
  },
  docs: { brief: 'Import datasets, runs, traces and scores from other tools' },
})
