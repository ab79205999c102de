import { useState } from 'react'
import type { PromptContent } from '../../api/generated/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { DraftDiff } from '../prompts/draft-diff.tsx'
import { PromptEditor } from '../prompts/prompt-editor.tsx'
import type { Variant } from './use-columns.ts'

interface ColumnEditorProps {
  applicationId: string
  variant: Variant
  firstView: 'edit' | 'changes'
  /** Why it is only read. */
  notEditable: string | undefined
  isKept: boolean
  onChange: (content: PromptContent) => void
  onClose: () => void
}

/** All that a column sends, to edit or as what differs from its version. Kept on the device with every letter. */
export function ColumnEditor(props: ColumnEditorProps) {
  const { applicationId, variant, firstView, notEditable, isKept, onChange, onClose } = props
  const [view, setView] = useState(firstView)
  const { name, content, baseContent, column, edits } = variant
  if (!content) return null
  return (
    <Dialog title={name} size="wide" isOpen onClose={onClose}>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Segmented
          label="View"
          value={view}
          options={[
            { value: 'edit', label: 'The text' },
            { value: 'changes', label: column.base === null ? 'Changes' : `Changes of v${column.base}` },
          ]}
          onChange={setView}
        />
        {notEditable === undefined && (
          <p role="status" className={`text-meta ${isKept ? 'text-faint' : 'text-danger'}`}>
            {edits.length === 0
              ? ''
              : isKept
                ? 'Kept on this device'
                : 'Lost when this page closes: the storage is full'}
          </p>
        )}
      </div>
      {view === 'edit' && (
        <PromptEditor
          applicationId={applicationId}
          content={content}
          isReadOnly={notEditable !== undefined}
          onChange={onChange}
        />
      )}
      {view === 'changes' &&
        (baseContent ? (
          <DraftDiff before={baseContent} name={`v${column.base}`} draft={content} />
        ) : (
          <p className="text-data text-soft">There is no version to compare with.</p>
        ))}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
