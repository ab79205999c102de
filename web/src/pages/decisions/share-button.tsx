import { Share2 } from 'lucide-react'
import { useState } from 'react'
import type { DecisionKey } from '../../api/decisions-query.ts'
import { Button } from '../../ui/button.tsx'
import { lazyDialog } from '../shell/lazy-dialog.tsx'

const ShareDialog = lazyDialog(async () => (await import('./share-dialog.tsx')).ShareDialog)

export function ShareButton(decision: DecisionKey) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        <Share2 aria-hidden className="size-4" />
        Share…
      </Button>
      {isOpen && <ShareDialog decision={decision} onClose={() => setIsOpen(false)} />}
    </>
  )
}
