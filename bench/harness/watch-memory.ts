import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 100

type Held = {
  ownMegabytes: number
  mappedMegabytes: number
  /** The private memory at every tenth of the duration. */
  tenths: number[]
}

/**
 * Measures the peak memory of a process until `until` settles. It is measured from outside, because a busy process
 * would measure too late. Pages of mapped files are counted separately: they are the page cache of the system, which
 * reclaims them when memory is short.
 */
export async function watchMemory({ pid }: { pid: number }, until: Promise<unknown>): Promise<Held> {
  const own: number[] = []
  let mappedMegabytes = 0
  let isOver = false
  const end = () => {
    isOver = true
  }
  until.then(end, end)
  while (!isOver) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024
    own.push(megabytes('RssAnon'))
    mappedMegabytes = Math.max(mappedMegabytes, megabytes('RssFile'))
    await delay(LOOK_MS)
  }
  const step = Math.max(1, Math.floor(own.length / 10))
  return { ownMegabytes: Math.max(...own), mappedMegabytes, tenths: own.filter((_, place) => place % step === 0) }
}
