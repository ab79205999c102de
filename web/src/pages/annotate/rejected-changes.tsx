import type { RunKey } from '../../api/run-query.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type AnnotationItem, titleOf } from './annotation-items.ts'
import type { Outbox } from './outbox.ts'
import type { OutboxEntry } from './outbox-contents.ts'
import { useOutboxState } from './use-outbox-state.ts'

interface RejectedChangesProps {
  run: RunKey
  outbox: Outbox
  items: readonly AnnotationItem[]
}

/** What the server did not accept, until the user has read it. */
export function RejectedChanges({ run, outbox, items }: RejectedChangesProps) {
  const { rejected } = useOutboxState(outbox, run.runId)
  if (rejected.length === 0) return null
  return (
    <div role="alert" className="mb-6">
      <Notice
        tone="danger"
        title={rejected.length === 1 ? 'A rating was not saved' : `${rejected.length} ratings were not saved`}
      >
        <ul className="mt-1 flex flex-col gap-1.5">
          {rejected.map((entry) => (
            <li key={entry.id} className="flex flex-wrap items-center gap-x-3">
              <span className="min-w-0 flex-1 break-words">
                {describeEntry(entry, items)}
                {entry.rejection?.requestId && (
                  <span className="block break-all text-soft">
                    Request <code className="font-mono text-[12px]">{entry.rejection.requestId}</code>
                  </span>
                )}
              </span>
              <Button size="small" look="quiet" onClick={() => outbox.dismiss(entry.id)}>
                Dismiss
              </Button>
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function describeEntry({ change, rejection }: OutboxEntry, items: readonly AnnotationItem[]): string {
  const message = rejection?.message ?? ''
  if (change.kind === 'undo') return `Undo: ${message}`
  const item = items.find(({ traceDbId }) => traceDbId === change.traceDbId)
  return item ? `“${titleOf(item)}”: ${message}` : message
}
