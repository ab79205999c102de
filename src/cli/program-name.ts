/** What users type: npm starts a clone, npx the published package, which contains JavaScript. A container has the program on its path. */
const IS_CLONE = import.meta.url.endsWith('.ts')
const IN_PACKAGES = import.meta.url.includes('/node_modules/')
const COMPILED = IN_PACKAGES ? 'npx touchstone-server' : 'touchstone-server'

/** To start the server. */
export const START = IS_CLONE ? 'npm start' : COMPILED

/** Before a command and its arguments. */
export const PROGRAM = IS_CLONE ? 'npm start --' : COMPILED
