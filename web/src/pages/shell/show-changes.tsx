import { RefreshCw } from 'lucide-react'
import { Button } from '../../ui/button.tsx'

/** Something has changed, and waits until the mouse is gone, because it would move what is under it. */
export function ShowChanges({ onClick }: { onClick: () => void }) {
  return (
    <Button size="small" onClick={onClick}>
      <RefreshCw aria-hidden className="size-3.5" />
      Show changes
    </Button>
  )
}
