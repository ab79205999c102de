/** The parameters of a prompt, under the names of any provider. */
import { badRequest } from '../../base/errors.ts'
import type { ChatRequest, ProviderKind } from '../../llm/chat.ts'

type Fields = Readonly<Record<string, unknown>>
type Parameters = NonNullable<ChatRequest['parameters']>

type Known = keyof Omit<Parameters, 'other'>

// A map: a name such as `constructor` must not be found among what objects inherit.
const ALIASES: ReadonlyMap<string, Known | 'toolChoice'> = new Map([
  ['temperature', 'temperature'],
  ['topP', 'topP'],
  ['top_p', 'topP'],
  ['maxTokens', 'maxTokens'],
  ['max_tokens', 'maxTokens'],
  ['max_completion_tokens', 'maxTokens'],
  ['max_output_tokens', 'maxTokens'],
  ['maxOutputTokens', 'maxTokens'],
  ['stop', 'stop'],
  ['stop_sequences', 'stop'],
  ['stopSequences', 'stop'],
  ['seed', 'seed'],
  ['toolChoice', 'toolChoice'],
  ['tool_choice', 'toolChoice'],
])

/**
 * What only one kind of provider knows, and what is sent to it as it is. None of them raises the price of a call or its number of answers,
 * and none replaces what is sent otherwise.
 */
const OTHERS: Readonly<Record<ProviderKind, readonly string[]>> = {
  openai: [
    'frequency_penalty',
    'presence_penalty',
    'reasoning_effort',
    'verbosity',
    'parallel_tool_calls',
    'logit_bias',
    'top_k',
    'min_p',
    'repetition_penalty',
    'reasoning',
    'thinking',
    'enable_thinking',
    'chat_template_kwargs',
  ],
  anthropic: ['top_k', 'thinking', 'output_config'],
  gemini: ['topK', 'frequencyPenalty', 'presencePenalty', 'thinkingConfig'],
}

const MAX_TOKENS_MAX = 1_000_000
const STOPS_MAX = 16

/** `toolChoice` is as given. Throws 400 for a parameter that connections of this kind do not know. */
export function readParameters(given: Fields, kind: ProviderKind): { parameters: Parameters; toolChoice: unknown } {
  const known: Record<string, unknown> = {}
  const other: Record<string, unknown> = {}
  const names = new Map<string, string>()
  let toolChoice: unknown
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue
    const alias = ALIASES.get(name)
    const earlier = alias === undefined ? undefined : names.get(alias)
    if (earlier !== undefined) throw badRequest(`The parameters ${earlier} and ${name} mean the same; keep one of them`)
    if (alias !== undefined) names.set(alias, name)
    if (alias === 'toolChoice') toolChoice = value
    else if (alias !== undefined) known[alias] = checked(alias, name, value)
    else if (OTHERS[kind].includes(name)) other[name] = value
    else throw unknownParameter(name, kind)
  }
  return { parameters: { ...known, ...(Object.keys(other).length > 0 && { other }) }, toolChoice }
}

function checked(alias: Known, name: string, value: unknown): unknown {
  switch (alias) {
    case 'maxTokens':
      if (isWhole(value) && value >= 1 && value <= MAX_TOKENS_MAX) return value
      throw badRequest(`The parameter ${name} must be a whole number from 1 to ${MAX_TOKENS_MAX}`)
    case 'seed':
      if (isWhole(value)) return value
      throw badRequest(`The parameter ${name} must be a whole number`)
    case 'stop': {
      const list: unknown[] = Array.isArray(value) ? value : [value]
      if (list.length <= STOPS_MAX && list.every((text) => typeof text === 'string' && text !== '')) return list
      throw badRequest(`The parameter ${name} must be a text or a list of up to ${STOPS_MAX} texts`)
    }
    default:
      if (typeof value === 'number' && value >= 0) return value
      throw badRequest(`The parameter ${name} must be a number of at least 0`)
  }
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

function unknownParameter(name: string, kind: ProviderKind) {
  const known = ['temperature', 'topP', 'maxTokens', 'stop', 'seed', 'toolChoice', ...OTHERS[kind]].join(', ')
  return badRequest(
    `The parameter ${JSON.stringify(name.slice(0, 100))} is not known for connections of kind ${kind}; remove it, or use one of ${known}`,
  )
}
