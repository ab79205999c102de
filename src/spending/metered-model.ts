/**
 * The model client of one piece of work, such as a score or a try of a prompt: it reuses cached answers and counts the cost of calls.
 *
 * Answers are cached by the hash of everything that determines them. Repetitions measure how answers vary, so they
 * never reuse an answer. Within one piece of work, answers survive a retry: of two questions, only the one that failed is sent
 * again. A stream is always sent: it is there for a user who wants to see another answer.
 */
import { createHash } from 'node:crypto'
import { type ChatClient, type ChatRequest, type ChatResult, MAX_TOKENS_DEFAULT } from '../llm/chat.ts'
import { NotSentError } from '../llm/host-limits.ts'
import type { Completion, Embeddings, Usage } from '../llm/model-client.ts'
import type { Budget, CallSize, Cost } from './budget.ts'
import type { KnownAnswer } from './cached-answer-queries.ts'
import { paidCall, paidStream } from './paid-call.ts'

export type ModelSession = {
  client: ChatClient
  /** Part of the hash of an answer: the same model name can mean another model at another provider. */
  baseUrl: string
  /** The model for questions that name none. */
  defaultModelOf(kind: 'completion' | 'embedding'): string
  budget: Budget
  /** For the answers of judges. It is sent to the provider when something limits the cost. */
  answerTokensMax: number
  findAnswer(hash: string): Promise<string | undefined>
}

/** The model calls of one piece of work, and their answers to store. */
export type ModelUsage = {
  answers: KnownAnswer[]
  calls: number
  /** Null when a call had no configured price; `spentUsd` is then the sum of the others. */
  costUsd: number | null
  spentUsd: number
  /** Of the last call that had one. */
  costBasis: string | null
  isCostMaximum: boolean
  tokens: number
}

export type MeteredModel = { client: ChatClient; usage: ModelUsage }

export function noUsage(): ModelUsage {
  return { answers: [], calls: 0, costUsd: 0, spentUsd: 0, costBasis: null, isCostMaximum: false, tokens: 0 }
}

/** The bytes that determine the maximum cost of a question. */
type Asked = { hash: string; size: CallSize }

export function meteredModel(session: ModelSession, { mayReuse }: { mayReuse: boolean }): MeteredModel {
  const given = new Map<string, string>()
  const usage = noUsage()
  const modelOf = (question: { model?: string | undefined }, kind: 'completion' | 'embedding') =>
    question.model ?? session.defaultModelOf(kind)

  function pay({ usd, basis, isMaximum, tokens }: Cost): void {
    usage.spentUsd += usd ?? 0
    usage.costUsd = usd === null || usage.costUsd === null ? null : usage.costUsd + usd
    usage.costBasis = basis ?? usage.costBasis
    usage.isCostMaximum ||= isMaximum
    usage.tokens += tokens
  }

  async function ask<Answer extends { usage: Usage }>(
    { hash, size }: Asked,
    call: (answerTokensMax: number | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const known = given.get(hash) ?? (mayReuse ? await session.findAnswer(hash) : undefined)
    if (known !== undefined) return JSON.parse(known)
    let cost: Cost | undefined
    const onCost = (paid: Cost) => {
      cost = paid
      pay(paid)
    }
    const answer = await paidCall(session.budget, size, {
      onCost,
      call: async (answerTokensMax) => {
        usage.calls += 1
        try {
          return await call(answerTokensMax)
        } catch (error) {
          if (error instanceof NotSentError) usage.calls -= 1
          throw error
        }
      },
    })
    const text = JSON.stringify(answer)
    given.set(hash, text)
    if (mayReuse) usage.answers.push({ hash, answer: text, ...answer.usage, costUsd: cost?.usd ?? null })
    return answer
  }

  const client: ChatClient = {
    complete: (question) => {
      const { system, user, schema } = question
      const model = modelOf(question, 'completion')
      // The schema is sent twice: in the prompt, and as the response format.
      const promptBytes = bytesIn(system, user, JSON.stringify(schema), JSON.stringify(schema))
      const hash = hashOf([session.baseUrl, 'completion', { ...question, model }])
      const size = { model, promptBytes, answerTokensMax: session.answerTokensMax }
      return ask<Completion>({ hash, size }, (answerTokensMax) =>
        session.client.complete({ ...question, answerTokensMax }),
      )
    },
    embed: (question) => {
      const model = modelOf(question, 'embedding')
      const hash = hashOf([session.baseUrl, 'embedding', { ...question, model }])
      // Vectors have no output tokens.
      const size = { model, promptBytes: bytesIn(...question.texts), answerTokensMax: 0 }
      return ask<Embeddings>({ hash, size }, () => session.client.embed(question))
    },
    chat: (request) => {
      const { signal: _, ...question } = request
      const size = sizeOf(request, modelOf(request, 'completion'))
      const hash = hashOf([session.baseUrl, 'chat', { ...question, model: size.model }])
      return ask<ChatResult>({ hash, size }, () => session.client.chat(withLimit(request)))
    },
    async *stream(request) {
      usage.calls += 1
      try {
        yield* paidStream(session.budget, sizeOf(request, modelOf(request, 'completion')), {
          onCost: pay,
          call: () => session.client.stream(withLimit(request)),
        })
      } catch (error) {
        if (error instanceof NotSentError) usage.calls -= 1
        throw error
      }
    },
  }
  return { client, usage }
}

/** Where nothing limits the tokens of an answer, this many are sent as the limit: without one, the maximum cost would be unknown. */
function withLimit(request: ChatRequest): ChatRequest {
  const { parameters } = request
  return { ...request, parameters: { ...parameters, maxTokens: parameters?.maxTokens ?? MAX_TOKENS_DEFAULT } }
}

function sizeOf({ messages, tools = [], responseFormat, parameters }: ChatRequest, model: string): CallSize {
  // The format may be sent as a tool, too, and its schema in the prompt.
  const promptBytes = bytesIn(JSON.stringify([messages, tools, responseFormat ?? null, responseFormat ?? null]))
  const answerTokensMax = parameters?.maxTokens ?? MAX_TOKENS_DEFAULT
  return { model, promptBytes, hasTools: tools.length > 0 || responseFormat !== undefined, answerTokensMax }
}

function bytesIn(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function hashOf(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
