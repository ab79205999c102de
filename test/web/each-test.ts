/** Loaded before every test file of the interface: each test gets an empty page and an API that knows nothing yet. */
import { configure } from '@testing-library/dom'
import { afterEach, beforeEach, vi } from 'vitest'
import { expectDescribed, mockFetch, resetMockApi } from './mock-api.ts'
import { closePage, imitateEscape } from './open-page.ts'

// Only there to end a test that hangs: a busy machine must not fail one.
configure({ asyncUtilTimeout: 60_000, getElementError: describePage })

beforeEach(() => {
  resetMockApi()
  vi.stubGlobal('fetch', mockFetch)
  document.addEventListener('keydown', imitateEscape)
})

afterEach(() => {
  closePage()
  document.removeEventListener('keydown', imitateEscape)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  expectDescribed()
})

function describePage(message: string | null): Error {
  return new Error(`${message?.split('\n')[0]}. The page shows: ${document.body.textContent}`)
}
