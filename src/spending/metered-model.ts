/**
 * The model client of one score: it reuses cached answers and counts the cost of calls.
 *
 * Answers are cached by the hash of everything that determines them. Repetitions measure how answers vary, so they
 * never reuse an answer. Within one score, answers survive a retry: of two questions, only the one that failed is sent
 * again.
 */
import { createHash } from 'node:crypto'
import { NotSentError } from '../llm/host-limits.ts'
import { type Completion, type Embeddings, type ModelClient, ModelError, type Usage } from '../llm/model-client.ts'
import type { Budget } from './budget.ts'
import type { KnownAnswer } from './cached-answer-queries.ts'

export type ModelSession = {
  client: ModelClient
  /** Part of the hash of an answer: the same model name can mean another model at another provider. */
  baseUrl: string
  /** The model for questions that name none. */
  defaultModelOf(kind: 'completion' | 'embedding'): string
  budget: Budget
  /** Sent to the provider when the evaluation has a cost limit. */
  answerTokensMax: number | undefined
  findAnswer(hash: string): Promise<string | undefined>
}

/** The model calls of one score, and their answers to store. */
export type ModelUsage = {
  answers: KnownAnswer[]
  calls: number
  /** Null when a call had no configured price; `spentUsd` is then the sum of the others. */
  costUsd: number | null
  spentUsd: number
}

export type MeteredModel = { client: ModelClient; usage: ModelUsage }

export function meteredModel(session: ModelSession, { mayReuse }: { mayReuse: boolean }): MeteredModel {
  const given = new Map<string, string>()
  const usage: ModelUsage = { answers: [], calls: 0, costUsd: 0, spentUsd: 0 }

  function pay(costUsd: number | null): number | null {
    usage.spentUsd += costUsd ?? 0
    usage.costUsd = costUsd === null || usage.costUsd === null ? null : usage.costUsd + costUsd
    return costUsd
  }

  async function ask<Answer extends { usage: Usage }>(
    {
      kind,
      question,
      promptBytes,
    }: { kind: 'completion' | 'embedding'; question: { model?: string | undefined }; promptBytes: number },
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const model = question.model ?? session.defaultModelOf(kind)
    const hash = hashOf([session.baseUrl, kind, { ...question, model }])
    const known = given.get(hash) ?? (mayReuse ? await session.findAnswer(hash) : undefined)
    if (known !== undefined) return JSON.parse(known)
    const reserved = session.budget.reserve(model, promptBytes)
    try {
      usage.calls += 1
      const answer = await call()
      const costUsd = pay(reserved.settle(answer.usage))
      const text = JSON.stringify(answer)
      given.set(hash, text)
      if (mayReuse) usage.answers.push({ hash, answer: text, ...answer.usage, costUsd })
      return answer
    } catch (error) {
      if (error instanceof NotSentError) usage.calls -= 1
      else if (error instanceof ModelError && error.usage) pay(reserved.settle(error.usage))
      throw error
    } finally {
      reserved.release()
    }
  }

  const client: ModelClient = {
    complete: (question) => {
      const { system, user, schema } = question
      // The schema is sent twice: in the prompt, and as the response format.
      const promptBytes = bytesIn(system, user, JSON.stringify(schema), JSON.stringify(schema))
      return ask<Completion>({ kind: 'completion', question, promptBytes }, () =>
        session.client.complete({ ...question, answerTokensMax: session.answerTokensMax }),
      )
    },
    embed: (question) => {
      const promptBytes = bytesIn(...question.texts)
      return ask<Embeddings>({ kind: 'embedding', question, promptBytes }, () => session.client.embed(question))
    },
  }
  return { client, usage }
}

function bytesIn(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function hashOf(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
