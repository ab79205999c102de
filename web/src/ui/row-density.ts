import { createLocalSetting } from './local-setting.ts'

export type RowDensity = 'automatic' | 'compact' | 'normal'

/** The height of table rows; `automatic` leaves it to each table. */
export const rowDensity = createLocalSetting<RowDensity>({
  storageKey: 'touchstone.row-density',
  values: ['automatic', 'compact', 'normal'],
  fallback: 'automatic',
})
