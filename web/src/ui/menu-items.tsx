import { Copy, Trash2 } from 'lucide-react'
import { copyText } from './copy-text.ts'
import { menuItemClass } from './menu.tsx'
import { MenuItem } from './menu-parts.tsx'
import { showToast } from './toast-store.ts'

/** Copies an id, of which the end is shown. */
export function CopyIdItem({ title, id }: { title: string; id: string }) {
  return (
    <MenuItem className={menuItemClass} onSelect={() => void copyId(id)}>
      <Copy aria-hidden className="size-4 text-faint" />
      <span className="flex-1">{title}</span>
      <code className="font-mono text-code text-faint">…{id.slice(-8)}</code>
    </MenuItem>
  )
}

async function copyId(id: string): Promise<void> {
  showToast(
    (await copyText(id))
      ? { tone: 'good', message: 'The id is copied.' }
      : { tone: 'danger', message: `The browser denied it. The id is ${id}` },
  )
}

interface DeleteItemProps {
  title: string
  isDisabled: boolean
  onSelect: () => void
}

export function DeleteItem({ title, isDisabled, onSelect }: DeleteItemProps) {
  return (
    <MenuItem className={`${disableableItemClass} text-danger`} disabled={isDisabled} onSelect={onSelect}>
      <Trash2 aria-hidden className="size-4" />
      {title}
    </MenuItem>
  )
}

/** Why entries of the menu are disabled. */
export function MenuNote({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p className="max-w-60 px-2.5 py-1.5 text-meta text-soft">{text}</p>
}

export const disableableItemClass = `${menuItemClass} data-disabled:cursor-not-allowed data-disabled:opacity-55`
