/** What users type: a clone is started by npm, the published package (which contains JavaScript) by npx. */
const IS_CLONE = import.meta.url.endsWith('.ts')

/** To start the server. */
export const START = IS_CLONE ? 'npm start' : 'npx touchstone-server'

/** Before a command and its arguments. */
export const PROGRAM = IS_CLONE ? 'npm start --' : START
