import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 100

type Held = {
  ownMegabytes: number
  mappedMegabytes: number
  /** What was its own, every tenth of the time. */
  tenths: number[]
}

/**
 * The most that a process held until something has ended, seen from outside: a process that is busy would look too late. Pages of files
 * that are only mapped are told apart: they are the system's copy of the file, which it takes back whenever somebody needs the room.
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
