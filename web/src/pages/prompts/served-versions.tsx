import { Link } from '@tanstack/react-router'
import type { PromptSummaries, PromptSummary, PromptVersionSummary } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { LabelChip } from './label-chip.tsx'
import { liveText } from './live-text.ts'
import { Warning } from './prompt-warnings.tsx'
import { CostCell, RateCell, TracesCell } from './used-cells.tsx'

interface ServedVersionsProps {
  component: ComponentKey
  prompt: PromptSummary
  scale: PromptSummaries['scale']
}

/** The versions of a prompt that were used or served in the period. */
export function ServedVersions({ component, prompt, scale }: ServedVersionsProps) {
  const { versions, hasMoreVersions, newest } = prompt
  const path = pagePaths.prompt(component.applicationId, component.componentId, prompt.id)
  return (
    <>
      {versions.map((version) => (
        <tr
          key={version.number}
          className="bg-sunken/60 align-top max-sm:flex max-sm:flex-wrap max-sm:gap-x-4 max-sm:gap-y-1.5 max-sm:border-t max-sm:border-line max-sm:px-4 max-sm:py-2.5 [&>*]:px-3 [&>*]:py-2 max-sm:[&>*]:p-0"
        >
          <td colSpan={2} className="pl-12! max-sm:basis-full max-sm:pl-9!">
            <span className="flex flex-wrap items-center gap-2">
              {version.isDeleted ? (
                <span className="text-faint line-through">v{version.number}</span>
              ) : (
                <Link
                  to={path}
                  search={{ version: version.number }}
                  className="touch-link rounded-sm font-semibold underline decoration-edge underline-offset-4 hover:decoration-ink"
                >
                  v{version.number}
                </Link>
              )}
              <VersionLabels prompt={prompt} number={version.number} />
            </span>
            <span className="line-clamp-1 max-w-md text-meta text-soft">
              {version.isDeleted ? 'deleted' : (version.note ?? '')}
            </span>
          </td>
          <TracesCell used={version} />
          <RateCell used={version} scale={scale} />
          <CostCell used={version} />
          <td className="min-w-28 text-meta text-soft max-sm:basis-full max-sm:pl-9!">
            {liveText(version.live)}
            {version.sources.fallback > 0 && <Warning>{countOf(version.sources.fallback, 'fallback')}</Warning>}
          </td>
        </tr>
      ))}
      <tr className="bg-sunken/60 max-sm:block">
        <td colSpan={6} className="px-3 pt-1 pb-3 pl-12 text-meta text-faint max-sm:block max-sm:pl-13">
          {newest ? `${sumText(prompt, versions)} ` : 'It has no version yet. '}
          {hasMoreVersions && 'The newest 50 that were served are listed. '}
          <Link to={path} className="touch-link underline underline-offset-4 hover:text-ink">
            {newest ? 'All versions' : 'Write the first one'}
          </Link>
        </td>
      </tr>
    </>
  )
}

function VersionLabels({ prompt, number }: { prompt: PromptSummary; number: number }) {
  return prompt.labels.flatMap(({ name, splits }) =>
    splits
      .filter(({ version }) => version === number)
      .map(({ weight }) => <LabelChip key={name} label={name} weight={weight} />),
  )
}

/** A trace that used two versions counts for both, so the sum is not always that of the prompt. */
function sumText({ traces, rate }: PromptSummary, versions: PromptVersionSummary[]): string {
  const counts = versions.map((version) => version.traces).filter((count) => count > 0)
  const sum = counts.reduce((all, count) => all + count, 0)
  const scored = rate.n === 0 ? '' : `; ${formatCount(rate.n)} of them are scored`
  if (counts.length < 2 || sum !== traces) return `${countOf(traces, 'trace')}${scored}.`
  return `${counts.map(formatCount).join(' + ')} = ${countOf(traces, 'trace')}${scored}.`
}
