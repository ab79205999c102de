/**
 * A model as one score asks it: what was asked before is not asked again, and what it costs is counted.
 *
 * Answers are known by the hash of everything that went into them. Repetitions are there to see how answers vary, so they never get
 * an answer that was given before. What was answered already is kept over the attempts at one score: of two questions, only the one
 * that failed is asked again.
 */
import { createHash } from 'node:crypto'
import type { Completion, Embeddings, ModelClient, Usage } from '../models/model-client.ts'
import type { KnownAnswer } from './answer-queries.ts'
import type { Budget } from './spending.ts'

export type ModelSession = {
  client: ModelClient
  /** Where the model is: the same name means another model elsewhere. */
  place: string
  /** The model that is asked when a question names none. */
  usualModel(kind: 'completion' | 'embedding'): string
  budget: Budget
  findAnswer(hash: string): Promise<string | undefined>
}

/** What came of asking for one score. */
export type Asked = {
  model: ModelClient
  answers: KnownAnswer[]
  calls: number
  /** Null when something was asked whose price nobody knows. */
  costUsd: number | null
}

export function askedModel(session: ModelSession, { mayReuse }: { mayReuse: boolean }): Asked {
  const given = new Map<string, string>()
  const asked: Asked = { model: session.client, answers: [], calls: 0, costUsd: 0 }

  async function ask<Answer extends { usage: Usage }>(
    {
      kind,
      question,
      characters,
    }: { kind: 'completion' | 'embedding'; question: { model?: string | undefined }; characters: number },
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const model = question.model ?? session.usualModel(kind)
    const hash = hashOf([session.place, kind, { ...question, model }])
    const known = given.get(hash) ?? (mayReuse ? await session.findAnswer(hash) : undefined)
    if (known !== undefined) return JSON.parse(known)
    const reserved = session.budget.reserve(model, characters)
    try {
      asked.calls += 1
      const answer = await call()
      const costUsd = reserved.settle(answer.usage)
      asked.costUsd = costUsd === null || asked.costUsd === null ? null : asked.costUsd + costUsd
      const text = JSON.stringify(answer)
      given.set(hash, text)
      if (mayReuse) asked.answers.push({ hash, answer: text, ...answer.usage, costUsd })
      return answer
    } finally {
      reserved.release()
    }
  }

  asked.model = {
    complete: (question) => {
      const { system, user, schema } = question
      const characters = system.length + user.length + JSON.stringify(schema).length
      return ask<Completion>({ kind: 'completion', question, characters }, () => session.client.complete(question))
    },
    embed: (question) => {
      const characters = question.texts.reduce((sum, text) => sum + text.length, 0)
      return ask<Embeddings>({ kind: 'embedding', question, characters }, () => session.client.embed(question))
    },
  }
  return asked
}

function hashOf(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
