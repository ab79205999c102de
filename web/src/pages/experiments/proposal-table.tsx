import { formatCount, formatScore, formatSmallCost } from '../../ui/format-number.ts'
import { FateIcon } from './chart-marks.tsx'
import type { CoursePoint } from './experiment-words.ts'
import { fateText, groupOf, pointTitle, sumText } from './fates.ts'

interface ProposalTableProps {
  points: readonly CoursePoint[]
  shown: number
  onShow: (number: number) => void
}

const cell = 'px-3 py-1.5 align-baseline'
const right = `${cell} text-right tabular-nums whitespace-nowrap`

/** The proposals in the order of their numbers, with all that is known of each. */
export function ProposalTable({ points, shown, onShow }: ProposalTableProps) {
  return (
    <section
      aria-label="Proposals as a table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative overflow-x-auto rounded-card border border-line bg-surface shadow-lift"
    >
      <table className="w-full text-left text-data">
        <thead className="border-b border-line text-meta text-soft">
          <tr>
            <th scope="col" className={`${cell} font-medium`}>
              Proposal
            </th>
            <th scope="col" className={`${right} font-medium`}>
              Parent
            </th>
            <th scope="col" className={`${right} font-medium`}>
              Mean, 95 % interval
            </th>
            <th scope="col" className={`${right} font-medium`}>
              Items
            </th>
            <th scope="col" className={`${right} font-medium`}>
              On its sample
            </th>
            <th scope="col" className={`${right} font-medium`}>
              Cost of an answer
            </th>
            <th scope="col" className={`${right} font-medium`}>
              Tokens
            </th>
            <th scope="col" className={`${cell} font-medium`}>
              End
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line/60">
          {points.map((point) => {
            const { number, parent, mean, ci, answered, sample, costUsd, tokens } = point
            return (
              <tr
                key={number}
                data-estimate=""
                className={number === shown ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : ''}
              >
                <th scope="row" className={`${cell} max-w-96 font-normal`}>
                  <button
                    type="button"
                    aria-current={number === shown || undefined}
                    onClick={() => onShow(number)}
                    className="flex w-full min-w-0 items-center gap-2 rounded-sm text-left underline-offset-4 hover:underline touch:min-h-11"
                  >
                    <FateIcon group={groupOf(point)} />
                    <span className="tabular-nums">{number === 0 ? 'start' : number}</span>
                    {number > 0 && <bdi className="truncate text-soft">{pointTitle(point)}</bdi>}
                  </button>
                </th>
                <td className={right}>{parent === null ? '–' : parent === 0 ? 'start' : parent}</td>
                <td className={right}>
                  {mean === null ? '–' : <span data-mean="">{formatScore(mean)}</span>}
                  {ci && ` (${ci.map(formatScore).join(' to ')})`}
                </td>
                <td className={right}>
                  <span className="sr-only">n </span>
                  {formatCount(answered)}
                </td>
                <td className={right}>
                  {sample ? `${sumText(sample.parent)} → ${sumText(sample.own)} of ${sample.items}` : '–'}
                </td>
                <td className={right}>{costUsd === null ? '–' : formatSmallCost(costUsd)}</td>
                <td className={right}>{tokens === null ? '–' : formatCount(tokens)}</td>
                <td className={cell}>{fateText(point)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
