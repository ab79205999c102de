import type { DatasetItem, ItemRow } from '../../api/generated/api.ts'

export type ItemField = 'input' | 'expected' | 'metadata'

/** How the cells of an item are edited. */
export interface ItemEditing {
  /** The texts that have a column, in their order. */
  fields: readonly ItemField[]
  /** The cell whose editor is open. */
  open: { itemId: string; field: ItemField } | undefined
  /** Undefined for those who may not edit. */
  onEdit: ((itemId: string, field: ItemField | undefined) => void) | undefined
  onSave: (row: ItemRow, field: ItemField, text: string) => void
  onSplit: (row: ItemRow, split: DatasetItem['split']) => void
  /** The whole text, of which the row may have only the beginning. */
  readText: (row: ItemRow, field: ItemField) => Promise<string>
}
