/**
 * The version of the mapping that a trace was stored or remapped with. Increase it when the mapping returns another kind, name, input,
 * output, model, usage, link, source or prompt for the same span, or another question or answer for the same input or output: the command
 * `remap` then finds the older traces.
 */
export const MAPPING_VERSION = 4

/**
 * Lists use previews from this version on. Set it to the version of the mapping when that returns another question or answer for the same
 * input or output, or another input or output; otherwise lists would read the spans of all older traces for nothing.
 */
export const PREVIEW_VERSION = 3
