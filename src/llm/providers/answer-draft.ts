import type { ChatDelta, ChatResult, FinishReason, NativeContent, ToolCall } from '../chat.ts'
import { jsonField, type Usage } from '../model-client.ts'

const MODEL_LENGTH_MAX = 200

/** An answer while it arrives. Its methods return the delta to report. */
export class AnswerDraft {
  finishReason: FinishReason | undefined
  readonly #calls = new Map<unknown, ToolCall & { index: number }>()
  readonly #answerTool: string | undefined
  /** Calls of the tool that gives the answer. */
  readonly #answers = new Set<unknown>()
  #text = ''
  /** Text next to the answer. */
  #aside = ''
  #model: string

  /** `model` is the requested one, `answerTool` the tool whose arguments are the answer. */
  constructor(model: string, answerTool?: string) {
    this.#model = model
    this.#answerTool = answerTool
  }

  get isEmpty(): boolean {
    return this.#text === '' && this.#aside === '' && this.#calls.size === 0 && this.#answers.size === 0
  }

  addText(text: unknown): ChatDelta[] {
    if (typeof text !== 'string' || text === '') return []
    if (this.#answerTool === undefined) return this.#addAnswer(text)
    this.#aside += text
    return []
  }

  #addAnswer(text: string): ChatDelta[] {
    this.#text += text
    return [{ type: 'text', text }]
  }

  /** `key` identifies the call within the answer. */
  addCall(key: unknown, { id, name, piece }: { id?: unknown; name?: unknown; piece?: unknown }): ChatDelta[] {
    if (this.#answerTool !== undefined && (name === this.#answerTool || this.#answers.has(key))) {
      this.#answers.add(key)
      const text = textOr(piece, '')
      return text === '' ? [] : this.#addAnswer(text)
    }
    const known = this.#calls.get(key)
    const index = known?.index ?? this.#calls.size
    const call = known ?? { index, id: textOr(id, `call_${index}`), name: '', arguments: '' }
    this.#calls.set(key, call)
    if (call.name === '') call.name = textOr(name, '')
    const added = textOr(piece, '')
    call.arguments += added
    return known && added === '' ? [] : [{ type: 'toolCall', index, id: call.id, name: call.name, arguments: added }]
  }

  setModel(model: unknown): void {
    this.#model = modelNameOr(this.#model, model)
  }

  result(usage: Usage, native?: NativeContent): ChatResult {
    const toolCalls = [...this.#calls.values()].map(({ index: _, ...call }) => call)
    const stopped = this.finishReason ?? 'stop'
    const isAnswered = this.#answers.size > 0
    return {
      // A model that calls no tool although it must has still answered.
      text: isAnswered || toolCalls.length > 0 ? this.#text : this.#text + this.#aside,
      toolCalls,
      // Some providers end an answer with calls as any other one.
      finishReason:
        stopped === 'stop' && toolCalls.length > 0
          ? 'toolCalls'
          : stopped === 'toolCalls' && isAnswered && toolCalls.length === 0
            ? 'stop'
            : stopped,
      model: this.#model,
      usage,
      ...(native && { native }),
    }
  }
}

export function modelNameOr(otherwise: string, name: unknown): string {
  return textOr(name, otherwise).slice(0, MODEL_LENGTH_MAX).toWellFormed()
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** A number of tokens; null if it is not one. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** The sum of the known counts; null if none is known. */
export function sumOfCounts(...counts: readonly (number | null)[]): number | null {
  const known = counts.filter((one) => one !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  const list = jsonField(value, key)
  return Array.isArray(list) ? list : []
}
