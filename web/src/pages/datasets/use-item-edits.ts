import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '../../api/api-error.ts'
import type { DatasetKey } from '../../api/dataset-items-query.ts'
import type { DatasetItem } from '../../api/generated/api.ts'
import { changeItem, type ItemChange, readItem, showChangedItem } from '../../api/item-rows-query.ts'
import { showToast, showUndoToast } from '../../ui/toast-store.ts'
import { readMetadata } from './find-json-error.ts'
import type { ItemField } from './item-editing.ts'

interface Edit {
  itemId: string
  number: number
  change: ItemChange
}

/** Saves changes of items one after the other. The newest can be undone; what failed is kept until it is tried again. */
export function useItemEdits(key: DatasetKey) {
  const queryClient = useQueryClient()
  const [state, setState] = useState<'saved' | 'saving' | 'failed'>()
  const [failed, setFailed] = useState<Edit>()
  const send = async (edit: Edit, way: 'change' | 'undo') => {
    setState('saving')
    setFailed(undefined)
    try {
      const before = await readItem(key, edit.itemId)
      showChangedItem(queryClient, key, await changeItem(key, edit.itemId, edit.change))
      setState('saved')
      if (way === 'undo') return
      const back: Edit = { ...edit, change: pick(before, edit.change) }
      showUndoToast(`Item ${edit.number} is saved.`, () => void send(back, 'undo'))
    } catch (error) {
      setState('failed')
      setFailed(edit)
      showToast({ tone: 'danger', ...describeError(error) })
    }
  }
  return {
    state,
    save: (edit: Edit) => void send(edit, 'change'),
    onRetry: failed && (() => void send(failed, 'change')),
  }
}

/** The change of one text. An empty text removes it. */
export function changeOf(field: ItemField, text: string): ItemChange {
  if (field === 'metadata') return { metadata: readMetadata(text) }
  return { [field]: text === '' && field === 'expected' ? null : text }
}

/** As it is edited: metadata as JSON with line breaks. */
export function textOf(item: DatasetItem, field: ItemField): string {
  if (field !== 'metadata') return item[field] ?? ''
  return Object.keys(item.metadata).length === 0 ? '' : JSON.stringify(item.metadata, null, 2)
}

function pick(item: DatasetItem, change: ItemChange): ItemChange {
  return {
    ...('input' in change && { input: item.input }),
    ...('expected' in change && { expected: item.expected }),
    ...('metadata' in change && { metadata: item.metadata }),
    ...('split' in change && { split: item.split }),
  }
}
