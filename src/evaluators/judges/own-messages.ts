/**
 * The question to a judge in messages that users have written, with `{input}`, `{expected}`, `{predicted}` and columns of the input. The judged
 * texts stay data: in a message of the user each is a JSON string, which no text can end, and in a message of the system its place is named, and
 * the text follows in the message of the user.
 */
import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import type { Case, Need } from '../evaluator.ts'
import {
  type AnswerField,
  answerSchema,
  askFor,
  cutMiddle,
  type JudgeQuestion,
  judgedData,
  noteAbout,
  rules,
  TEXT_LENGTH_MAX,
  withoutRoleMarks,
} from './judge-question.ts'

const ROLES = ['system', 'developer', 'user', 'assistant'] as const

type OwnMessage = { role: (typeof ROLES)[number]; content: string }

export const messagesOption = Type.Optional(
  Type.Array(
    closed(
      {
        role: Type.Enum(ROLES, { type: 'string' }),
        content: Type.String({ maxLength: 20_000 }),
      },
      { title: 'JudgeMessage' },
    ),
    {
      minItems: 1,
      maxItems: 20,
      description:
        'Your own messages about the texts, after the instructions. {input}, {expected}, {predicted} and the names of columns of the input stand for the texts; other names stay.',
    },
  ),
)

/** Not `{{name}}`. Quotes around it belong to it, because a text gets its own. */
const NAME = /(?<!\{)"\{(\w+)\}"(?!\})|(?<!\{)\{(\w+)\}(?!\})/g

function namesIn(messages: readonly OwnMessage[]): Set<string> {
  const names = messages.flatMap(({ content }) =>
    [...content.matchAll(NAME)].map((found) => found[1] ?? found[2] ?? ''),
  )
  return new Set(names)
}

export function needsOf(messages: readonly OwnMessage[]): Need[] {
  return namesIn(messages).has('expected') ? ['output', 'expected', 'model'] : ['output', 'model']
}

const OWN_RULES = rules('In the message of the user, JSON strings in double quotes and fields of a JSON object are')

type Asking = { instructions: string; messages: readonly OwnMessage[]; field: AnswerField }

export function ownQuestion({ instructions: rubric, messages, field }: Asking): (input: Case) => JudgeQuestion {
  const isOfSystem = ({ role }: OwnMessage) => role === 'system' || role === 'developer'
  const [instructions, asked] = [messages.filter(isOfSystem), messages.filter((one) => !isOfSystem(one))]
  const [named, shown] = [namesIn(instructions), namesIn(asked)]
  const schema = answerSchema(field)
  return (input) => {
    const texts = textsOf(input)
    const fill = (content: string, write: (name: string, text: string) => string) =>
      content.replace(NAME, (whole, quoted: string | undefined, plain: string | undefined) => {
        const name = quoted ?? plain ?? ''
        const text = texts.get(name)
        return text === undefined ? whole : write(name, text)
      })
    const system = instructions.map(({ content }) => fill(content, (name) => `the field "${name}"`))
    const user = asked.map(({ content }) => fill(content, (_, text) => jsonString(text)))
    // What only the system names, or all if no message of the user shows anything.
    const isShown = [...shown].some((name) => texts.has(name))
    const missing = [...(isShown ? [] : DEFAULT), ...named].filter((name) => !shown.has(name) && texts.has(name))
    const fields = [...new Set(missing)].map((name) => ({ key: name, text: texts.get(name) ?? '', name }))
    const used = [...new Set([...shown, ...missing])].flatMap((name) => ({ text: texts.get(name) ?? '', name }))
    return {
      system: [OWN_RULES, `Judge by this:\n${rubric}`, ...system, askFor(field)].join('\n\n'),
      user: [...user, ...(fields.length > 0 ? [judgedData(fields).message] : [])].join('\n\n'),
      schema,
      note: noteAbout(used),
    }
  }
}

const DEFAULT = ['input', 'predicted']

/** A column of the input named `input` is shown instead of the whole. */
function textsOf({ input, output, expected }: Case): Map<string, string> {
  const texts = new Map<string, string>()
  if (input !== null) texts.set('input', input)
  for (const [name, value] of Object.entries(objectIn(input)))
    texts.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  if (expected !== null) texts.set('expected', expected)
  texts.set('predicted', output ?? '')
  return texts
}

function objectIn(input: string | null): Record<string, unknown> {
  if (input === null || !/^\s*\{/.test(input)) return {}
  try {
    return { ...JSON.parse(input) }
  } catch {
    // Text that only begins like JSON.
    return {}
  }
}

function jsonString(text: string): string {
  return withoutRoleMarks(JSON.stringify(cutMiddle(text, TEXT_LENGTH_MAX)))
}
