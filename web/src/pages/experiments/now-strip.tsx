import type { ExperimentDetail } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { type CoursePoint, planFacts } from './experiment-words.ts'

interface NowStripProps {
  experiment: ExperimentDetail
  points: readonly CoursePoint[]
}

/** What is being done now, how many calls it waits for, and what has ended last. */
export function NowStrip({ experiment, points }: NowStripProps) {
  const { answers, reflections } = experiment.progress
  const open = answers.open + reflections.open
  const ended = points.filter(({ number, step }) => number > 0 && step === 'ended').at(-1)
  return (
    <section
      aria-label="Now"
      className="mt-4 grid rounded-card border border-line bg-surface text-data shadow-lift divide-line max-md:divide-y md:grid-cols-3 md:divide-x"
    >
      <div className="flex gap-2.5 px-5 py-3 max-sm:px-4">
        <Spinner />
        <p className="min-w-0">
          <b className="block font-semibold">{doing(experiment, points)}</b>
          <span className="text-soft">{by(experiment, points)}</span>
        </p>
      </div>
      <p className="px-5 py-3 max-sm:px-4">
        <b className="block font-semibold tabular-nums">{countOf(open, 'call')}</b>
        <span className="text-soft">
          {open === 1 ? 'waits' : 'wait'} for the provider,{' '}
          {answers.failed + reflections.failed === 0
            ? 'no error'
            : `${formatCount(answers.failed + reflections.failed)} failed so far`}
        </span>
      </p>
      <p className="min-w-0 px-5 py-3 max-sm:px-4">
        <b className="block font-semibold">{ended ? `Proposal ${ended.number}` : 'No proposal has ended'}</b>
        <span className="text-soft wrap-anywhere">
          {ended ? (ended.reason ?? 'answered all validation items') : 'the first one follows'}
        </span>
      </p>
    </section>
  )
}

const steps: Record<CoursePoint['step'], string> = {
  sampling: 'its parent answers training items',
  reflecting: 'is being written',
  composing: 'is put together from others',
  screening: 'answers training items',
  screened: 'waits for the others of its round',
  validating: 'answers validation items',
  ended: '',
}

function current(points: readonly CoursePoint[]): CoursePoint[] {
  return points.filter(({ step }) => step !== 'ended')
}

function doing({ phase }: ExperimentDetail, points: readonly CoursePoint[]): string {
  if (phase === 'choosing') return 'Choosing the finalist'
  if (phase === 'testing') return 'The test'
  const open = current(points)
  if (open.length === 0) return 'Planning the next step'
  const numbers = open.map(({ number }) => (number === 0 ? 'the start' : String(number)))
  if (numbers.length === 1) return open[0]?.number === 0 ? 'The start' : `Proposal ${numbers[0]}`
  return `Proposals ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
}

function by(experiment: ExperimentDetail, points: readonly CoursePoint[]): string {
  if (experiment.phase === 'choosing') return 'from the validation items'
  if (experiment.phase === 'testing') return 'start and finalist answer the sealed items'
  const [first] = current(points)
  if (!first) return 'the next proposals are drawn'
  const { reflection } = planFacts(experiment).models
  return first.step === 'reflecting' && reflection ? `${reflection} is writing` : steps[first.step]
}
