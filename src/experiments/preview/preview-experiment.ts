/** Tries one proposal on a few training items before an experiment is created: what it would change, and what that gains. Nothing is stored but its cost. */
import { timestamp } from '../../base/clock.ts'
import { conflict, tooManyRequests } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import { listItemTexts } from '../../evaluations/runner/case-queries.ts'
import { ConfigError } from '../../evaluators/evaluator.ts'
import type { Context } from '../../http/route.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import type { ModelDeps } from '../../spending/model-session.ts'
import { seededRandom } from '../../statistics/random/seeded-random.ts'
import type { Db, DbOutsideTransaction } from '../../storage/db.ts'
import { questionOf } from '../course/read-iteration.ts'
import { diffContents } from '../diff-contents.ts'
import type { CandidateContent } from '../iteration-queries.ts'
import { type ExperimentDepsToRead, type PreparedExperiment, readExperiment } from '../read-experiment.ts'
import { type Answered, askForAnswer } from '../runner/answer-item.ts'
import type { Asking } from '../runner/asking.ts'
import { newAttempt } from '../runner/experiment-budget.ts'
import { openModels } from '../runner/open-models.ts'
import { askForProposal } from '../runner/reflect.ts'
import { shuffle } from '../search/draw-sample.ts'
import { meanOf, type Proposed } from '../search/search.ts'
import type { NewExperiment } from '../start-experiment-schemas.ts'

const ITEMS = 8
/** Once this much may be spent, no further question is asked, unless the budget has a limit of its own. */
const COST_USD_MAX = 1
const PREVIEWS_MAX = 3

export type PreviewDeps = ModelDeps & ExperimentDepsToRead & { retryPauseMs: number; previewTimeoutMs: number }

type Request = NewExperiment & { workspaceId: string; componentId: string }
type PreviewContext = Pick<Context, 'db' | 'clock' | 'newId' | 'signal'>

export async function previewExperiment(context: PreviewContext, deps: PreviewDeps, request: Request) {
  const { db } = context
  invariant(isOutsideTransaction(db), 'a preview asks models, for which no transaction waits')
  // It ends after one proposal, so that the budget need not buy more, and nothing is decided on test items.
  const prepared = await readExperiment({ ...context, db }, deps, { ...request, allowTooFew: true }, { use: 'preview' })
  const leave = enter(request.workspaceId)
  try {
    return await preview(context, deps, { request, prepared })
  } catch (error) {
    throw error instanceof ConfigError || error instanceof BudgetError ? conflict(error.message) : error
  } finally {
    leave()
  }
}

function isOutsideTransaction(db: Db): db is DbOutsideTransaction {
  return !db.inTransaction
}

async function preview(
  { db, clock, newId, signal }: PreviewContext,
  deps: PreviewDeps,
  { request, prepared: { plan, splits } }: { request: Request; prepared: PreparedExperiment },
) {
  const { workspaceId, componentId, datasetId } = request
  const hardStop = AbortSignal.any([signal, AbortSignal.timeout(deps.previewTimeoutMs)])
  const opening = { db, clock, deps, workspaceId, componentId, plan, owner: newId(), hardStop, softStop: hardStop }
  const models = await openModels(opening)
  const spending = createMeter(plan.budget.maxCostUsd ?? COST_USD_MAX)
  const asking: Asking = {
    ...{ db, clock, workspaceId, datasetId, plan, models, hardStop, signal: hardStop },
    retryPauseMs: deps.retryPauseMs,
    meter: spending.meter,
    mayTryAgain: async () => false,
    async keepAnswers({ answers }) {
      if (answers.length === 0) return
      await db.transaction((tx) => insertAnswers(tx, workspaceId, { answers, now: timestamp(clock.now()) }))
    },
  }
  const start = models.prompt.content
  const random = seededRandom(`experiment:${plan.splits.seed}:preview`)
  const itemIds = shuffle(random, splits.items.train).slice(0, ITEMS)
  const texts = await listItemTexts(db.read, { workspaceId, datasetId, runId: null }, itemIds)
  const parent: CandidateContent = { messages: start.messages }
  const answersOf = (candidate: CandidateContent) =>
    answerAll(asking, { itemIds, candidate, isStart: candidate === parent })
  const before = await answersOf(parent)
  const cases = itemIds.flatMap((id) => {
    const [text, answer] = [texts.get(id), before.get(id)]
    if (!text || !answer) return []
    const { input, expected } = text
    const reasons = Object.entries(answer.scores).flatMap(([name, { reason }]) =>
      reason === null ? [] : [`${name}: ${reason}`],
    )
    return [{ input, expected, output: answer.output, score: answer.score, reasons, error: answer.reason }]
  })
  const reflected = await askForProposal(asking, { parent, cases, texts, attempt: newAttempt(), seed: 1 })
  signal.throwIfAborted()
  const proposed = proposedIn(reflected)
  const content =
    typeof reflected === 'object' && 'read' in reflected && 'hash' in proposed ? contentOf(reflected) : null
  const after = content === null ? undefined : await answersOf(content.content)
  signal.throwIfAborted()
  const means = { start: meanOfScores(before), proposal: after ? meanOfScores(after) : null }
  return {
    items: itemIds.map((itemId) => ({
      itemId,
      question: questionOf(texts.get(itemId)?.input ?? null),
      start: shown(before.get(itemId)),
      proposal: after ? shown(after.get(itemId)) : null,
    })),
    means,
    diagnosis: content?.diagnosis ?? null,
    messages: content === null ? null : JSON.parse(JSON.stringify(content.content.messages)),
    diff: content === null ? null : await diffContents(parent, content.content, start.tools),
    fate: 'fate' in proposed ? proposed.fate : null,
    reason: 'fate' in proposed ? proposed.reason : null,
    costUsd: spending.costUsd(),
    summary: summaryOf(means, itemIds.length, proposed),
  }
}

type Reflected = Awaited<ReturnType<typeof askForProposal>>

function proposedIn(reflected: Reflected): Proposed {
  if (reflected === 'not wanted') return { fate: 'unfinished', reason: 'The reflection was stopped' }
  if ('unsent' in reflected) throw new BudgetError(reflected.unsent)
  if ('error' in reflected) throw conflict(`The reflection failed: ${reflected.error.message}`)
  return reflected.proposed
}

function contentOf({ read }: Extract<Reflected, { read: unknown }>) {
  return 'content' in read ? read : null
}

type Tried = {
  output: string | null
  score: number | null
  scores: NonNullable<Scored['scores']>
  reason: string | null
}
type Scored = Extract<Answered, { ended: unknown }>['ended']

async function answerAll(
  asking: Asking,
  { itemIds, ...asked }: { itemIds: readonly string[]; candidate: CandidateContent; isStart: boolean },
): Promise<Map<string, Tried>> {
  // All have ended before one is rejected: none goes on after the response, and what is reserved is settled.
  const settled = await Promise.allSettled(
    itemIds.map(async (itemId): Promise<[string, Tried]> => {
      return [itemId, readAnswer(await askForAnswer(asking, { itemId, attempt: newAttempt(), ...asked }))]
    }),
  )
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return new Map(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
}

/** A budget that is used up ends the preview; an error of the provider is shown with its item. */
function readAnswer(answered: Answered): Tried {
  const none = { output: null, score: null, scores: {} }
  if (answered === 'not wanted') return { ...none, reason: 'The call was stopped' }
  if ('unsent' in answered) throw new BudgetError(answered.unsent)
  if ('failure' in answered) return { ...none, reason: answered.failure.error ?? 'The call failed' }
  const { output = null, value = null, scores = {}, reason = null } = answered.ended
  return { output, score: value, scores, reason }
}

function shown(tried: Tried | undefined) {
  return { output: tried?.output ?? null, score: tried?.score ?? null, error: tried?.reason ?? null }
}

function meanOfScores(answers: ReadonlyMap<string, Tried>): number | null {
  return meanOf([...answers.values()].map(({ score }) => score)) ?? null
}

function summaryOf(
  { start, proposal }: { start: number | null; proposal: number | null },
  items: number,
  proposed: Proposed,
): string {
  if ('fate' in proposed) return `The proposal was rejected: ${proposed.reason}.`
  if (start === null || proposal === null) return 'No answer could be scored.'
  const change = `from ${start.toFixed(2)} to ${proposal.toFixed(2)}`
  return `One proposal changes the mean score of ${items} training items ${change}. They are too few to say whether it helps; an experiment tests that on items that it has not read.`
}

/** In memory: a preview has no rows. The limits of the application are kept by the sessions themselves. */
function createMeter(maxCostUsd: number) {
  let [spentUsd, heldUsd, hasPrice] = [0, 0, true]
  const meter = (session: ModelSession): ModelSession => ({
    ...session,
    budget: {
      async reserve(size) {
        const reserved = await session.budget.reserve(size)
        const most = reserved.maxUsd ?? 0
        if (reserved.maxUsd === null) hasPrice = false
        if (spentUsd + heldUsd + most > maxCostUsd) {
          await reserved.release('not sent')
          throw new BudgetError(
            `The preview may cost $${maxCostUsd}, which leaves no room for the next call; raise budget.maxCostUsd`,
          )
        }
        heldUsd += most
        return {
          ...reserved,
          isLimited: true,
          async settle(usage) {
            const cost = await reserved.settle(usage)
            heldUsd -= most
            spentUsd += cost.usd ?? 0
            return cost
          },
          async release(outcome) {
            await reserved.release(outcome)
            heldUsd -= most
          },
        }
      },
    },
  })
  return { meter, costUsd: () => (hasPrice ? spentUsd : null) }
}

const running = new Map<string, number>()

/** A preview asks models at once, not in a queue, so only a few may run at a time. Returns what to call at its end. */
function enter(workspaceId: string): () => void {
  const count = running.get(workspaceId) ?? 0
  if (count >= PREVIEWS_MAX) throw tooManyRequests(`${PREVIEWS_MAX} previews are running already; try again later`, 5)
  running.set(workspaceId, count + 1)
  return () => {
    const left = (running.get(workspaceId) ?? 1) - 1
    if (left > 0) running.set(workspaceId, left)
    else running.delete(workspaceId)
  }
}
