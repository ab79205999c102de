import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { PromptSummaries, PromptSummary } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useMe } from '../shell/use-application.ts'
import { authorName } from './author-name.ts'
import { LabelChips } from './label-chip.tsx'
import { PromptWarnings } from './prompt-warnings.tsx'
import { ServedVersions } from './served-versions.tsx'
import { CostCell, RateCell, TracesCell } from './used-cells.tsx'

interface PromptTableProps {
  component: ComponentKey
  prompts: PromptSummary[]
  summaries: PromptSummaries
  isOpen: (promptId: string) => boolean
  onToggle: (promptId: string) => void
  onActive: (promptId: string) => void
}

/** Below 640 pixels each row is a card. */
export function PromptTable({ component, prompts, summaries, isOpen, onToggle, onActive }: PromptTableProps) {
  const period = periodOf(summaries)
  return (
    <section
      aria-label="Prompts and their versions"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative overflow-x-auto rounded-card border border-line bg-surface shadow-lift"
    >
      <table className="w-full text-left text-data max-sm:block">
        <caption className="sr-only">Prompts and their versions</caption>
        <thead className="max-sm:sr-only">
          <tr className="text-meta text-faint [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium [&>th]:whitespace-nowrap">
            <th scope="col" className="pl-12!">
              Prompt
            </th>
            <th scope="col">Labels point to</th>
            <th scope="col" className="text-right">
              Traces, {period}
            </th>
            <th scope="col">{`${metricTitle(summaries.metric)}, ${period}`}</th>
            <th scope="col" className="text-right">
              Cost a trace
            </th>
            <th scope="col">Newest</th>
          </tr>
        </thead>
        {prompts.map((prompt) => (
          <tbody key={prompt.id} className="border-t border-line max-sm:block" onFocus={() => onActive(prompt.id)}>
            <PromptRow
              component={component}
              prompt={prompt}
              scale={summaries.scale}
              isOpen={isOpen(prompt.id)}
              onToggle={() => onToggle(prompt.id)}
            />
            {isOpen(prompt.id) && <ServedVersions component={component} prompt={prompt} scale={summaries.scale} />}
          </tbody>
        ))}
      </table>
    </section>
  )
}

/** Of the numbers that are shown: while those of another period are loading, the old ones stay with theirs. */
function periodOf({ from, to }: PromptSummaries): string {
  return countOf(Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS), 'day')
}

const DAY_MS = 24 * 60 * 60 * 1_000

interface PromptRowProps {
  component: ComponentKey
  prompt: PromptSummary
  scale: PromptSummaries['scale']
  isOpen: boolean
  onToggle: () => void
}

function PromptRow({ component, prompt, scale, isOpen, onToggle }: PromptRowProps) {
  const me = useMe()
  const { newest, name, description, labels } = prompt
  const isServed = labels.some(({ splits }) => splits.length > 0)
  return (
    <tr className="align-top hover:bg-hover/50 max-sm:flex max-sm:flex-wrap max-sm:items-start max-sm:gap-x-4 max-sm:gap-y-2 max-sm:px-4 max-sm:py-3 [&>*]:px-3 [&>*]:py-3 max-sm:[&>*]:p-0">
      <th scope="row" className="min-w-44 font-normal max-sm:basis-full">
        <span className="flex items-start gap-1.5">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Versions of ${name}`}
            onClick={onToggle}
            className="-my-1 grid size-7 shrink-0 place-items-center rounded-control text-faint hover:bg-hover hover:text-ink touch:-my-3 touch:size-11"
          >
            <ChevronRight
              aria-hidden
              className={`size-4 transition-transform duration-150 ${isOpen ? 'rotate-90' : ''}`}
            />
          </button>
          <span className="min-w-0">
            <Link
              to={pagePaths.prompt(component.applicationId, component.componentId, prompt.id)}
              data-prompt={prompt.id}
              className="touch-link rounded-sm font-mono text-data font-semibold wrap-anywhere underline decoration-edge underline-offset-4 hover:decoration-ink"
            >
              {name}
            </Link>
            {description && <span className="line-clamp-2 text-meta text-soft">{description}</span>}
          </span>
        </span>
      </th>
      <td className="max-sm:basis-full max-sm:pl-9!">
        <span className="flex flex-wrap gap-1.5 sm:flex-col sm:items-start">
          <LabelChips
            labels={labels}
            pathOf={(label) => pagePaths.promptDeploy(component.applicationId, component.componentId, prompt.id, label)}
          />
          {!isServed && prompt.missingLabels.length === 0 && <span className="text-faint">not served</span>}
          <PromptWarnings prompt={prompt} />
        </span>
      </td>
      <TracesCell used={prompt} />
      <RateCell used={prompt} scale={scale} />
      <CostCell used={prompt} />
      <td className="min-w-28 max-sm:basis-full max-sm:pl-9!">
        {newest ? (
          <>
            <b className="font-semibold">v{newest.number}</b> by {authorName(newest.user, me.userId)}
            <span className="block text-meta text-faint">
              <RelativeTime time={newest.createdAt} />
            </span>
          </>
        ) : (
          <span className="text-faint">no version yet</span>
        )}
      </td>
    </tr>
  )
}
