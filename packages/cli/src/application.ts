import { type Application, buildApplication, buildRouteMap, text_en } from '@stricli/core'
import {
  completionCommand,
  doctorCommand,
  loginCommand,
  logoutCommand,
  mcpCommand,
  serveCommand,
  whoamiCommand,
} from './account-routes.ts'
import { defineCommand, textArg, textFlag } from './build-command.ts'
import type { CliContext } from './cli-context.ts'
import { cliVersion } from './cli-version.ts'
import { evalRoutes } from './eval-routes.ts'
import { experimentRoutes } from './experiment-routes.ts'
import { importRoutes } from './import-routes.ts'
import { promptRoutes } from './prompt-routes.ts'
import {
  annotationRoutes,
  componentRoutes,
  datasetRoutes,
  evaluationRoutes,
  runRoutes,
  traceRoutes,
} from './resource-routes.ts'
import { trialRoutes } from './trial-routes.ts'

const apiCommand = defineCommand({
  brief: 'Send any request of the API',
  examples: [
    ['GET "/components?limit=10"', 'a path of the API reference'],
    ['POST /components --input component.json', 'with a body from a file'],
    ['PATCH /components/0192… --input -', 'with a body from stdin'],
  ],
  flags: {
    input: textFlag('File with the body, or - for stdin', 'file'),
    contentType: textFlag('Media type of the body (default: application/json)', 'type'),
  },
  args: {
    kind: 'tuple',
    parameters: [textArg('GET, POST, PUT, PATCH or DELETE', 'method'), textArg('Path below /api/v1', 'path')],
  },
  load: async () => (await import('./commands/api-command.ts')).sendApiRequest,
})

export function buildCli({ hasColor }: { hasColor: boolean }): Application<CliContext> {
  const root = buildRouteMap({
    routes: {
      eval: evalRoutes,
      trial: trialRoutes,
      experiment: experimentRoutes,
      components: componentRoutes,
      datasets: datasetRoutes,
      runs: runRoutes,
      traces: traceRoutes,
      annotations: annotationRoutes,
      evaluations: evaluationRoutes,
      prompts: promptRoutes,
      import: importRoutes,
      api: apiCommand,
      login: loginCommand,
      logout: logoutCommand,
      whoami: whoamiCommand,
      doctor: doctorCommand,
      completion: completionCommand,
      mcp: mcpCommand,
      serve: serveCommand,
    },
    docs: {
      brief: 'Touchstone: traces, datasets, evaluations and gates for AI components',
    },
  })
  return buildApplication<CliContext>(root, {
    name: 'touchstone',
    versionInfo: { currentVersion: cliVersion() },
    scanner: {
      caseStyle: 'allow-kebab-for-camel',
      allowArgumentEscapeSequence: true,
      // A typing error or two. With the default of 7, `--nope` would suggest `--config`.
      distanceOptions: { threshold: 2, weights: { insertion: 1, deletion: 1, substitution: 1, transposition: 1 } },
    },
    documentation: { disableAnsiColor: !hasColor, onlyRequiredInUsageLine: true },
    localization: { text: text_en },
  })
}
