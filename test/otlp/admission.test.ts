import { describe, expect, it } from 'vitest'
import { createAdmission } from '../../src/otlp/admission.ts'

const REFUSED = expect.objectContaining({ status: 503, headers: { 'retry-after': '1' } })

describe('admission', () => {
  it('refuses what would hold more bytes than the limit, and takes it again when there is room', () => {
    const admit = createAdmission({ bytesMax: 100, requestsMax: 10 })
    const first = admit(60)
    expect(() => admit(41)).toThrow(REFUSED)
    const second = admit(40)
    expect(() => second.resize(41)).toThrow(REFUSED)
    first.resize(59)
    second.resize(41)
    first.release()
    expect(() => admit(60)).toThrow(REFUSED)
    admit(59).release()
  })

  it('refuses more requests than the limit, however small they are', () => {
    const admit = createAdmission({ bytesMax: 100, requestsMax: 2 })
    const first = admit(0)
    admit(0)
    expect(() => admit(0)).toThrow(REFUSED)
    first.release()
    admit(0)
  })

  it('lets a request become smaller even when the others have become too many', () => {
    const admit = createAdmission({ bytesMax: 100, requestsMax: 2 })
    const first = admit(100)
    first.resize(10)
    admit(90)
    first.resize(5)
  })
})
