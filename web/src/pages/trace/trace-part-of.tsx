import { Link } from '@tanstack/react-router'
import { Boxes, Database, type LucideIcon, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Trace, TraceLinks } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatCount } from '../../ui/format-number.ts'
import { runTitle } from '../runs/run-title.ts'
import { FactSection } from './fact-section.tsx'

interface TracePartOfProps {
  applicationId: string
  trace: Trace
  /** Undefined until they are loaded. */
  links: TraceLinks | undefined
}

/** The component of the trace, its runs, and the dataset items that were created from it. */
export function TracePartOf({ applicationId, trace, links }: TracePartOfProps) {
  if (!trace.aiComponentId && !links?.runs.length && !links?.items.length) return null
  return (
    <FactSection title="Part of">
      <ul className="flex flex-col gap-1">
        {trace.aiComponentId && (
          <Entry icon={Boxes}>
            <Link
              to={pagePaths.component(applicationId, trace.aiComponentId)}
              className="touch-link underline underline-offset-4"
            >
              {trace.componentName}
            </Link>
          </Entry>
        )}
        {links?.runs.map((run) => (
          <Entry key={run.runId} icon={Play}>
            <Link
              to={pagePaths.run(applicationId, run.aiComponentId, run.runId)}
              className="touch-link underline underline-offset-4"
            >
              {runTitle({ name: run.runName, datasetName: run.datasetName, createdAt: run.createdAt })}
            </Link>
            <span className="text-faint">{caseText(run)}</span>
          </Entry>
        ))}
        {links?.hasMore.runs && <li className="pl-6 text-faint">and more runs</li>}
        {links?.items.map((item) => (
          <Entry key={item.itemId} icon={Database}>
            {item.datasetName}
            <span className="text-faint">{item.itemNumber !== null && `, item ${formatCount(item.itemNumber)}`}</span>
          </Entry>
        ))}
        {links?.hasMore.items && <li className="pl-6 text-faint">and more datasets</li>}
      </ul>
    </FactSection>
  )
}

function Entry({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2 touch:min-h-11 touch:items-center">
      <Icon aria-hidden className="mt-0.5 size-4 text-faint" />
      <span className="break-words">{children}</span>
    </li>
  )
}

function caseText({ caseNumber, traceCount }: TraceLinks['runs'][number]): string {
  return caseNumber === null ? '' : `, case ${formatCount(caseNumber)} of ${formatCount(traceCount)}`
}
