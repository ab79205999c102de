import { normalizeProvider } from '../semconv/provider-names.ts'

/** A name under which the bundled prices may know a model; without a provider, the model decides whose price it is. */
export type NamedModel = { model: string; providerId: string | undefined }

/** How the library calls the providers that we know by the names of OpenTelemetry, or by those of routers. */
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

/** What stands in front of a name and is nobody's model: a router, or a word of a path. */
const ROUTERS = new Set([
  'ai-gateway',
  'gateway',
  'litellm',
  'litellm_proxy',
  'openrouter',
  'vercel',
  'vercel-ai-gateway',
])

/** Makers of models, whose names no other maker uses: the library finds some of them only under their provider. */
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'cohere', 'voyageai', 'x-ai', 'deepseek']

const PREFIX = /^([a-z][a-z0-9_.-]*)[/:](.+)$/i

/** The library's name of a provider. */
function providerIdOf(provider: string): string {
  return PROVIDER_IDS.get(provider.toLowerCase()) ?? provider
}

/**
 * Names to look a model up by, the best one first. Clients that reach several providers write the provider, and sometimes a router
 * before it, in front of the model: `openai/gpt-4o-mini`, `openrouter/anthropic/claude-sonnet-4.5`, `bedrock/us.anthropic.…`,
 * `models/gemini-2.5-flash`. Only known names are cut off: what another company calls its model is not priced as somebody else's.
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
    // A provider that is named and has no price for the model sells it under terms that are not known.
    if (isKnown && !ROUTERS.has(word.toLowerCase())) return
  }
  // Whatever speaks OpenAI's protocol is reported as OpenAI by its client library; the model then tells whose it is.
  if (ownId !== undefined && ownId.toLowerCase() !== 'openai') return
  yield* spellings(rest, undefined)
  for (const providerId of MAKERS) yield { model: rest, providerId }
}

/** Google writes a path in front of the model; routers write a version with a dot where its maker writes a dash. */
function* spellings(model: string, providerId: string | undefined): Generator<NamedModel> {
  yield { model, providerId }
  const name = /(?:^|\/)models\/([^/]+)$/.exec(model)?.[1]
  if (name !== undefined) yield { model: name, providerId }
  const dashed = model.replace(/(\d)\.(?=\d)/g, '$1-')
  if (dashed !== model) yield { model: dashed, providerId }
}
