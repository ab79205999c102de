import { Link } from '@tanstack/react-router'
import { TestTubes } from 'lucide-react'
import type { PromptKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import type { Column } from './playground-record.ts'

interface RecordAsTrialProps {
  promptKey: PromptKey
  variants: readonly { column: Column }[]
  /** Whose items are shown. */
  datasetId: string | undefined
}

/** The same versions over many items. A trial runs saved versions, so columns with unsaved changes are not part of it. */
export function RecordAsTrial({ promptKey, variants, datasetId }: RecordAsTrialProps) {
  const { applicationId, componentId, promptId } = promptKey
  const saved = variants.flatMap(({ column: { base, content } }) =>
    content === undefined && base !== null ? base : [],
  )
  if (saved.length === 0) return null
  return (
    <Link
      to={pagePaths.newTrial(applicationId, componentId)}
      search={{ prompt: promptId, version: [...new Set(saved)].join(','), ...(datasetId && { dataset: datasetId }) }}
      className={`${buttonClass()} max-sm:flex-1`}
    >
      <TestTubes aria-hidden className="size-4" />
      Record as trial
    </Link>
  )
}
