/**
 * Finds out which parameters a model supports. OpenAI-compatible providers differ: the response format may be a schema, `json_object`,
 * or only part of the prompt; some models accept no temperature, some servers no seed. What the caller needs is never omitted.
 */
import type { ProviderResponse } from './model-exchange.ts'
import { errorText } from './provider-errors.ts'
import { canAnswerByTool } from './providers/answer-tool.ts'
import type { Delivery, ModelRequest, Optional, Provider, RequestProfile } from './providers/provider.ts'

export const DEFAULT_PROFILE: RequestProfile = {
  format: 'schema',
  temperature: 'sent',
  seed: 'sent',
  limitName: 0,
  streamUsage: 'sent',
}

type Asked = { provider: Provider; request: ModelRequest; optional: Optional; delivery: Delivery }

/** The learned profile, without what this request may not omit: other requests may have omitted it. */
export function profileFor(learned: RequestProfile, { provider, request, optional }: Asked): RequestProfile {
  const isEquivalent = learned.format === 'tool' && canAnswerByTool(request)
  return {
    ...learned,
    format: optional.has('format') || isEquivalent ? learned.format : 'schema',
    temperature: optional.has('temperature') ? learned.temperature : 'sent',
    seed: optional.has('seed') ? learned.seed : 'sent',
    limitName: optional.has('maxTokens')
      ? learned.limitName
      : Math.min(learned.limitName, provider.limitNames.length - 1),
  }
}

/** What to change if the provider rejected a parameter and not the request itself; undefined if there is nothing left to try. */
export function nextProfile(
  profile: RequestProfile,
  { provider, request, optional, delivery }: Asked,
  response: ProviderResponse,
): Partial<RequestProfile> | undefined {
  if (![400, 404, 415, 422].includes(response.status)) return undefined
  const text = errorText(response)
  const { temperature, seed, maxTokens } = request.parameters ?? {}
  if (profile.temperature === 'sent' && temperature !== undefined && /\btemperature\b/i.test(text)) {
    return optional.has('temperature') ? { temperature: 'omitted' } : undefined
  }
  if (profile.seed === 'sent' && seed !== undefined && /\bseed\b/i.test(text)) {
    return optional.has('seed') ? { seed: 'omitted' } : undefined
  }
  if (maxTokens !== undefined && /\bmax_(completion_)?tokens\b/i.test(text)) {
    const limitName = profile.limitName + 1
    const last = provider.limitNames.length - (optional.has('maxTokens') ? 0 : 1)
    if (limitName <= last) return { limitName }
  }
  if (delivery === 'stream' && profile.streamUsage === 'sent' && /stream_options|include_usage/i.test(text)) {
    return { streamUsage: 'omitted' }
  }
  if (request.responseFormat?.type !== 'schema' || !provider.unknownFormat.test(text)) return undefined
  // With a tool that takes the answer, nothing is lost.
  if (!optional.has('format'))
    return profile.format === 'schema' && canAnswerByTool(request) ? { format: 'tool' } : undefined
  const place = provider.formats.indexOf(profile.format)
  const format = place === -1 ? undefined : provider.formats[place + 1]
  return format && { format }
}
