import { NameNotFoundError, type Touchstone } from 'touchstone-sdk/client'

const VERSIONS = '/components/{componentId}/prompts/{promptId}/versions'

interface Scope {
  client: Touchstone
  componentId: string
  signal: AbortSignal
}

/** Undefined if no prompt of the component has this name. */
export async function findPrompt({ client, componentId, signal }: Scope, name: string) {
  const prompts = client.list('/components/{componentId}/prompts', { params: { componentId }, signal })
  for await (const prompt of prompts) if (prompt.name === name) return prompt
  return undefined
}

export async function requirePrompt(scope: Scope, name: string) {
  const found = await findPrompt(scope, name)
  if (!found)
    throw new NameNotFoundError(
      `The component has no prompt named "${name}". Run touchstone prompts list to see its prompts.`,
    )
  return found
}

/** The number of the newest version; undefined if there is none. */
export async function findNewestVersion({ client, componentId, signal }: Scope, promptId: string) {
  const params = { componentId, promptId }
  const { data } = await client.request('GET', VERSIONS, { params, query: { limit: 1 }, signal })
  return data[0]?.number
}
