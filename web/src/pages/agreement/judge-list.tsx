import type { JudgeAgreement } from '../../api/generated/api.ts'
import { IntervalMark } from '../../ui/charts/interval-mark.tsx'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { estimateOf } from './agreement-model.ts'

const DOMAIN = [0, 1] as const

/** Whether each judge says what most people say. Below the server's minimum, its summary replaces the numbers. */
export function JudgeList({ judges }: { judges: JudgeAgreement[] }) {
  return (
    <section>
      <h2 className="text-body font-semibold">Judges against people</h2>
      <p className="text-meta text-faint">Where most raters agree on an answer: does the judge say the same?</p>
      <ul className="mt-3 grid gap-x-8 border-t border-line @3xl:grid-cols-2 @6xl:grid-cols-3">
        {judges.map((judge) => (
          <li key={judge.evaluator} className="min-w-0 pt-3 text-data">
            <p className="font-semibold wrap-anywhere">{metricTitle(judge.evaluator)}</p>
            {(judge.sensitivity !== null || judge.specificity !== null) && (
              <dl className="my-1 grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-y-0.5">
                <dt>passes the good</dt>
                <dd>
                  <IntervalMark
                    estimate={estimateOf(judge.sensitivity, judge.sensitivityCi, judge.sensitivityN, 'no good answers')}
                    domain={DOMAIN}
                    series="baseline"
                  />
                </dd>
                <dt>fails the bad</dt>
                <dd>
                  <IntervalMark
                    estimate={estimateOf(judge.specificity, judge.specificityCi, judge.specificityN, 'no bad answers')}
                    domain={DOMAIN}
                    series="baseline"
                  />
                </dd>
              </dl>
            )}
            <p className="text-meta text-soft">{withMetricTitles(judge.summary)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
