import { NameNotFoundError, type Touchstone } from 'touchstone-sdk/client'

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
