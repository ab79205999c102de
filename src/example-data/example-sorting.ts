/** The messages that the example experiment sorts, and what its model would answer and propose. No model was called. */

import type { Split } from '../datasets/splits/split.ts'
import type { CandidateContent } from '../experiments/iteration-queries.ts'
import { renderMessages, type TemplateMessage, type TextMessage } from '../prompts/template.ts'
import exampleMessages from './example-messages.json' with { type: 'json' }
import { EXAMPLE_MODEL } from './example-prompt.ts'

export const SORTING_DATASET = 'Messages to sort'
export const SORTING_PROMPT = 'sort'
export const SORTING_NAME = 'Sort to the right team'
export const REFLECTION_MODEL = 'gpt-4o'
export const SORTING_VARIABLES = { message: 'input' }

/** With the one that the experiment has found. */
export const SORTING_VERSIONS = 2

/** They need no model. The first one is improved. */
export const SORTING_EVALUATORS = [
  { type: 'exactMatch', name: 'right team' },
  { type: 'length', name: 'one word', maxWords: 1 },
]

export const SORTING_START = {
  model: EXAMPLE_MODEL,
  parameters: { temperature: 0, max_tokens: 5 },
  messages: [
    {
      role: 'system',
      content:
        'You sort the messages of the customers of Harbor & Pine. Answer with one word: returns, delivery, billing, repairs or account.',
    },
    { role: 'user', content: '{{message}}' },
  ],
} as const

/** What the start does not know: messages that it sorts by a word in them. `weak` helps with every second one of them. */
const RULES = {
  refund: {
    wrong: 'returns',
    rule: 'A question about money that comes back after a return is billing.',
    weak: 'What is about money is billing.',
    diagnosis: 'Questions about a refund are sorted as returns. The word return is in them, and they are about money.',
  },
  arrived: {
    wrong: 'repairs',
    rule: 'What was broken when it arrived is delivery, and what broke in use is repairs.',
    weak: 'Damage on the way is delivery.',
    diagnosis: 'Damage on the way is sorted as repairs. What broke before it was used was not packed well.',
  },
  swap: {
    wrong: 'delivery',
    rule: 'A swap for another size, color or model is returns.',
    weak: 'Another size is returns.',
    diagnosis: 'Wishes for another size are sorted as delivery. They ask to send something, and mean a swap.',
  },
} as const

type Rule = keyof typeof RULES

/** It helps with every swap, and does harm to what is about a delivery. */
const TOO_BROAD = 'If something is to be sent, the answer is returns.'
const NO_USE = 'Read the message to its end before you answer.'

export type SortingCase = {
  message: string
  team: string
  split: Split
  group: keyof typeof exampleMessages
  /** A weak rule helps with it. */
  isPlain: boolean
}

const SPLIT_ORDER: readonly Split[] = [
  ...(['train', 'validation', 'test', 'train', 'validation', 'test'] as const),
  ...(['train', 'validation', 'test', 'test'] as const),
]

/** Each group is in all splits, by their shares. */
export const SORTING_CASES: readonly SortingCase[] = readCases()

function readCases(): SortingCase[] {
  const cases: SortingCase[] = []
  for (const group of ['plain', 'refund', 'arrived', 'swap', 'hard', 'harmedByRefund', 'harmedBySwap'] as const)
    for (const [team = '', message = ''] of exampleMessages[group]) {
      const place = cases.length
      const split = SPLIT_ORDER[place % SPLIT_ORDER.length] ?? 'train'
      cases.push({ message, team, split, group, isPlain: place % 2 === 0 })
    }
  return cases
}

function textOf({ messages }: Pick<CandidateContent, 'messages'>): string {
  return messages.map((message) => ('content' in message ? message.content : '')).join('\n')
}

/** The team that the model would name. */
export function sortMessage(
  content: Pick<CandidateContent, 'messages'>,
  { group, team, isPlain }: SortingCase,
): string {
  const text = textOf(content)
  const has = (rule: Rule) => text.includes(RULES[rule].rule)
  switch (group) {
    case 'plain':
      return text.includes(TOO_BROAD) && team === 'delivery' ? 'returns' : team
    case 'hard':
      return team === 'delivery' ? 'account' : 'delivery'
    case 'harmedByRefund':
      return has('refund') ? 'billing' : team
    case 'harmedBySwap':
      return has('swap') ? 'returns' : team
    default: {
      const isHelped = has(group) || (text.includes(RULES[group].weak) && isPlain)
      return isHelped || (group === 'swap' && text.includes(TOO_BROAD)) ? team : RULES[group].wrong
    }
  }
}

type Proposing = { number: number; parent: CandidateContent; failing: readonly SortingCase[] }

/** What a model that reads the failing messages would propose. Some of it is what the guards are for. */
export function proposeSorting({ number, parent, failing }: Proposing): {
  content: CandidateContent
  diagnosis: string
} {
  const [first] = failing
  switch (number) {
    case 3:
      return {
        content: withRule(parent, `For example, “${first?.message}” is ${first?.team}.`),
        diagnosis: 'Shows one of the messages as an example. Its words are then known to the prompt.',
      }
    case 5:
      return {
        content: withRule(parent, Array.from({ length: 20 }, () => NO_USE).join(' ')),
        diagnosis: 'Says the same advice many times. The answers are given too early.',
      }
    case 6:
      return {
        content: withRule(parent, TOO_BROAD),
        diagnosis: 'Takes every wish to send something as returns. Several of the failing messages have one.',
      }
    case 8:
      return {
        content: { messages: parent.messages.map((message) => withoutVariable(message)) },
        diagnosis: 'Sorts without the message. The instructions should be enough.',
      }
    default:
      return proposeRule({ number, parent, failing })
  }
}

function withoutVariable(message: TemplateMessage): TemplateMessage {
  return 'content' in message ? { ...message, content: message.content.replace('{{message}}', 'The message') } : message
}

function proposeRule({ number, parent, failing }: Proposing): { content: CandidateContent; diagnosis: string } {
  const text = textOf(parent)
  const rules = (['refund', 'arrived', 'swap'] as const).filter((rule) => !text.includes(RULES[rule].rule))
  const countOf = (rule: Rule) => failing.filter(({ group }) => group === rule).length
  const [wanted] = rules.filter((rule) => countOf(rule) > 0).sort((a, b) => countOf(b) - countOf(a))
  if (!wanted)
    return { content: withRule(parent, NO_USE), diagnosis: 'Reads the message to its end. The answers come too early.' }
  const { rule, weak, diagnosis } = RULES[wanted]
  const isWeak = number % 3 === 1 && !text.includes(weak)
  return { content: withRule(parent, isWeak ? weak : rule), diagnosis }
}

function withRule({ messages }: CandidateContent, rule: string): CandidateContent {
  return {
    messages: messages.map((message, place) =>
      place === 0 && 'content' in message ? { ...message, content: `${message.content}\n${rule}` } : message,
    ),
  }
}

/** What the model gets for a message. */
export function renderSorting({ messages }: Pick<CandidateContent, 'messages'>, message: string): TextMessage[] {
  return renderMessages(messages, { message })
}

/** In billionths of a dollar for a token. */
const PRICES = { answer: { input: 150, output: 600 }, reflection: { input: 2_500, output: 10_000 } }
/** The instructions of a reflection and its failing items. */
const REFLECTION_TOKENS = 1_100

/** About four characters per token, as in English. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

/** What a call of a model uses. */
export type Used = { tokens: number; nanoUsd: number }

export function answerUsage(
  content: Pick<CandidateContent, 'messages'>,
  { message }: SortingCase,
  output: string,
): Used {
  return usageOf(PRICES.answer, tokensIn(textOf(content)) + tokensIn(message), tokensIn(output))
}

export function reflectionUsage(parent: CandidateContent, proposed: CandidateContent): Used {
  return usageOf(PRICES.reflection, REFLECTION_TOKENS + tokensIn(textOf(parent)), 60 + tokensIn(textOf(proposed)))
}

function usageOf(price: { input: number; output: number }, input: number, output: number): Used {
  return { tokens: input + output, nanoUsd: input * price.input + output * price.output }
}
