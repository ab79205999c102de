import { diffWords } from './diff-words.ts'

export interface DiffRequest {
  id: number
  baseline: string
  candidate: string
}

const timeoutMs = 3000

self.addEventListener('message', (event: MessageEvent<DiffRequest>) => {
  const { id, baseline, candidate } = event.data
  self.postMessage({ id, parts: diffWords(baseline, candidate, timeoutMs) })
})
