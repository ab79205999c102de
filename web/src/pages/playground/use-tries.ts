import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { PromptKey } from '../../api/prompts-query.ts'
import { type Cell, isBusy, triesOf } from './tries.ts'

/** The answers of the playground of a prompt. Leaving the page stops what is being written. */
export function useTries(key: PromptKey) {
  const tries = triesOf(useQueryClient(), key)
  const cells = useSyncExternalStore(tries.subscribe, tries.read)
  useEffect(() => () => tries.stopAll(), [tries])
  return { tries, cells }
}

/** What screen readers hear: an answer when it is whole, and not its pieces. */
export function useFinishedCell(
  cells: ReadonlyMap<string, Cell>,
  describe: (id: string) => string | undefined,
): string {
  const before = useRef(cells)
  const [text, setText] = useState('')
  useEffect(() => {
    const finished = [...cells].find(([id, cell]) => !isBusy(cell) && isBusy(before.current.get(id)))
    before.current = cells
    if (!finished) return
    const [id, { end, error, state }] = finished
    const outcome = state === 'stopped' ? 'stopped' : end?.conversation ? 'asks for the answer of a tool' : undefined
    const failed = error || end?.reason === 'failed' ? 'failed' : 'answered'
    setText(`${describe(id) ?? 'A cell'}: ${outcome ?? failed}`)
  }, [cells, describe])
  return text
}
