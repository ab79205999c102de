import { ArrowUp } from 'lucide-react'
import { formatCount } from '../format-number.ts'

interface NewRowsButtonProps {
  count: number
  onShow: () => void
}

/** Rows that arrived since the list was loaded. They are added only when asked for, so that no row moves under the pointer. */
export function NewRowsButton({ count, onShow }: NewRowsButtonProps) {
  return (
    <span role="status">
      {count > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="inline-flex h-[26px] items-center gap-1.5 rounded-full border border-gold/55 bg-gold-wash pr-3 pl-2 text-[12.5px] leading-none font-semibold text-gold-ink max-sm:h-9"
        >
          <ArrowUp aria-hidden className="size-3.5" />
          {formatCount(count)} new
        </button>
      )}
    </span>
  )
}
