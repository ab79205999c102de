/** The prompt of the example agent: five versions, and what its labels served in the last week. */
import type { Static } from 'typebox'
import type { LabelChange, LabelState } from '../prompts/label-queries.ts'
import type { SaveVersionBody } from '../prompts/prompt-schemas.ts'
import { renderMessages, type TextMessage } from '../prompts/template.ts'

export const EXAMPLE_PROMPT = 'answer'
export const EXAMPLE_MODEL = 'gpt-4o-mini'

const FROM_PASSAGES = `You are the support agent of Harbor & Pine. Answer only from the help center passages below. Name the fact first.

{{passages}}`
const IN_ONE_SENTENCE = `You are the support agent of Harbor & Pine. Answer in one sentence, only from the help center passages below and what tools return.

{{passages}}`

const THANKS = 'Begin by thanking the customer, and end with an offer of further help.'

const LOOK_UP_ORDER = {
  type: 'function',
  function: {
    name: 'look_up_order',
    description: 'Returns the state of an order',
    parameters: { type: 'object', properties: { orderNumber: { type: 'string' } }, required: ['orderNumber'] },
  },
}

type PromptVersion = { hoursAgo: number; note: string; content: Static<typeof SaveVersionBody>['content'] }

const question = { role: 'user', content: '{{question}}' } as const
const history = { placeholder: 'history' }
const settings = { model: EXAMPLE_MODEL, parameters: { temperature: 0.2, max_tokens: 300 } }

const system = (content: string) => ({ role: 'system', content }) as const

/** In the order of their numbers. */
export const EXAMPLE_PROMPT_VERSIONS: readonly PromptVersion[] = [
  {
    hoursAgo: 150,
    note: 'first version',
    content: {
      ...settings,
      messages: [system('You are the friendly support agent of Harbor & Pine. Answer briefly.'), question],
    },
  },
  {
    hoursAgo: 100,
    note: 'answers from the help center',
    content: { ...settings, messages: [system(FROM_PASSAGES), question] },
  },
  {
    hoursAgo: 60,
    note: 'thanks the customer and offers further help',
    content: { ...settings, messages: [system(`${FROM_PASSAGES}\n\n${THANKS}`), question] },
  },
  {
    hoursAgo: 30,
    note: 'has the conversation so far',
    content: { ...settings, messages: [system(FROM_PASSAGES), history, question] },
  },
  {
    hoursAgo: 6,
    note: 'one sentence, and looks up orders',
    content: { ...settings, messages: [system(IN_ONE_SENTENCE), history, question], tools: [LOOK_UP_ORDER] },
  },
]

/** What a version sends to the model for a question, without an earlier conversation. */
export function examplePromptMessages(number: number, values: { question: string; passages: string }): TextMessage[] {
  const { messages = [] } = EXAMPLE_PROMPT_VERSIONS[number - 1]?.content ?? {}
  const hasHistory = messages.includes(history)
  return renderMessages(messages, hasHistory ? { ...values, history: [] } : values)
}

type LabelMove = Pick<LabelChange, 'kind' | 'undoes'> & {
  label: string
  hoursAgo: number
  after: LabelState
  note: string
  /** Which of the example authors. */
  author: number
}

const moved = { kind: 'moved', undoes: null } as const
const only = (version: number) => [{ version, weight: 100 }]
const canary = (before: number, after: number) => [
  { version: before, weight: 90 },
  { version: after, weight: 10 },
]

/** Of each label in order. The third version was a canary, and was taken back; the fifth is on its way to production. */
export const EXAMPLE_LABEL_MOVES: readonly LabelMove[] = [
  {
    ...moved,
    label: 'production',
    hoursAgo: 146,
    after: { seed: 1, splits: only(1) },
    note: 'first release',
    author: 0,
  },
  { ...moved, label: 'production', hoursAgo: 94, after: { seed: 2, splits: canary(1, 2) }, note: 'canary', author: 1 },
  {
    ...moved,
    label: 'production',
    hoursAgo: 72,
    after: { seed: 3, splits: only(2) },
    note: 'better than version 1 on the customer questions',
    author: 1,
  },
  { ...moved, label: 'production', hoursAgo: 58, after: { seed: 4, splits: canary(2, 3) }, note: 'canary', author: 0 },
  {
    label: 'production',
    hoursAgo: 34,
    kind: 'rolledBack',
    undoes: 4,
    after: { seed: 3, splits: only(2) },
    note: 'answers are too long',
    author: 1,
  },
  { ...moved, label: 'staging', hoursAgo: 29, after: { seed: 1, splits: only(4) }, note: 'to be tried', author: 0 },
  { ...moved, label: 'staging', hoursAgo: 5, after: { seed: 2, splits: only(5) }, note: 'to be tried', author: 1 },
]

/** Version 5 was compared on too few items for a gate, and versions 3 and 4 not at all. */
export const EXAMPLE_GATE = { metric: 'answer match', margin: 0.05, maxAgeDays: 14 }

/** What production served so many hours ago. */
export function exampleProductionAt(hoursAgo: number): LabelState | undefined {
  return EXAMPLE_LABEL_MOVES.findLast((move) => move.label === 'production' && move.hoursAgo >= hoursAgo)?.after
}
