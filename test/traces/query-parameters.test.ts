import { describe, expect, it } from 'vitest'
import { readTraceFilter } from '../../src/traces/trace-filter.ts'

const NOW = Date.parse('2026-11-15T06:00:00Z')

describe('the parameters of the list of traces', () => {
  it('become a filter, from the first moment up to the last, which is not included', () => {
    const id = '018BCFE5-6800-7000-8000-000000000001'
    const filter = readTraceFilter(
      {
        status: 'error',
        start_after: '2026-11-14',
        start_before: '2026-11-14T12:00:00Z',
        component_id: id,
        service: 's',
        q: '',
      },
      NOW,
    )
    expect(filter).toEqual({
      status: 'error',
      startAfter: 1_794_614_400_000_000_000n,
      startBefore: 1_794_657_600_000_000_000n,
      componentId: id.toLowerCase(),
      service: 's',
    })
  })

  it.each([
    [{ status: 'failed' }, 'status must be ok or error'],
    [
      { start_after: '1763100000000' },
      'start_after must be a date (2026-11-14) or a date-time of RFC 3339 (2026-11-14T09:30:00Z)',
    ],
    [{ start_before: '2026-11-14T09:30' }, 'start_before must be a date'],
    [{ start_before: '-24h' }, 'start_before must be a date'],
    [{ component_id: 'x' }, 'component_id must be a UUID'],
    [{ service: '' }, 'service must not be empty'],
    [{ user_id: 'a\0' }, 'user_id has characters that cannot be stored'],
    [{ q: 'nofield:1' }, 'nofield is not a field'],
  ])('are rejected when wrong: %o', (parameters, message) => {
    expect(() => readTraceFilter(parameters, NOW)).toThrow(message)
  })
})
