/**
 * The version of the mapping that a trace was stored or remapped with. Increase it when the mapping returns another kind, name, input,
 * output, model, usage or link for the same span, or another question or answer for the same input or output: the command `remap` then
 * finds the older traces, and lists ignore their previews.
 */
export const MAPPING_VERSION = 3
