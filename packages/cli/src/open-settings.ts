import type { CliContext, CommonFlags } from './cli-context.ts'
import { type ProjectFile, readProjectFile } from './settings/project-file.ts'
import { resolveSettings, type Settings } from './settings/resolve-settings.ts'

export interface OpenedSettings {
  settings: Settings
  project: ProjectFile | undefined
  /** `fetch`, which `--debug` prints without headers: they contain the key. */
  send: typeof fetch
}

export async function openSettings(context: CliContext, flags: CommonFlags): Promise<OpenedSettings> {
  const { terminal, env, folder } = context
  const project = readProjectFile(folder, flags.config)
  const settings = resolveSettings({ flags, env, project, warn: (text) => terminal.message(`Warning: ${text}`) })
  if (settings.apiKey) terminal.hide(settings.apiKey)
  return { settings, project, send: flags.debug ? debugFetch(terminal.message) : fetch }
}

function debugFetch(print: (text: string) => void): typeof fetch {
  return async (input, init) => {
    const startedAt = performance.now()
    const request = `${init?.method ?? 'GET'} ${input instanceof Request ? input.url : input}`
    const elapsed = () => `${Math.round(performance.now() - startedAt)} ms`
    try {
      const response = await fetch(input, init)
      print(
        `debug: ${request} → ${response.status} in ${elapsed()} (${response.headers.get('x-request-id') ?? 'no id'})`,
      )
      return response
    } catch (error) {
      print(`debug: ${request} → failed in ${elapsed()}`)
      throw error
    }
  }
}
