/** Loaded before every test file of the interface: each test gets an empty page and an API without responses. */
import { configure } from '@testing-library/dom'
import * as React from 'react'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { diffWords } from '../../web/src/ui/diff-text/diff-words.ts'
import type { DiffRequest } from '../../web/src/ui/diff-text/diff-worker.ts'
import { floatingPart } from '../../web/src/ui/floating.ts'
import { toastCardsPart } from '../../web/src/ui/toaster.tsx'
import { expectDescribed, mockFetch, resetMockApi } from './mock-api.ts'
import { closePage, imitateEscape } from './open-page.ts'

// Only there to end a test that hangs: a busy machine must not fail one.
configure({ asyncUtilTimeout: 60_000, getElementError: describePage })

// In development, React captures a stack for each element, to print it with warnings: a third of the time of these tests. It stops
// after ten thousand per second, which it counts here.
const internals = Object(Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'))
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Number.POSITIVE_INFINITY, set: () => {} })

// As on a page that was open for a moment.
await Promise.all([floatingPart.load(), toastCardsPart.load()])

/** happy-dom does not know the element `search`. */
const UNKNOWN_TAG = 'The tag <%s> is unrecognized in this browser.'

/** Warnings of React, such as two rows with the same key. */
let warnings: string[] = []

beforeEach(() => {
  resetMockApi()
  warnings = []
  vi.spyOn(console, 'error').mockImplementation((...parts) => warnings.push(parts.join(' ')))
  vi.stubGlobal('fetch', mockFetch)
  vi.stubGlobal('getComputedStyle', inlineStyle)
  vi.stubGlobal('Worker', DiffWorker)
  document.addEventListener('keydown', imitateEscape)
})

afterEach(() => {
  closePage()
  document.removeEventListener('keydown', imitateEscape)
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  expectDescribed()
  expect(warnings.filter((warning) => !warning.startsWith(UNKNOWN_TAG))).toEqual([])
})

/** No style sheet is loaded here, and to compute that nothing applies is a tenth of the time of these tests. */
function inlineStyle({ style }: HTMLElement): CSSStyleDeclaration {
  return style
}

/** The only worker of the interface compares texts that take longer than a moment: on a busy machine, short ones, too. */
class DiffWorker extends EventTarget {
  postMessage({ id, baseline, candidate }: DiffRequest) {
    const parts = diffWords(baseline, candidate, 60_000)
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { id, parts } })))
  }
}

function describePage(message: string | null): Error {
  return new Error(`${message?.split('\n')[0]}. The page shows: ${document.body.textContent}`)
}
