import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export const BROWSER_ADVICE = 'Install chromium-headless-shell or chromium, or set CHROMIUM_PATH.'

export const BROWSER_ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The first renders without a window system in half the processor time. */
const COMMANDS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const USUAL_PLACES = [
  ...COMMANDS.map((command) => `/usr/bin/${command}`),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** CHROMIUM_PATH is taken at its word: a wrong one is an error, not a reason to take another browser. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH: chosen, PATH = '' } = process.env
  if (chosen) {
    if (!isExecutable(chosen)) throw new Error(`CHROMIUM_PATH names ${chosen}, which cannot be run`)
    return chosen
  }
  const inPath = PATH.split(delimiter).flatMap((folder) => COMMANDS.map((command) => join(folder, command)))
  return [...USUAL_PLACES, ...inPath].find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
