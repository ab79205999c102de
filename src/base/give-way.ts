import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/**
 * Lets the thread that calls it give way to every other: with two cores, a request would otherwise wait for milliseconds until the system
 * takes a core away from it. Linux knows threads by number; elsewhere all threads stay equal.
 */
export function giveWay(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (thread > 0) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not Linux, or not allowed: nothing depends on it.
  }
}
