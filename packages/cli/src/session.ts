/** What most commands begin with: the settings, the file of the project, and a client. */
import { findComponent, Touchstone } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from './cli-context.ts'
import { CliError } from './cli-error.ts'
import { EXIT } from './exit-code-values.ts'
import { openSettings } from './open-settings.ts'
import type { ProjectFile } from './settings/project-file.ts'
import { requireKey, type Settings } from './settings/resolve-settings.ts'

export interface Session {
  client: Touchstone
  settings: Settings
  project: ProjectFile | undefined
  /** The component of `--component`, or of the file of the project. */
  component(named: string | undefined): Promise<{ id: string; name: string; workspaceId: string }>
}

export async function openSession(context: CliContext, flags: CommonFlags): Promise<Session> {
  const { settings, project, send } = await openSettings(context, flags)
  const client = new Touchstone({ apiKey: requireKey(settings), baseUrl: settings.url, fetch: send })
  return {
    client,
    settings,
    project,
    async component(named) {
      const name = named ?? project?.component
      if (name === undefined) {
        throw new CliError('Which component? Pass --component, or set component in touchstone.yaml.', EXIT.usage)
      }
      return findComponent(client, name, context.signal)
    },
  }
}
