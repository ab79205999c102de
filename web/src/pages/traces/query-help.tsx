import { CircleQuestionMark } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Popover } from '../../ui/popover.tsx'

/** The query language on half a page. Not in a portal: it belongs to the landmark of its button. */
export function QueryHelp() {
  return (
    <Popover
      label="Help with queries"
      // On phones it scrolls, and a scrollable region needs a tab stop (WCAG 2.1.1).
      tabIndex={0}
      className="max-h-[70dvh] w-[min(30rem,calc(100vw-1rem))] overflow-y-auto p-4"
      trigger={
        <IconButton label="Help with queries" size="small-icon" className="touch:size-11">
          <CircleQuestionMark aria-hidden className="size-4" />
        </IconButton>
      }
    >
      {() => (
        <>
          <p className="text-data text-soft">
            All terms must match; each one matches if any span of the trace does. OR and NOT are upper case. All fields:{' '}
            <a href={pagePaths.guide('query-language')} className="touch-link underline underline-offset-4">
              guide to the query language
            </a>
            .
          </p>
          <dl className="mt-2">
            {rows.map(([written, meaning]) => (
              <div
                key={written}
                className="grid grid-cols-[minmax(0,13rem)_minmax(0,1fr)] items-baseline gap-x-4 border-b border-line py-1 last:border-b-0 max-sm:grid-cols-1 max-sm:py-1.5"
              >
                <dt className="font-mono text-code break-words">{written}</dt>
                <dd className="text-data text-soft">{meaning}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Popover>
  )
}

const rows = [
  ['refund', 'text in the name, input or output of a span'],
  ['"refund policy"', 'exactly this phrase'],
  ['model:gpt-4*', 'any characters for *, one for ?'],
  ['name:"chat completion"', 'a value with spaces'],
  ['session:*', 'any value'],
  ['latency:>2s cost:<=0.05', 'compared; also >= and <'],
  ['tokens:[100 TO 500]', 'both included; {100 TO 500} excludes them'],
  ['start:>-24h', 'relative: s, m, h, d, w; or a date'],
  ['score.correctness:<0.5', 'score of an evaluator'],
  ['-tag:test', 'without it'],
  ['status:error (tag:a OR tag:b)', 'grouped'],
] as const
