import { Link2 } from 'lucide-react'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { showToast } from '../../ui/toast-store.ts'

/** Of the page: its address has the filters and what is open, so others see the same. */
export function CopyLink() {
  const copy = async () => {
    const isCopied = await copyText(window.location.href)
    showToast(
      isCopied
        ? { tone: 'good', message: 'The link is copied. Members of this application can open it.' }
        : { tone: 'danger', message: 'The browser did not allow copying. Copy the address of the page instead.' },
    )
  }
  useShortcut('copyLink', () => void copy())
  return (
    <Button look="quiet" size="small" onClick={() => void copy()}>
      <Link2 aria-hidden className="size-4" />
      <span className="max-sm:sr-only">Copy link</span>
      <ShortcutKeys id="copyLink" />
    </Button>
  )
}
