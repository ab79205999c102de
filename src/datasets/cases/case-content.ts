/**
 * Cases are the items of a dataset as the original service shows them: two JSON payloads instead of texts. A text is shown as
 * `{"input": text}`. What a client has sent as the expected value is returned in the same form, but stored as the text that evaluators
 * compare: the form is a number in the row of the item.
 */
import { isDeepStrictEqual } from 'node:util'
import { contentText } from '../../traces/trace-content.ts'
import type { Split } from '../splits/split.ts'

export const CASE_SPLITS = ['train', 'eval'] as const
export type CaseSplit = (typeof CASE_SPLITS)[number]

type Fields = Record<string, unknown>

export function inputPayloadOf(input: string | null): Fields {
  if (input === null) return {}
  return objectIn(input) ?? { input }
}

/** The text of the only field `input`, which reads back the same; else the payload as JSON. */
export function inputTextOf(payload: Fields): string {
  const text = payload.input
  const isText = typeof text === 'string' && isDeepStrictEqual(inputPayloadOf(text), payload)
  return isText ? text : JSON.stringify(payload)
}

/** How `expected` was sent. */
const FORMS = { text: 0, textAsValue: 1, json: 2, jsonAsValue: 3 } as const

export function readExpected(payload: unknown): { expected: string | null; caseForm: number | null } {
  const value = onlyValueIn(payload)
  const isWrapped = value !== undefined && value !== null
  const content = isWrapped ? value : payload
  if (content === undefined || content === null) return { expected: null, caseForm: null }
  const [text, json] = isWrapped ? [FORMS.textAsValue, FORMS.jsonAsValue] : [FORMS.text, FORMS.json]
  return { expected: contentText(content), caseForm: typeof content === 'string' ? text : json }
}

/** Of an object whose only field is `value`. Nothing is copied: a payload may have a million elements. */
function onlyValueIn(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined
  for (const name in payload) if (name !== 'value') return undefined
  return 'value' in payload ? payload.value : undefined
}

/** An item that no client has sent as a case has no form: JSON objects and lists are shown as such. */
export function expectedPayloadOf(expected: string | null, caseForm: number | null): unknown {
  if (expected === null) return null
  if (caseForm === FORMS.text) return expected
  if (caseForm === FORMS.textAsValue) return { value: expected }
  if (caseForm === null) return /^\s*[[{]/.test(expected) ? (parsed(expected) ?? expected) : expected
  const value = parsed(expected) ?? expected
  return caseForm === FORMS.jsonAsValue ? { value } : value
}

export function caseSplitOf(split: Split | null): CaseSplit | null {
  return split === 'train' || split === null ? split : 'eval'
}

/** `eval` is what an experiment chooses by; it is not known to a client that a part of it is the test split. */
export function splitOf(split: CaseSplit | null | undefined, before: Split | null = null): Split | null {
  if (split !== 'eval') return split ?? null
  return before === 'test' ? 'test' : 'validation'
}

function objectIn(text: string): Fields | undefined {
  if (!/^\s*\{/.test(text)) return undefined
  const value = parsed(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
