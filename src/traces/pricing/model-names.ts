import { normalizeProvider } from '../semconv/provider-names.ts'

/** A name under which the bundled prices may know a model. Without a provider, the model determines the price. */
export type NamedModel = { model: string; providerId: string | undefined }

/** The library's ids of providers, by their names in OpenTelemetry or in routers. */
const PROVIDER_IDS = new Map([
  ['aws.bedrock', 'aws'],
  ['azure.ai.inference', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['azure_ai', 'azure'],
  ['fireworks_ai', 'fireworks'],
  ['gcp.gemini', 'google'],
  ['gcp.gen_ai', 'google'],
  ['gcp.vertex_ai', 'google'],
  ['mistral_ai', 'mistral'],
  ['moonshot_ai', 'moonshotai'],
  ['together_ai', 'together'],
  ['voyage', 'voyageai'],
  ['x_ai', 'x-ai'],
])

/** Prefixes of a name that are not a model: a router, or a segment of a path. */
const ROUTERS = new Set([
  'ai-gateway',
  'gateway',
  'litellm',
  'litellm_proxy',
  'openrouter',
  'vercel',
  'vercel-ai-gateway',
])

/** Vendors with unique model names. The library finds some models only under their provider. */
const VENDORS = ['openai', 'anthropic', 'google', 'mistral', 'cohere', 'voyageai', 'x-ai', 'deepseek']

const PREFIX = /^([a-z][a-z0-9_.-]*)[/:](.+)$/i

/** The library's id of a provider. */
function providerIdOf(provider: string): string {
  return PROVIDER_IDS.get(provider.toLowerCase()) ?? provider
}

/**
 * The names under which to look up a model, best first. Clients of several providers put the provider, and sometimes a router, in front
 * of the model: `openai/gpt-4o-mini`, `openrouter/anthropic/claude-sonnet-4.5`, `bedrock/us.anthropic.…`, `models/gemini-2.5-flash`. Only
 * known prefixes are removed, so that a model of another company is never priced as one of theirs.
 */
export function* modelNames(
  { model, provider }: { model: string; provider: string | null },
  isKnownProvider: (providerId: string) => boolean,
): Generator<NamedModel> {
  const given = provider === null ? undefined : providerIdOf(provider)
  const ownId = given !== undefined && isKnownProvider(given) ? given : undefined
  yield* spellings(model, ownId)
  let rest = model
  for (let match = PREFIX.exec(rest); match; match = PREFIX.exec(rest)) {
    const [, word = '', behind = ''] = match
    const providerId = providerIdOf(normalizeProvider(word.toLowerCase()))
    const isKnown = isKnownProvider(providerId)
    if (!isKnown && !ROUTERS.has(word.toLowerCase())) break
    rest = behind
    if (isKnown) yield* spellings(rest, providerId)
    // If a named provider has no price for the model, its terms are unknown.
    if (isKnown && !ROUTERS.has(word.toLowerCase())) return
  }
  // Client libraries report every service with OpenAI's protocol as OpenAI. The model then determines the provider.
  if (ownId !== undefined && ownId.toLowerCase() !== 'openai') return
  yield* spellings(rest, undefined)
  for (const providerId of VENDORS) yield { model: rest, providerId }
}

/** Google puts a path in front of the model. Routers write a version with a dot where the vendor writes a dash. */
function* spellings(model: string, providerId: string | undefined): Generator<NamedModel> {
  yield { model, providerId }
  const name = /(?:^|\/)models\/([^/]+)$/.exec(model)?.[1]
  if (name !== undefined) yield { model: name, providerId }
  const dashed = model.replace(/(\d)\.(?=\d)/g, '$1-')
  if (dashed !== model) yield { model: dashed, providerId }
}
