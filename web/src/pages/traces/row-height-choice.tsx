import { Segmented } from '../../ui/segmented.tsx'
import type { Density } from './trace-columns.tsx'

export function RowHeightChoice({ value, onChange }: { value: Density; onChange: (density: Density) => void }) {
  return (
    <div className="flex items-center justify-between gap-4 text-data">
      <span aria-hidden className="text-soft">
        Rows
      </span>
      <Segmented
        label="Row height"
        value={value}
        options={[
          { value: 'compact', label: 'One line' },
          { value: 'normal', label: 'Two lines' },
        ]}
        onChange={onChange}
      />
    </div>
  )
}
