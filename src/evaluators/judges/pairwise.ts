/**
 * Asks which of two answers is better, once in each order, because judges favor an answer for its position. An output
 * that wins in both orders gets 1, one that loses in both gets 0. If the verdict changes with the order, the judge
 * sees no difference: 0.5.
 */
import { Type } from 'typebox'
import { type Case, ORDER_LABEL, type Verdict } from '../evaluator.ts'
import { type Answer, defineJudge, inputAnd, instructionsOption, modelOptions } from './define-judge.ts'
import { askForOneOf, choiceIn, judgeTask, reasonIn } from './judge-question.ts'

const BETTER =
  'The better answer is the one that is more correct, more complete and more useful to the person who asked.'
const WINNERS = ['first', 'second', 'tie'] as const
const POINTS = { output: 1, tie: 0.5, other: 0 } as const

export const pairwise = defineJudge({
  type: 'pairwise',
  summary: 'A model chooses the better one: the output, or the output of the baseline run (or the expected value)',
  kind: 'numeric',
  needs: ['output', 'model'],
  options: {
    against: Type.Optional(
      Type.Union([Type.Literal('baseline'), Type.Literal('expected')], {
        description: 'What the output is compared with. Default: the output of the run of baselineRunId.',
      }),
    ),
    instructions: Type.Optional(
      instructionsOption('What is better. Default: what is more correct, complete and useful.'),
    ),
    ...modelOptions,
  },
  prepare({ against = 'baseline', instructions = BETTER }) {
    const other = (input: Case) => input[against] ?? ''
    const question = judgeTask({
      task: 'The fields "first" and "second" are two answers to the field "input" (left out if it is not known). Say which is better.',
      instructions: `${instructions}\nThe order of the two answers and their lengths mean nothing.`,
      field: askForOneOf('winner', WINNERS, 'Then name the winner: "first", "second", or "tie" if neither is better.'),
    })
    const name = against === 'baseline' ? 'output of the baseline' : 'expected value'
    return {
      kind: 'numeric',
      scale: [0, 1],
      needs: ['output', against, 'model'],
      settle: (input) => (input.output === other(input) ? equal() : undefined),
      questions: (input) => {
        const output = { text: input.output ?? '', name: 'output' }
        const opponent = { text: other(input), name }
        return [
          question(inputAnd(input, { ...output, key: 'first' }, { ...opponent, key: 'second' })),
          question(inputAnd(input, { ...opponent, key: 'first' }, { ...output, key: 'second' })),
        ]
      },
      verdict: ([outputFirst, otherFirst]) => {
        const orders = [order(outputFirst, 'output', against), order(otherFirst, against, 'output')] as const
        return summed(orders, against)
      },
    }
  },
})

type Order = { first: string; winner: string; reason: string | null }

function order(answer: Answer | undefined, first: string, second: string): Order {
  const place = choiceIn(answer?.value, 'winner', WINNERS)
  const winner = place === 'first' ? first : place === 'second' ? second : 'tie'
  return { first, winner, reason: reasonIn(answer?.value, answer?.note) ?? null }
}

function summed(orders: readonly [Order, Order], against: string): Verdict {
  const [one, two] = orders
  const isConsistent = one.winner === two.winner
  const reason = isConsistent
    ? (one.reason ?? `${one.winner} in both orders`)
    : `The judge changed its mind with the order: ${one.winner} when the output came first, ${two.winner} when the ${against} did.`
  const score = (pointsOf(one) + pointsOf(two)) / 2
  const label = isConsistent ? one.winner : ORDER_LABEL
  return { state: 'scored', score, label, reason, details: { isConsistent, orders } }
}

function pointsOf({ winner }: Order): number {
  if (winner === 'output') return POINTS.output
  return winner === 'tie' ? POINTS.tie : POINTS.other
}

function equal(): Verdict {
  const reason = 'Both answers are equal, letter by letter; no model was asked.'
  return { state: 'scored', score: POINTS.tie, label: 'tie', reason }
}
