import { Link } from '@tanstack/react-router'
import { Database } from 'lucide-react'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import { absoluteUrl, pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { curlCommand } from '../shell/curl-command.ts'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import type { DatasetDialog } from './dataset-actions.tsx'

interface NoItemsProps {
  datasetKey: DatasetKey
  onOpen: (dialog: DatasetDialog) => void
}

/** An empty dataset: three ways to fill it, and the command that does the same. */
export function NoItems({ datasetKey, onOpen }: NoItemsProps) {
  const { applicationId, componentId, datasetId } = datasetKey
  const notEditable = missingRole(useMe(), 'editor', 'Adding items')
  const command = curlCommand({
    method: 'POST',
    url: absoluteUrl(`/api/v1/components/${componentId}/datasets/${datasetId}/items`),
    headers: ['Authorization: Bearer $TOUCHSTONE_API_KEY'],
    body: { input: 'Can I return a bike?', expected: 'Yes, within 30 days.' },
  })
  return (
    <EmptyState
      icon={Database}
      title="No item yet"
      text="An item is a question with what a right answer says. Versions are compared on the same items."
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {notEditable === undefined && (
            <Link to={pagePaths.datasetImport(applicationId, componentId, datasetId)} className={buttonClass()}>
              Import a file
            </Link>
          )}
          <Button disabledReason={notEditable} onClick={() => onOpen('by-query')}>
            From traces
          </Button>
          <Button disabledReason={notEditable} onClick={() => onOpen('by-hand')}>
            Write one by hand
          </Button>
        </div>
      }
    >
      <CodeBlock code={command} copyLabel="Copy curl command" />
    </EmptyState>
  )
}
